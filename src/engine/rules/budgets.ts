// Pool budgets: how many nodes may be disrupted at a time for a reason, by Lull's reading (C1–C6) and by Karpenter's (N4).
import { memo, memoUntil } from '../../cluster/memo.ts';
import type { Budget, NodeCount, Pool } from '../../cluster/model.ts';
import type { Reason } from '../../cluster/reason.ts';
import { isBesideKarpenter, type Settings } from '../../cluster/settings.ts';
import { earliest, type Instant } from '../../time/instant.ts';
import { count } from '../../time/lists.ts';
import { asKarpenterCounts, type PoolTally, type Situation } from '../situation.ts';

export interface LimitQuery {
  readonly pool: Pool;
  readonly reason: Reason;
  /** The number of nodes that percentages refer to (C3). */
  readonly counted: number;
  readonly rule: Settings['defaultBudgets'];
}

/** No `limit` = unlimited. `budget` is the first one with the lowest limit. */
export interface Limit {
  readonly limit?: number;
  readonly budget?: Budget;
}

/** Percentages are rounded up: 1 % of one node is one node. */
export const amountOf = (nodes: NodeCount, of: number): number =>
  'count' in nodes ? nodes.count : Math.ceil((nodes.percent * of) / 100);

/** `10%`, `2`. */
export const formatNodeCount = (nodes: NodeCount): string =>
  'count' in nodes ? String(nodes.count) : `${nodes.percent}%`;

/** `budgets[0] of pool web` */
export const nameBudget = (budget: Pick<Budget, 'index'> | undefined, { name }: Pick<Pool, 'name'>): string =>
  budget ? `budgets[${budget.index}] of pool ${name}` : `the budgets of pool ${name}`;

/** `no node`, `1 node`, `3 nodes` */
export const describeNodes = (nodes: number): string => (nodes === 0 ? 'no node' : count(nodes, 'node'));

export const isZero = (nodes: NodeCount): boolean => ('count' in nodes ? nodes.count : nodes.percent) === 0;

export const isActive = (budget: Budget, at: Instant): boolean =>
  budget.window === undefined || budget.window.isOpen(at);

/** Budgets that name the reason, and budgets without reasons: these apply if no active budget names the reason, or as a ceiling (C5). */
export function limitAt({ pool, reason, counted, rule }: LimitQuery, at: Instant): Limit {
  const active = pool.budgets.filter((budget) => budget.topologyKey === undefined && isActive(budget, at));
  const named = active.filter((budget) => budget.reasons?.has(reason));
  const unnamed = active.filter((budget) => budget.reasons === undefined);
  // A budget of zero without reasons also applies to reasons that other budgets name.
  const others = rule === 'ceiling' || named.length === 0 ? unnamed : unnamed.filter(({ nodes }) => isZero(nodes));
  return leastOf([...named, ...others], counted);
}

export function leastOf(budgets: readonly Budget[], counted: number): Limit {
  let least: Limit = {};
  for (const budget of budgets) {
    const limit = amountOf(budget.nodes, counted);
    if (least.limit === undefined || limit < least.limit || (limit === least.limit && isBefore(budget, least.budget))) {
      least = { limit, budget };
    }
  }
  return least;
}

const isBefore = (a: Budget, b: Budget | undefined): boolean => b === undefined || a.index < b.index;

/** When the limit's value next changes by time alone. */
export const nextLimitChange = ({ pool, reason, counted, rule }: LimitQuery, at: Instant): Instant | undefined =>
  instantOf(pool, at, [reason, counted, rule, 'another limit']);

/** When the limit is at least `needs`, or there is none. */
export const limitReaches = (
  needs: number,
  { pool, reason, counted, rule }: LimitQuery,
  at: Instant,
): Instant | undefined => instantOf(pool, at, [reason, counted, rule, needs]);

type Question = readonly [Reason, counted: number, rule: LimitQuery['rule'], wanted: number | 'another limit'];

/** Cached: computed for every reason in every round, and constant between two edges of the pool's budgets. */
const instantOf = memoUntil((pool: Pool, at, [reason, counted, rule, wanted]: Question) => {
  const query = { pool, reason, counted, rule };
  const { limit: now } = limitAt(query, at);
  const isWanted = ({ limit }: Limit): boolean =>
    wanted === 'another limit' ? limit !== now : limit === undefined || limit >= wanted;
  return { value: firstLimit(query, at, isWanted), until: nextEdge(query, at) };
}, 32);

/** How many edges to search for a change of the limit: half a year of a daily schedule. */
const maxEdges = 400;

/** The first instant after `at` at which the limit satisfies `wanted`; undefined = none found. */
function firstLimit(query: LimitQuery, at: Instant, wanted: (limit: Limit) => boolean): Instant | undefined {
  let from = nextEdge(query, at);
  for (let edges = 0; from !== undefined && edges < maxEdges; edges++) {
    if (wanted(limitAt(query, from))) return from;
    from = nextEdge(query, from);
  }
  return undefined;
}

/** When a budget that may apply to the reason next opens or closes. */
function nextEdge({ pool, reason }: LimitQuery, at: Instant): Instant | undefined {
  let next: Instant | undefined;
  for (const { window, topologyKey, reasons } of pool.budgets) {
    if (!window || topologyKey !== undefined || (reasons && !reasons.has(reason))) continue;
    next = earliest(next, window.nextChange(at));
  }
  return next;
}

/** The reason as Karpenter sees it: reasons that it does not know are nudged as drift (N6). */
export const karpenterReason = (reason: Reason): Reason =>
  reason === 'Empty' || reason === 'Underutilized' ? reason : 'Drifted';

/**
 * Whether Karpenter enforces the budgets in the pool's spec. Budgets that it cannot read as written (a topology, a time zone) are for
 * drive: guide refuses such a pool (PoolFault), and observe shows Lull's own reading.
 */
export const isReadByKarpenter = ({ karpenterFault }: Pool, { settings }: Pick<Situation, 'settings'>): boolean =>
  isBesideKarpenter(settings) && karpenterFault === undefined;

/** Karpenter's own limit of nodes at a time. */
export const karpenterLimit = (tally: PoolTally, reason: Reason, { now }: Pick<Situation, 'now'>): Limit =>
  limitAt(asKarpenter(tally, reason), now);

/** The pool with the budgets that Karpenter reads: the same object for the same pool, so that memos hit. */
export const readingOf = memo((pool: Pool): Pool => ({ ...pool, budgets: pool.karpenterBudgets }));

export const asKarpenter = (tally: PoolTally, reason: Reason): LimitQuery => ({
  pool: readingOf(tally.pool),
  reason: karpenterReason(reason),
  counted: asKarpenterCounts(tally).counted,
  rule: 'ceiling',
});
