// Expired: it is older than its claim allows (A4); beside Karpenter, whose own expiry nothing refuses, some time before (N7).
import type { Pool } from '../../cluster/model.ts';
import { createdAt, type NodeView } from '../../cluster/nodeView.ts';
import { after, asDuration, type Duration, type Instant } from '../../time/instant.ts';
import type { Situation } from '../situation.ts';
import { expireLead } from './expireLead.ts';
import type { WishRule } from './rule.ts';

export const expired: WishRule = (view, pool, situation) => {
  const lifetime = wishedLifetime(view, pool, situation);
  if (lifetime === undefined) return undefined;
  const since = createdAt(view);
  const arisesAt = after(since, lifetime);
  if (situation.now < arisesAt) return { arisesAt };
  const kind = situation.settings.expiration === 'forceful' ? 'forced' : 'eventual';
  return { wish: { view, ...(pool && { pool }), reason: 'Expired', kind, since, memory: [] } };
};

/** When Karpenter deletes it, whatever holds it (N7); undefined = never. */
export function hardExpiry(view: NodeView, pool: Pool | undefined): Instant | undefined {
  const lifetime = view.claim ? view.claim.spec.expireAfter : pool?.template.expireAfter;
  return lifetime === undefined || lifetime === 'Never' ? undefined : after(createdAt(view), lifetime);
}

/** How old it may grow before the wish arises; undefined = as old as it likes. */
function wishedLifetime(view: NodeView, pool: Pool | undefined, situation: Situation): Duration | undefined {
  const { role, expiration } = situation.settings;
  const hard = view.claim ? view.claim.spec.expireAfter : pool?.template.expireAfter;
  const early = pool?.expireEarlyAfter;
  if (early !== undefined && early !== 'Never' && (hard === undefined || hard === 'Never' || early < hard))
    return early;
  if (hard === undefined || hard === 'Never') return undefined;
  // Who only watches, or wants upstream's behaviour, has no deadline to stay ahead of.
  if (role === 'observe' || expiration === 'forceful' || !pool) return hard;
  return asDuration(hard - expireLead(pool, hard, createdAt(view), situation));
}
