// Which nodes have a reason to be disrupted, and when the next reason arises by itself (A, A1).
import { memoUntil } from '../../cluster/memo.ts';
import type { Pool } from '../../cluster/model.ts';
import { taint } from '../../cluster/names.ts';
import type { NodeGroup } from '../../cluster/nodeGroups.ts';
import { conditionIsTrue, type NodeView, unreadySince } from '../../cluster/nodeView.ts';
import { consolidates } from '../../cluster/pool.ts';
import type { Settings } from '../../cluster/settings.ts';
import { after, earliest, type Instant } from '../../time/instant.ts';
import { compareReasons } from '../order.ts';
import { type EvaluationContext, isGoverned, type Situation } from '../situation.ts';
import { type Wish, type WishFinding, wishFor } from '../wish.ts';
import { drifted } from './drifted.ts';
import { expired } from './expired.ts';

/** Evaluates one reason for one node. */
type WishRule = (view: NodeView, pool: Pool | undefined, moment: EvaluationContext) => WishFinding;

/** The cloud will reclaim the node (A). No rule refuses this wish, but it is counted. */
const interrupted: WishRule = (view, pool) => (isInterrupted(view) ? wishFor(view, pool, 'Interrupted') : undefined);

export const isInterrupted = (view: NodeView): boolean =>
  hasTaint(view, taint.interruption) || conditionIsTrue(view, 'Interrupted');

/** The node has not been Ready for repairAfter (A, A5). */
const unhealthy: WishRule = (view, pool, { now, settings }) => {
  const repairAfter = pool?.repairAfter ?? settings.repairAfter;
  if (view.state.ready || repairAfter === 'Never') return undefined;
  const since = unreadySince(view);
  const arisesAt = after(since, repairAfter);
  return now < arisesAt ? { arisesAt } : wishFor(view, pool, 'Unhealthy', { since });
};

/** No pod would have to move. The gate NotStable holds the wish for consolidateAfter (A6). */
const empty: WishRule = (view, pool) => (view.reschedulable.length > 0 ? undefined : wishFor(view, pool, 'Empty'));

/** An annotation, a taint or a condition recommends moving off the node (A). */
const rebalance: WishRule = (view, pool) =>
  view.node.rules.rebalance === true || hasTaint(view, taint.rebalance) || conditionIsTrue(view, 'RebalanceRecommended')
    ? wishFor(view, pool, 'Rebalance')
    : undefined;

/** The pods might fit elsewhere. Placement decides that last; this only checks that the pool consolidates (A6). */
const underutilized: WishRule = (view, pool) =>
  pool && view.reschedulable.length > 0 && consolidates(pool, 'Underutilized')
    ? wishFor(view, pool, 'Underutilized')
    : undefined;

const hasTaint = ({ node }: NodeView, keys: readonly string[]): boolean =>
  node.taints.some(({ key }) => keys.includes(key));

/** In the order of F1, without Expired, whose instant depends on the whole pool (N7). */
const rules: readonly WishRule[] = [interrupted, unhealthy, empty, drifted, rebalance, underutilized];

export interface FoundWishes {
  /** Sorted by pool, node, and reason in the order of F1. */
  readonly wishes: readonly Wish[];
  /** The first instant at which another wish arises by time alone. */
  readonly arisesAt: Instant | undefined;
}

export function findWishes({ cluster, now, settings }: Situation): FoundWishes {
  const wishes: Wish[] = [];
  let arisesAt: Instant | undefined;
  for (const group of cluster.groups) {
    const pool = group.poolName === undefined ? undefined : cluster.pools.get(group.poolName);
    if (!group.managed || (pool && !isGoverned(pool, settings))) continue;
    const found = wishesIn(group, now, pool, settings);
    for (const wish of found.wishes) wishes.push(wish);
    arisesAt = earliest(arisesAt, found.arisesAt);
  }
  return { wishes, arisesAt };
}

/** The wishes of all nodes of a pool, cached until a node changes or another wish arises by time. */
const wishesIn = memoUntil((group: NodeGroup, now, pool: Pool | undefined, settings: Settings) => {
  const wishes: Wish[] = [];
  const moment = { group, now, settings };
  let arisesAt: Instant | undefined;
  for (const view of group.nodes) {
    const found = wishesOf(view, now, pool, settings);
    const expiry = expired(view, pool, moment);
    if (expiry && 'wish' in expiry) wishes.push(...insert(found.wishes, expiry.wish));
    else for (const wish of found.wishes) wishes.push(wish);
    arisesAt = earliest(arisesAt, found.arisesAt);
    if (expiry && 'arisesAt' in expiry) arisesAt = earliest(arisesAt, expiry.arisesAt);
  }
  return { value: { wishes, arisesAt }, until: arisesAt };
});

const insert = (wishes: readonly Wish[], wish: Wish): Wish[] =>
  [...wishes, wish].sort((a, b) => compareReasons(a.reason, b.reason));

const wishesOf = memoUntil((view: NodeView, now, pool: Pool | undefined, settings: Settings) => {
  const wishes: Wish[] = [];
  const moment = { now, settings };
  let arisesAt: Instant | undefined;
  for (const rule of rules) {
    const finding = rule(view, pool, moment);
    if (!finding) continue;
    if ('wish' in finding) wishes.push(finding.wish);
    arisesAt = earliest(arisesAt, finding.arisesAt);
  }
  return { value: { wishes, arisesAt }, until: arisesAt };
});
