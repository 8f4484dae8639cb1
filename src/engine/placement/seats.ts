// Who needs room that nobody stands in yet? Pods of nodes on their way out, and the successors of those that have been evicted.
import type { Pod } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { isReschedulable } from '../../cluster/pod.ts';
import type { Cluster } from '../../cluster/store.ts';
import { workloadOf } from '../../cluster/workload.ts';
import { asInstant, type Instant, second } from '../../time/instant.ts';

export interface Seats {
  /** The pods of a leaving node that will need a place: those still on it, and those that end there and have no successor yet. */
  neededFrom(view: NodeView, targets: readonly string[]): readonly Pod[];
}

export function openSeats(cluster: Cluster): Seats {
  const met = new Set<Pod>();
  return {
    neededFrom: (view, targets) => {
      const ending = view.pods.filter((pod) => pod.deletingAt !== undefined && !isReschedulable(pod));
      if (ending.length === 0) return view.reschedulable;
      // Where it is not bound yet it is pending; else it went most likely where room was kept for it.
      const come = [...cluster.pendingPods, ...targets.flatMap((name) => cluster.node(name)?.pods ?? [])];
      return [...view.reschedulable, ...ending.filter((pod) => !hasSuccessor(pod, come, met))];
    },
  };
}

/** Each successor stands for one pod that ended. Those that nobody brings back have none, and need none. */
function hasSuccessor(pod: Pod, come: readonly Pod[], met: Set<Pod>): boolean {
  const workload = workloadOf(pod);
  if (workload === undefined) return true;
  const began = endedFrom(pod);
  const successor = come.find(
    (it) => !met.has(it) && it.deletingAt === undefined && it.createdAt >= began && workloadOf(it) === workload,
  );
  if (successor) met.add(successor);
  return successor !== undefined;
}

/** When it was asked to end; creation is written in whole seconds. */
const endedFrom = ({ deletingAt, graceSeconds }: Pod): Instant =>
  asInstant(Math.floor(((deletingAt as Instant) - graceSeconds * second) / second) * second);
