// Rate limits of pools: how many nodes may begin to be disrupted in any period, by reason (P1).
import { memo } from '../../cluster/memo.ts';
import type { RateBudget } from '../../cluster/model.ts';
import { compareText } from '../../cluster/nodeView.ts';
import { any, not } from '../../time/combine.ts';
import { formatDuration } from '../../time/duration.ts';
import { earliest, type Instant } from '../../time/instant.ts';
import { lifetime } from '../../time/window.ts';
import { none, type Refusal } from '../refusal.ts';
import { amountOf, describeNodes, isActive, isZero, nameBudget } from '../rules/budgets.ts';
import type { TimeRule } from '../rules/timeRules.ts';
import type { PoolTally, Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { PeriodLimit } from './rate.ts';
import type { SharedLimit } from './sharedLimit.ts';
import { countOfPool, countsUntil, type StartCounts } from './startCounts.ts';

export interface RateLimit extends SharedLimit {
  /** The limits that are active now. */
  readonly active: readonly PeriodLimit[];
  /** When this wish may begin as far as rate limits that are spent decide. */
  rules(wish: Wish): readonly TimeRule[];
}

interface PoolRate {
  readonly budget: RateBudget;
  readonly rate: PeriodLimit;
  readonly isActive: boolean;
}

const noRules: readonly TimeRule[] = [];

export function openPoolRates(situation: Situation, starts: StartCounts): RateLimit {
  const pools = new Map<string, readonly PoolRate[]>();
  for (const tally of situation.tallies.values()) {
    const { name, rates } = tally.pool;
    if (rates.length > 0) pools.set(name, ratesOf(tally, starts, situation.now));
  }
  const over = ({ pool }: Wish): readonly PoolRate[] | undefined => pool && pools.get(pool.name);
  const count = (wish: Wish, change: 1 | -1): void => {
    if (needsUnit(wish)) for (const { rate } of over(wish) ?? []) rate.spend(change);
  };
  return {
    // By name: the order of the input does not matter (F2).
    active: [...pools]
      .sort(([a], [b]) => compareText(a, b))
      .flatMap(([, rates]) => rates.flatMap((it) => (it.isActive ? it.rate : []))),
    refuse: (wish) => {
      const refusing = over(wish)?.filter((it) => it.isActive && refuses(it, wish)) ?? [];
      return refusing.length === 0 ? none : refusing.map((it) => refusalBy(it, situation.now));
    },
    spend: (wish) => count(wish, 1),
    takeBack: (wish) => count(wish, -1),
    rules: (wish) => over(wish)?.flatMap((it) => ruleOf(it, wish, situation.now)) ?? noRules,
  };
}

/** Interruptions are not counted, nor are nodes that are not counted otherwise (C3). */
export const needsUnit = ({ reason, view }: Wish): boolean => reason !== 'Interrupted' && view.state.counted;

export function ratesOf({ pool, counted }: PoolTally, starts: StartCounts, now: Instant): readonly PoolRate[] {
  return pool.rates.map((budget) => {
    const terms = {
      name: nameBudget(budget, pool),
      owner: { kind: 'NodePool', name: pool.name, index: budget.index },
      per: budget.per,
      limit: amountOf(budget.nodes, counted),
      count: countOfPool(starts, pool.name),
      countsUntil: (start: Parameters<typeof countsUntil>[0]) => countsUntil(start, budget.per),
    };
    return { budget, rate: new PeriodLimit(terms, now), isActive: isActive(budget, now) };
  });
}

export const bindsReason = ({ reasons }: RateBudget, reason: Wish['reason']): boolean =>
  reasons === undefined || reasons.has(reason);

/** A limit of zero also holds nodes that are not counted: a freeze is a freeze (C5). */
const refuses = ({ budget, rate }: PoolRate, wish: Wish): boolean =>
  bindsReason(budget, wish.reason) && (needsUnit(wish) ? rate.isSpent() : isZero(budget.nodes));

function refusalBy({ budget, rate }: PoolRate, now: Instant): Refusal {
  const freeAt = rate.freeAt();
  // A wish that only lost the last unit to another one waits for that node, not for an instant.
  if (freeAt === now) return rate.refuse(undefined);
  return rate.refuse(earliest(freeAt, budget.window?.nextChange(now)));
}

/** A limit of zero is a rule of its own (timeRules), and one that nodes in flight use up does not depend on time alone. */
function ruleOf({ budget, rate }: PoolRate, wish: Wish, now: Instant): readonly TimeRule[] {
  if (wish.kind === 'forced' || !needsUnit(wish) || !bindsReason(budget, wish.reason)) return noRules;
  const freeAt = rate.freeAt();
  if (freeAt === undefined || freeAt === now) return noRules;
  return [ruleFrom(budget, freeAt, rate.terms.limit, rate.terms.owner.name)];
}

/** The same rule for the same budget, instant and limit, so that memos hit. */
const ruleFrom = memo((budget: RateBudget, at: Instant, limit: number, pool: string): TimeRule => {
  const which = nameBudget(budget, { name: pool });
  const free = lifetime(at, undefined);
  return {
    code: 'RateSpent',
    message: `${which} allows ${describeNodes(limit)} to begin in any ${formatDuration(budget.per)}`,
    closing: `the hours of ${which} start`,
    owner: { kind: 'NodePool', name: pool, index: budget.index },
    window: budget.window ? any([not(budget.window), free]) : free,
  };
});
