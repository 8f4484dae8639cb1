// Why? Everything a round knows of one node, pod or pool, with a sentence that says the most of it (J1, J2).
import type { Pod } from '../../cluster/model.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { Told } from './commandWhy.ts';
import { explainNode, type NodeWhy } from './nodeWhy.ts';
import { explainPod, type PodWhy } from './podWhy.ts';
import { explainPool, type PoolWhy } from './poolWhy.ts';
import { type Target, viewOf } from './target.ts';

export type Why = NodeWhy | PodWhy | PoolWhy;

/** Undefined where it is not there (any more): the cluster may have gone on since it was found. */
export function explainWhy(told: Told, cluster: Cluster, target: Target): Why | undefined {
  if (target.kind === 'pool') {
    const pool = cluster.pools.get(target.name);
    return pool && explainPool(told, cluster, pool);
  }
  if (target.kind === 'node') {
    const view = viewOf(cluster, target.name);
    return view && explainNode(told, view);
  }
  const { namespace, name } = target;
  const isIt = (pod: Pod): boolean => pod.namespace === namespace && pod.name === name;
  for (const view of cluster.nodes) {
    const pod = view.pods.find(isIt);
    if (pod) return explainPod(told, pod, view);
  }
  const pending = cluster.pendingPods.find(isIt);
  return pending && explainPod(told, pending, undefined);
}
