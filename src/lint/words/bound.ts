// How far may a pool go for a reason at an instant? Asked of the engine, and kept as written: `10%` stays a percentage.
import type { Budget, NodeCount, Pool } from '../../cluster/model.ts';
import type { Reason } from '../../cluster/reason.ts';
import type { Settings } from '../../cluster/settings.ts';
import { isZero, limitAt } from '../../engine/limits/budgets.ts';
import { activeTopologyBudgets } from '../../engine/limits/domains.ts';
import type { Instant } from '../../time/instant.ts';

/** Where both are there, both hold: which is the smaller hangs on the size of the pool. */
export interface Cap {
  readonly count?: number;
  readonly percent?: number;
}

export interface Bound {
  /** Nothing goes. */
  readonly closed: boolean;
  /** Absent = no limit. */
  readonly cap?: Cap;
  /** C9: what binds drift in each domain beside that. */
  readonly domains: readonly Budget[];
}

export interface BoundQuery {
  readonly pool: Pool;
  readonly reason: Reason;
  readonly rule: Settings['defaultBudgets'];
}

export const closed: Bound = { closed: true, domains: [] };

/** Of a hundred nodes, so many percent are so many. */
const hundred = 100;

export function boundsOf({ pool, reason, rule }: BoundQuery): (at: Instant) => Bound {
  // Seen through each of these, the engine's own reading of C5 gives the least of one sort and leaves the other out of account.
  const counts = seenThrough(pool, ({ nodes }) => 'count' in nodes);
  const percents = seenThrough(pool, ({ nodes }) => 'percent' in nodes);
  return (at) => {
    const count = limitAt({ pool: counts, reason, counted: hundred, rule }, at).limit;
    const percent = limitAt({ pool: percents, reason, counted: hundred, rule }, at).limit;
    const domains = reason === 'Drifted' ? activeTopologyBudgets(pool, at) : [];
    if (count === 0 || percent === 0 || domains.some(({ nodes }) => isZero(nodes))) return closed;
    const cap = capOf(count, percent);
    return { closed: false, ...(cap && { cap }), domains };
  };
}

const beyondAll: NodeCount = { count: Infinity };

/** The other budgets stay, since they decide who is named (C5), but never are the least. Zero is zero in any sort. */
function seenThrough(pool: Pool, isMeant: (budget: Budget) => boolean): Pool {
  const budgets = pool.budgets.map((budget) =>
    isMeant(budget) || isZero(budget.nodes) ? budget : { ...budget, nodes: beyondAll },
  );
  return { ...pool, budgets };
}

function capOf(count = Infinity, percent = Infinity): Cap | undefined {
  // A percentage rounds up to one node at least, and all nodes are no limit beside a number.
  const [few, share] = [count === Infinity ? {} : { count }, percent === Infinity ? {} : { percent }];
  if (count === 1 || (percent === hundred && count < Infinity)) return few;
  return count === Infinity && percent === Infinity ? undefined : { ...few, ...share };
}

/** Alike for bounds that are alike. */
export const keyOf = ({ closed: isClosed, cap, domains }: Bound): string =>
  JSON.stringify([isClosed, cap, domains.map(({ index }) => index)]);

/** One object for all that are alike, so that weeks of them can be compared. */
export function unify(): (bound: Bound) => Bound {
  const known = new Map<string, Bound>();
  return (bound) => {
    const key = keyOf(bound);
    const same = known.get(key) ?? bound;
    known.set(key, same);
    return same;
  };
}
