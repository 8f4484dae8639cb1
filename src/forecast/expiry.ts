// When nodes expire: beside Karpenter a hard deadline that nothing refuses.
import { createdAt } from '../cluster/nodeView.ts';
import type { Cluster } from '../cluster/store.ts';
import type { Verdict } from '../engine/verdict.ts';
import { after, type Instant } from '../time/instant.ts';

export interface Expiry {
  readonly node: string;
  readonly pool: string;
  readonly at: Instant;
  /** It was drifted when the forecast began. */
  readonly isDrifted: boolean;
}

/** Of every node of a pool; nodes that never expire are left out. */
export function expiriesOf({ nodes, pools }: Cluster, drifted: readonly Verdict[]): Expiry[] {
  const names = new Set(drifted.map(({ node }) => node));
  const expiries: Expiry[] = [];
  for (const view of nodes) {
    const pool = pools.get(view.poolName ?? '');
    const lifetime = view.claim?.spec.expireAfter ?? pool?.template.expireAfter;
    if (!pool || lifetime === undefined || lifetime === 'Never') continue;
    const { name } = view.node;
    expiries.push({ node: name, pool: pool.name, at: after(createdAt(view), lifetime), isDrifted: names.has(name) });
  }
  return expiries;
}
