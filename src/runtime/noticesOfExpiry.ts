// Events for nodes that Karpenter's expireAfter took although Lull held them, on the node and on its pool (N7).
import { forcedExpiries, sayForced } from './forcedExpiry.ts';
import type { About, Looking, Notice } from './notice.ts';

export function expiryNotices({ told, before }: Looking): Notice[] {
  if (!before) return [];
  return forcedExpiries(before.expiring, told.facts, told.round.at).flatMap((forced): Notice[] => {
    const uid = told.facts.cluster.pools.get(forced.pool)?.uid;
    const places: About[] = [
      { kind: 'Node', name: forced.node, uid: forced.uid },
      { kind: 'NodePool', name: forced.pool, ...(uid !== undefined && { uid }) },
    ];
    const shared = { reason: 'ForcedExpiry', message: `${sayForced(forced)}.`, key: forced.claim, weight: 3 } as const;
    return places.map((about) => ({ about, type: 'Warning', ...shared }));
  });
}
