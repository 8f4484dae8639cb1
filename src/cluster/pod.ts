// Predicates on pods (active, evictable, daemon), the cost of moving one, and the limit on schedules per namespace (E13).
import type { Fault } from './fault.ts';
import type { Pod, Taint, Toleration } from './model.ts';
import { taint } from './names.ts';

export const isActive = (pod: Pod): boolean =>
  pod.deletingAt === undefined && pod.phase !== 'Failed' && pod.phase !== 'Succeeded';

export const isDaemon = (pod: Pod): boolean => pod.owner?.kind === 'DaemonSet';

/** Mirror pods of static manifests are bound to their node. */
export const isMirror = (pod: Pod): boolean => pod.owner?.kind === 'Node';

/** A terminating StatefulSet pod counts too: its successor, which has the same name, is created only when it is gone. */
export function isReschedulable(pod: Pod): boolean {
  if (isDaemon(pod) || isMirror(pod)) return false;
  return isActive(pod) || (pod.deletingAt !== undefined && pod.owner?.kind === 'StatefulSet');
}

const disruptionTaints: readonly Taint[] = [
  { key: taint.karpenterDisrupted, effect: 'NoSchedule' },
  { key: taint.lullDisrupted, effect: 'NoSchedule' },
];

/** Pods that tolerate the disruption taint stay until the node is gone, so no PDB is checked for them (G6). */
const staysToTheEnd = (pod: Pod): boolean =>
  isMirror(pod) || disruptionTaints.some((it) => tolerates(pod.tolerations, it));

export const isEvictable = (pod: Pod): boolean => isActive(pod) && !staysToTheEnd(pod);

/** Terminating, and a drain has to wait for it. */
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

/** Scales: deletion cost and priority reach the cost bounds only near their 32-bit limits. */
const deletionCostScale = 2 ** 27;
const priorityScale = 2 ** 25;
const maxPodCost = 10;

export function podCost(pod: Pod): number {
  const cost = 1 + pod.deletionCost / deletionCostScale + pod.priority / priorityScale;
  return Math.min(Math.max(cost, 0), maxPodCost);
}

/** Pods with at most this many schedules (allow and block together) are always evaluated and do not count towards the limit. */
export const freeSchedules = 5;
/** How many different schedules the other pods of a namespace may have. Pods with the same text share them. */
export const mostSchedules = 1000;

/** The schedules of one namespace. Depends on the pods that exist, not on the order in which they arrived. */
export class ScheduleShare {
  readonly #pods = new Map<string, Pod>();
  /** By window: how many pods use it. Equal texts are one window. */
  readonly #uses = new Map<object, number>();
  #count = 0;

  get isSpent(): boolean {
    return this.#count > mostSchedules;
  }

  /** The pods that hold their nodes while the limit is exceeded. */
  get pods(): Iterable<Pod> {
    return this.#pods.values();
  }

  has(pod: Pod): boolean {
    return counts(pod);
  }

  put(key: string, pod: Pod): void {
    if (!counts(pod)) return;
    this.#pods.set(key, pod);
    for (const { window, size } of windowsOf(pod)) {
      const uses = this.#uses.get(window) ?? 0;
      if (uses === 0) this.#count += size;
      this.#uses.set(window, uses + 1);
    }
  }

  remove(key: string, pod: Pod): void {
    if (!this.#pods.delete(key)) return;
    for (const { window, size } of windowsOf(pod)) {
      const uses = (this.#uses.get(window) ?? 0) - 1;
      if (uses > 0) this.#uses.set(window, uses);
      else if (this.#uses.delete(window)) this.#count -= size;
    }
  }
}

const counts = (pod: Pod): boolean => pod.rules?.sizes !== undefined && isActive(pod);

const schedulesOf = ({ rules }: Pod): number => (rules?.sizes?.allow ?? 0) + (rules?.sizes?.block ?? 0);

function windowsOf({ rules }: Pod): { readonly window: object; readonly size: number }[] {
  const { allow, block, sizes } = rules ?? {};
  return [
    ...(allow ? [{ window: allow, size: sizes?.allow ?? 0 }] : []),
    ...(block ? [{ window: block, size: sizes?.block ?? 0 }] : []),
  ];
}

/** For refusals and warnings. */
export const describeUnevaluated = (pod: Pod): string =>
  `its ${schedulesOf(pod)} schedules are not evaluated, because pods in namespace ${pod.namespace} have more than ${mostSchedules} different schedules`;

export const unevaluatedFault = (pod: Pod): Fault => ({
  object: `Pod/${pod.namespace}/${pod.name}`,
  path: 'metadata.annotations',
  value: undefined,
  message: `This pod holds its node: ${describeUnevaluated(pod)}. Use at most ${freeSchedules} schedules per pod, or the same text on all pods.`,
  severity: 'warning',
});
