// How many nodes of a pool may be gone at once for a reason (C1–C6)?
import type { Budget, NodeCount, Pool } from '../../cluster/model.ts';
import type { Reason } from '../../cluster/reason.ts';
import type { Settings } from '../../cluster/settings.ts';
import { earliest, type Instant } from '../../time/instant.ts';

export interface LimitQuery {
  readonly pool: Pool;
  readonly reason: Reason;
  /** What percentages are of (C3). */
  readonly counted: number;
  readonly rule: Settings['defaultBudgets'];
}

/** No limit = no cap. The decisive budget is the first of the least. */
export interface Limit {
  readonly limit?: number;
  readonly budget?: Budget;
}

/** Percentages round up: 1 % of one node is one node. */
export const amountOf = (nodes: NodeCount, of: number): number =>
  'count' in nodes ? nodes.count : Math.ceil((nodes.percent * of) / 100);

export const isZero = (nodes: NodeCount): boolean => ('count' in nodes ? nodes.count : nodes.percent) === 0;

export const isActive = (budget: Budget, at: Instant): boolean =>
  budget.window === undefined || budget.window.isOpen(at);

/** C5. */
export function limitAt({ pool, reason, counted, rule }: LimitQuery, at: Instant): Limit {
  const active = pool.budgets.filter((budget) => budget.topologyKey === undefined && isActive(budget, at));
  const named = active.filter((budget) => budget.reasons?.has(reason));
  const unnamed = active.filter((budget) => budget.reasons === undefined);
  // A freeze is a freeze: zero without reasons binds those that are named elsewhere too.
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
export const nextLimitChange = (query: LimitQuery, at: Instant): Instant | undefined =>
  remembered(query, at, 'change', () => {
    const { limit } = limitAt(query, at);
    return firstLimit(query, at, (later) => later.limit !== limit);
  });

/** When the limit is at least so high, or there is none. */
export const limitReaches = (needs: number, query: LimitQuery, at: Instant): Instant | undefined =>
  remembered(query, at, String(needs), () =>
    firstLimit(query, at, ({ limit }) => limit === undefined || limit >= needs),
  );

/** How far ahead a change of the limit is looked for: a daily schedule is followed for half a year. */
const maxEdges = 400;

/** The first instant after `at` from which the limit is such as asked for; undefined = none in sight. */
function firstLimit(query: LimitQuery, at: Instant, wanted: (limit: Limit) => boolean): Instant | undefined {
  let from = nextEdge(query, at);
  for (let edges = 0; from !== undefined && edges < maxEdges; edges++) {
    if (wanted(limitAt(query, from))) return from;
    from = nextEdge(query, from);
  }
  return undefined;
}

/** When some budget that may bind the reason next opens or closes. */
function nextEdge({ pool, reason }: LimitQuery, at: Instant): Instant | undefined {
  let next: Instant | undefined;
  for (const { window, topologyKey, reasons } of pool.budgets) {
    if (!window || topologyKey !== undefined || (reasons && !reasons.has(reason))) continue;
    next = earliest(next, window.nextChange(at));
  }
  return next;
}

interface Answer {
  readonly edge: Instant;
  readonly found: Instant | undefined;
}

const answers = new WeakMap<Pool, Map<string, Answer>>();

/** Asked in every round. Between two edges nothing moves: whoever asks there gets the same answer, so remembering it changes none. */
function remembered(
  query: LimitQuery,
  at: Instant,
  question: string,
  work: () => Instant | undefined,
): Instant | undefined {
  const edge = nextEdge(query, at);
  if (edge === undefined) return undefined;
  const known = answers.get(query.pool) ?? new Map<string, Answer>();
  answers.set(query.pool, known);
  const key = `${query.reason} ${query.counted} ${query.rule} ${question}`;
  const last = known.get(key);
  if (last?.edge === edge) return last.found;
  const found = work();
  known.set(key, { edge, found });
  return found;
}
