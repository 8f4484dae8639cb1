// E10, G6: how many more evictions does a PodDisruptionBudget permit in this round, over all commands?
import type { PdbBox } from '../../cluster/nodeView.ts';

export interface PdbUnits {
  /** Whether one more may be asked for; if so, it is counted. */
  take(box: PdbBox): boolean;
}

export function openPdbUnits(): PdbUnits {
  const taken = new Map<number, number>();
  return {
    take: ({ id, pdb }) => {
      const used = taken.get(id) ?? 0;
      if (used >= pdb.disruptionsAllowed) return false;
      taken.set(id, used + 1);
      return true;
    },
  };
}
