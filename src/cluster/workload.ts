// Which workload does a pod belong to, whatever its pods are called today? What was evicted comes back under another name.
import { openSlot } from './memory.ts';
import type { Pod } from './model.ts';
import type { NodeView } from './nodeView.ts';

/** `namespace/Kind/name`; undefined where nobody brings the pod back (none, a Job), or always on the same node. */
export function workloadOf({ namespace, owner, labels }: Pod): string | undefined {
  if (!owner || notComingBack.has(owner.kind)) return undefined;
  const hash = owner.kind === 'ReplicaSet' ? labels['pod-template-hash'] : undefined;
  // A release during a roll brings the pods back under another ReplicaSet: it is the Deployment that counts.
  if (hash && owner.name.endsWith(`-${hash}`))
    return `${namespace}/Deployment/${owner.name.slice(0, -hash.length - 1)}`;
  return `${namespace}/${owner.kind}/${owner.name}`;
}

const notComingBack: ReadonlySet<string> = new Set(['Job', 'DaemonSet', 'Node']);

/** What people call it: `Deployment shop/web`. */
export function nameOfWorkload(key: string): string {
  const [namespace = '', kind = '', name = ''] = key.split('/');
  return `${kind} ${namespace}/${name}`;
}

const counted = openSlot<ReadonlyMap<string, number>>();

/** By workload, how many of its pods run and are Ready on a node. */
function runningOn(view: NodeView): ReadonlyMap<string, number> {
  const known = counted.recall(view);
  if (known) return known;
  const running = new Map<string, number>();
  for (const pod of view.pods) {
    if (pod.phase !== 'Running' || pod.ready !== 'True' || pod.deletingAt !== undefined) continue;
    const workload = workloadOf(pod);
    if (workload !== undefined) running.set(workload, (running.get(workload) ?? 0) + 1);
  }
  return counted.keep(view, running);
}

/** In the whole cluster: wherever they come back, they are back. */
export function countRunning(workload: string, nodes: readonly NodeView[]): number {
  let running = 0;
  for (const view of nodes) running += runningOn(view).get(workload) ?? 0;
  return running;
}
