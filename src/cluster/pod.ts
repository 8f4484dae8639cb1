// What kind of pod is it, and what would moving it cost? The predicates of E11 and the figures of F3.
import type { Pod, Taint, Toleration } from './model.ts';
import { taint } from './names.ts';

export const isActive = (pod: Pod): boolean =>
  pod.deletingAt === undefined && pod.phase !== 'Failed' && pod.phase !== 'Succeeded';

export const isDaemon = (pod: Pod): boolean => pod.owner?.kind === 'DaemonSet';

/** Mirror pods of static manifests belong to their node. */
export const isMirror = (pod: Pod): boolean => pod.owner?.kind === 'Node';

/** A StatefulSet's pod keeps its name, so its successor comes only when it is gone: it still needs a place. */
export function isReschedulable(pod: Pod): boolean {
  if (isDaemon(pod) || isMirror(pod)) return false;
  return isActive(pod) || (pod.deletingAt !== undefined && pod.owner?.kind === 'StatefulSet');
}

const disruptionTaints: readonly Taint[] = [
  { key: taint.karpenterDisrupted, effect: 'NoSchedule' },
  { key: taint.lullDisrupted, effect: 'NoSchedule' },
];

/** Pods that tolerate the disruption taint stay until the node goes (G6); no PDB is asked for them. */
const staysToTheEnd = (pod: Pod): boolean =>
  isMirror(pod) || disruptionTaints.some((it) => tolerates(pod.tolerations, it));

export const isEvictable = (pod: Pod): boolean => isActive(pod) && !staysToTheEnd(pod);

/** Terminating, and a drain waits until it is gone. */
export const isOnItsWay = (pod: Pod): boolean =>
  pod.deletingAt !== undefined && pod.phase !== 'Failed' && pod.phase !== 'Succeeded' && !staysToTheEnd(pod);

export function tolerates(tolerations: readonly Toleration[], { key, value = '', effect }: Taint): boolean {
  return tolerations.some((toleration) => {
    if (toleration.effect && toleration.effect !== effect) return false;
    if (toleration.key && toleration.key !== key) return false;
    if (toleration.operator === 'Exists') return true;
    return (
      Boolean(toleration.key) && (toleration.operator ?? 'Equal') === 'Equal' && (toleration.value ?? '') === value
    );
  });
}

/** Fractions of a pod's cost: deletion cost and priority reach the bounds near their own 32-bit limits. */
const deletionCostScale = 2 ** 27;
const priorityScale = 2 ** 25;
const maxPodCost = 10;

export function podCost(pod: Pod): number {
  const cost = 1 + pod.deletionCost / deletionCostScale + pod.priority / priorityScale;
  return Math.min(Math.max(cost, 0), maxPodCost);
}
