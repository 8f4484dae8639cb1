// The workload a pod belongs to. It identifies the successors of evicted pods, which have other names.
import { memo } from './memo.ts';
import type { Pod } from './model.ts';
import type { NodeView } from './nodeView.ts';

/** `namespace/Kind/name`; undefined for pods that are not recreated (no owner, Job) or only on the same node (DaemonSet, static). */
export function workloadOf({ namespace, owner, labels }: Pod): string | undefined {
  if (!owner || notComingBack.has(owner.kind)) return undefined;
  const hash = owner.kind === 'ReplicaSet' ? labels['pod-template-hash'] : undefined;
  // A rollout of the Deployment recreates pods under another ReplicaSet, so the Deployment is the workload.
  if (hash && owner.name.endsWith(`-${hash}`))
    return `${namespace}/Deployment/${owner.name.slice(0, -hash.length - 1)}`;
  return `${namespace}/${owner.kind}/${owner.name}`;
}

const notComingBack: ReadonlySet<string> = new Set(['Job', 'DaemonSet', 'Node']);

/** For messages: `Deployment shop/web`. */
export function nameOfWorkload(key: string): string {
  const [namespace = '', kind = '', name = ''] = key.split('/');
  return `${kind} ${namespace}/${name}`;
}

export const isRunning = ({ phase, ready, deletingAt }: Pod): boolean =>
  phase === 'Running' && ready === 'True' && deletingAt === undefined;

/** By workload: how many of its pods are running and Ready on a node. */
const runningOn = memo((view: NodeView): ReadonlyMap<string, number> => {
  const running = new Map<string, number>();
  for (const pod of view.pods) {
    if (!isRunning(pod)) continue;
    const workload = workloadOf(pod);
    if (workload !== undefined) running.set(workload, (running.get(workload) ?? 0) + 1);
  }
  return running;
});

/** Counts over the whole cluster, because successors may run on any node. */
export function countRunning(workload: string, nodes: readonly NodeView[]): number {
  let running = 0;
  for (const view of nodes) running += runningOn(view).get(workload) ?? 0;
  return running;
}
