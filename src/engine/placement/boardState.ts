// The board itself: what stands where, where more could go, and the way back from everything that was tried.
import { leavingTaints } from './admission.ts';
import { AskedRows } from './askedRows.ts';
import type { Board, BoardCopy, Choice, Misfit, PodClass, Row, Targets } from './board.ts';
import { findLikely } from './likely.ts';
import { misfitOf } from './misfit.ts';
import type { RowFacts } from './tables.ts';

export class BoardState extends AskedRows implements Board {
  find(pod: PodClass, choice: Choice = 'first', targets: Targets = 'settled'): Row | undefined {
    return choice === 'likely' ? findLikely(this, pod, targets) : this.findFirst(pod, targets);
  }

  misfit(pod: PodClass, targets: Targets = 'settled'): Misfit {
    return misfitOf(this, pod, targets);
  }

  copy(): BoardCopy {
    const rows = this.facts.flatMap((facts, row) => (facts ? [this.#copyRow(facts, row)] : []));
    return { version: 1, tables: this.tables, rows };
  }

  #copyRow(facts: RowFacts, row: Row): RowFacts {
    // A node that leaves is no target and nobody stands on it, but to most spreads it is a domain.
    if (this.isLifted(row))
      return {
        ...facts,
        taints: [...facts.taints, ...leavingTaints],
        pods: [],
        standing: [],
        isTarget: false,
        isSettled: false,
      };
    const extra = this.extra[row] ?? [];
    const at = row * this.width;
    return {
      ...facts,
      free: [...this.free.subarray(at, at + this.width)],
      pods: [...facts.pods, ...extra],
      standing: [...facts.standing, ...extra],
      isTarget: this.isTarget(row, 'all'),
      isSettled: this.isTarget(row, 'settled'),
    };
  }
}

/** A board to work on elsewhere. */
export function boardFrom({ tables, rows }: BoardCopy): BoardState {
  const board = new BoardState(tables);
  rows.forEach((facts, row) => {
    board.setRow(row, facts);
  });
  return board;
}
