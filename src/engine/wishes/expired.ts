// Expired: the node is older than its claim allows (A4), or will be soon, to stay ahead of Karpenter's own expiry (N7).
import { memo } from '../../cluster/memo.ts';
import type { Pool } from '../../cluster/model.ts';
import type { NodeGroup } from '../../cluster/nodeGroups.ts';
import { createdAt, type NodeView } from '../../cluster/nodeView.ts';
import type { Settings } from '../../cluster/settings.ts';
import { after, asDuration, asInstant, type Duration, day, type Instant, minute } from '../../time/instant.ts';
import { opensAt, type Window } from '../../time/window.ts';
import { amountOf, isZero, limitAt } from '../rules/budgets.ts';
import { openByBudgets, openHours } from '../rules/openHours.ts';
import { countOf, type EvaluationContext } from '../situation.ts';
import { type WishFinding, wishFor } from '../wish.ts';

/** Includes the nodes of the pool, since the start of its roll depends on all of them. */
interface Ageing extends EvaluationContext {
  readonly group: NodeGroup;
}

export function expired(view: NodeView, pool: Pool | undefined, ageing: Ageing): WishFinding {
  const lifetime = wishedLifetime(view, pool, ageing);
  if (lifetime === undefined) return undefined;
  const arisesAt = after(createdAt(view), lifetime);
  if (ageing.now < arisesAt) return { arisesAt };
  const isForced = ageing.settings.expiration === 'forceful';
  return wishFor(view, pool, 'Expired', isForced ? { kind: 'forced' } : {});
}

const hardLifetime = (view: NodeView, pool: Pool | undefined): Duration | undefined => {
  const lifetime = view.claim ? view.claim.spec.expireAfter : pool?.template.expireAfter;
  return lifetime === 'Never' ? undefined : lifetime;
};

/** When Karpenter deletes the node regardless of any rule (N7); undefined = never. */
export function hardExpiry(view: NodeView, pool: Pool | undefined): Instant | undefined {
  const lifetime = hardLifetime(view, pool);
  return lifetime === undefined ? undefined : after(createdAt(view), lifetime);
}

/** The age at which the wish arises; undefined = never. */
function wishedLifetime(view: NodeView, pool: Pool | undefined, ageing: Ageing): Duration | undefined {
  const { role, expiration } = ageing.settings;
  const hard = hardLifetime(view, pool);
  const early = pool?.expireEarlyAfter;
  if (early !== undefined && early !== 'Never' && (hard === undefined || early < hard)) return early;
  // In observe, and with forceful expiration as in Karpenter, no lead is needed.
  if (hard === undefined || role === 'observe' || expiration === 'forceful' || !pool) return hard;
  return asDuration(hard - expireLead(pool, hard, createdAt(view), ageing));
}

/** A typical time from launch to Initialized. */
export const assumedReplacementTime = asDuration(5 * minute);
const leastShare = 0.1;
const mostShare = 0.5;

type RollContext = Pick<Ageing, 'group' | 'settings'>;

/** How long before Karpenter's hard expiry a pool must begin to roll its old nodes (N7). */
export function expireLead(pool: Pool, lifetime: Duration, born: Instant, { group, settings }: RollContext): Duration {
  const { expireLead: setting, defaultBudgets } = settings;
  if (setting !== 'auto') return asDuration(Math.min(setting, lifetime * mostShare));
  const start = asInstant(Math.floor(born / monthly) * monthly);
  const needed = longestClosed(hoursOf(group, pool), start, lifetime) + rollingTime(group, pool, start, defaultBudgets);
  return asDuration(Math.round(Math.min(Math.max(needed, lifetime * leastShare), lifetime * mostShare)));
}

const hoursOf = memo(({ nodes }: NodeGroup, pool: Pool): Window => openHours(pool, nodes, 'Expired'));

/** Computed once a month: the same for all claims created in that month, and constant over the life of a claim. */
const monthly = 30 * day;
/** Far enough to include two openings of a monthly window. */
const leastHorizon = 62 * day;
/** The number of cached results: nodes created in the same month share one. */
const monthsKept = 100;

/** Pool size ÷ limit × replacement time, or what the rate limits need for all its nodes (P1), whichever is longer. */
const rollingTime = memo((group: NodeGroup, pool: Pool, start: Instant, rule: Settings['defaultBudgets']): number => {
  const { counted } = countOf(group);
  const at = opensAt(openByBudgets(pool, 'Expired'), start) ?? start;
  const { limit = counted } = limitAt({ pool, reason: 'Expired', counted, rule }, at);
  const rates = pool.rates.filter(({ nodes, reasons }) => !isZero(nodes) && (reasons?.has('Expired') ?? true));
  const periods = rates.map(({ nodes, per }) => Math.ceil(counted / Math.max(amountOf(nodes, counted), 1)) * per);
  return Math.max(Math.ceil(counted / Math.max(limit, 1)) * assumedReplacementTime, ...periods);
}, monthsKept);

const longestClosed = memo((open: Window, start: Instant, lifetime: Duration): number => {
  const end = after(start, asDuration(Math.max(lifetime, leastHorizon)));
  let longest = 0;
  for (let at: Instant | undefined = start; at !== undefined && at < end; ) {
    const change: Instant | undefined = open.nextChange(at);
    // A closed period counts in full, even if it begins before or ends after the range.
    if (!open.isOpen(at)) longest = Math.max(longest, (change ?? end) - (open.lastChange(at) ?? at));
    at = change;
  }
  return longest;
}, monthsKept);
