// C13: which pods must run again before the turn passes? Those of the workloads that lose pods here, as many as ran before.
import type { Command, Turn } from '../../cluster/ledger.ts';
import type { Pod } from '../../cluster/model.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import type { Cluster } from '../../cluster/store.ts';
import { countRunning, nameOfWorkload, workloadOf } from '../../cluster/workload.ts';

/** The same record where no workload is new to it. */
export function withExpected(turn: Turn, emptying: readonly Command[], cluster: Cluster): Turn {
  const known = new Set(turn.expected.map(({ owner }) => owner));
  const fresh = new Map<string, string | undefined>();
  for (const { nodes } of emptying) {
    for (const { name } of nodes) {
      const view = cluster.node(name);
      for (const pod of view?.reschedulable ?? []) {
        const workload = workloadOf(pod);
        if (workload !== undefined && !known.has(workload)) fresh.set(workload, view && pdbOver(pod, view));
      }
    }
  }
  if (fresh.size === 0) return turn;
  const counted = [...fresh.keys()].sort(compareText).map((owner) => {
    const pdb = fresh.get(owner);
    return { owner, name: nameOfWorkload(owner), running: countRunning(owner, cluster.nodes), ...(pdb && { pdb }) };
  });
  return { ...turn, expected: [...turn.expected, ...counted] };
}

function pdbOver(pod: Pod, { guarded }: NodeView): string | undefined {
  const mine = guarded.find(({ pods }) => pods.includes(pod))?.box.pdb;
  return mine && `${mine.namespace}/${mine.name}`;
}
