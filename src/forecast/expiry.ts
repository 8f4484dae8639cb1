// When do nodes expire? Karpenter takes who is too old without asking anybody.
import { createdAt } from '../cluster/nodeView.ts';
import type { Cluster } from '../cluster/store.ts';
import type { Verdict } from '../engine/verdict.ts';
import { after, type Instant } from '../time/instant.ts';

export interface Expiry {
  readonly node: string;
  readonly pool: string;
  readonly at: Instant;
}

/** Of the nodes that have drifted; who never expires is left out. */
export function expiriesOf(drifted: readonly Verdict[], cluster: Cluster): Expiry[] {
  return drifted.flatMap(({ node, pool }) => {
    const view = cluster.node(node);
    const lifetime = view?.claim?.spec.expireAfter ?? cluster.pools.get(pool)?.template.expireAfter;
    if (!view || lifetime === undefined || lifetime === 'Never') return [];
    return [{ node, pool, at: after(createdAt(view), lifetime) }];
  });
}
