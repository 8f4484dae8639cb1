// The effect of a pool's budgets hour by hour: which are active together, which decide, and when none does (C5).
import { memo } from '../../cluster/memo.ts';
import type { Budget, Pool } from '../../cluster/model.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import type { Settings } from '../../cluster/settings.ts';
import { activeTopologyBudgets } from '../../engine/limits/domains.ts';
import { isActive, isZero, limitAt } from '../../engine/rules/budgets.ts';
import { utc } from '../../explain/describeWindow.ts';
import type { Instant } from '../../time/instant.ts';
import { keepNewest } from '../../time/keepNewest.ts';
import { groupsOf } from '../../time/lists.ts';
import type { Zone } from '../../time/zone.ts';
import type { LintPolicy } from '../rule.ts';
import { reasonsOf } from './budgetText.ts';
import { cutAtChanges, joinTouching, type TimeSpan, yearAround } from './weeklyPattern.ts';
import type { WrittenBudget, WrittenPool } from './writtenPools.ts';

/** All hours at which the same budgets are active. */
export interface Phase {
  /** One instant of the phase, to query the engine with. */
  readonly at: Instant;
  readonly spans: readonly TimeSpan[];
}

/** Cached by schedules: many pools have the same ones, and every rule needs the phases. */
export function phasesOf(pool: Pool, now: Instant): readonly Phase[] {
  const key = JSON.stringify([now, pool.budgets.map(({ window }) => window?.text)]);
  return phases.get(key) ?? keepNewest(phases, phasesKept, key, findPhases(pool, now));
}

const phases = new Map<string, readonly Phase[]>();
const phasesKept = 100;

function findPhases({ budgets }: Pool, now: Instant): Phase[] {
  const windows = budgets.flatMap(({ window }) => window ?? []);
  return groupsOf(cutAtChanges([...new Set(windows)], yearAround(now)), ({ from }) =>
    budgets.map((budget) => (isActive(budget, from) ? '1' : '0')).join(''),
  ).map((spans) => ({ at: spans[0].from, spans }));
}

/** More nodes than any pool has, so that any percentage above 0 is at least one node. */
const many = 1_000_000;

/** Whether neither a flat nor a topology budget limits a reason. */
const isUnlimited =
  (pool: Pool, { defaultBudgets: rule }: Settings) =>
  (reason: Reason, at: Instant): boolean =>
    limitAt({ pool, reason, counted: many, rule }, at).limit === undefined &&
    !(reason === 'Drifted' && activeTopologyBudgets(pool, at).length > 0);

/** Whether the limit for a reason is 0, however large the pool is. */
export const isFrozen =
  (pool: Pool, { defaultBudgets: rule }: Settings) =>
  (reason: Reason, at: Instant): boolean =>
    limitAt({ pool, reason, counted: many, rule }, at).limit === 0;

/** Reasons for which a condition is true at the same hours. */
export interface SharedHours {
  readonly reasons: readonly Reason[];
  /** In order, touching ones joined. */
  readonly spans: readonly TimeSpan[];
  /** At all hours. */
  readonly always: boolean;
}

/** The hours at which a condition is true, by reason; without reasons for which it never is. */
export function hoursWhere(
  phases: readonly Phase[],
  reasons: readonly Reason[],
  isSo: (reason: Reason, at: Instant) => boolean,
): SharedHours[] {
  const found = reasons.map((reason) => ({ reason, its: phases.filter(({ at }) => isSo(reason, at)) }));
  return groupsOf(
    found.filter(({ its }) => its.length > 0),
    ({ its }) => its.map(({ at }) => at).join(),
  ).map((same) => ({
    reasons: same.map(({ reason }) => reason),
    spans: joinTouching(same[0].its.flatMap(({ spans }) => spans)),
    always: same[0].its.length === phases.length,
  }));
}

/** One reason in one phase. */
export interface BudgetCase {
  readonly reason: Reason;
  readonly at: Instant;
  /** The budgets that set the limit in a pool of some size. */
  readonly deciders: ReadonlySet<Budget>;
}

/** Pools with more phases are not checked: the combinations take too long. */
const mostPhases = 200;

/** Empty for pools with too many phases. */
export const casesOf = memo((pool: Pool, now: Instant, settings: Settings): readonly BudgetCase[] => {
  const phases = phasesOf(pool, now);
  return phases.length > mostPhases ? [] : phases.flatMap(({ at }) => casesAt(pool, at, settings));
});

function casesAt(pool: Pool, at: Instant, { defaultBudgets: rule }: Settings): BudgetCase[] {
  const sizes = sizesFor(pool.budgets);
  return budgetReasons.map((reason) => {
    const decided = sizes.map((counted) => limitAt({ pool, reason, counted, rule }, at).budget);
    return { reason, at, deciders: new Set(decided.filter((budget) => budget !== undefined)) };
  });
}

/** Pool sizes that cover every possible order of the budgets' amounts. */
export function sizesFor(budgets: readonly Budget[]): number[] {
  const counts = budgets.flatMap(({ nodes }) => ('count' in nodes ? [nodes.count] : []));
  const percents = budgets.flatMap(({ nodes }) => ('percent' in nodes && nodes.percent > 0 ? [nodes.percent] : []));
  const upTo100 = Array.from({ length: 100 }, (_, index) => index + 1);
  const edges = new Set(counts.flatMap((count) => percents.map((percent) => Math.floor((100 * count) / percent))));
  return [...new Set([...upTo100, ...[...edges].flatMap((edge) => [edge, edge + 1]), many])].filter((size) => size > 0);
}

/** Whether a budget applies to a reason in a phase: if it were smaller than all others, it would decide. */
export function applies(
  pool: Pool,
  { index, nodes }: Budget,
  { reason, at }: BudgetCase,
  { settings }: LintPolicy,
): boolean {
  // A freeze applies to every reason (C5), so it must remain one, and no other budget may become one.
  const budgets = pool.budgets.map((budget) => {
    if (budget.index === index) return isZero(nodes) ? budget : { ...budget, nodes: { count: -1 } };
    return isZero(nodes) ? { ...budget, nodes: { count: 1 } } : budget;
  });
  const query = { pool: { ...pool, budgets }, reason, counted: many, rule: settings.defaultBudgets };
  return limitAt(query, at).budget?.index === index;
}

export interface FrozenPool {
  /** The budget of 0 without reasons and without a schedule. */
  readonly zero: WrittenBudget;
  /** Budgets above 0 for some reasons, at all times. */
  readonly scoped: readonly WrittenBudget[];
  /** No budget of the pool is above 0. */
  readonly alone: boolean;
}

/** Undefined if no budget of 0 applies to all reasons at all times. */
export function frozenBy({ budgets }: WrittenPool): FrozenPool | undefined {
  const zero = budgets.find((written) => isAlwaysZero(written) && written.budget.reasons === undefined);
  if (!zero) return undefined;
  const above = budgets.filter(({ budget }) => !isZero(budget.nodes));
  const scoped = above.filter(
    ({ budget, scheduleKey }) =>
      budget.reasons !== undefined && budget.topologyKey === undefined && scheduleKey === undefined,
  );
  return { zero, scoped, alone: above.length === 0 };
}

/** A budget of 0 at all times, for the whole pool. */
export const isAlwaysZero = ({ budget: { nodes, topologyKey }, scheduleKey }: WrittenBudget): boolean =>
  isZero(nodes) && topologyKey === undefined && scheduleKey === undefined;

/** Scheduled budgets above 0 that never decide, because a budget of 0 without a schedule always does. */
export function shutWindows({ pool, budgets }: WrittenPool, policy: LintPolicy): WrittenBudget[] {
  const cases = casesOf(pool, policy.now, policy.settings);
  return budgets.filter(({ budget }) => {
    if (!budget.window || budget.topologyKey !== undefined || isZero(budget.nodes)) return false;
    const applicable = cases.filter((it) => applies(pool, budget, it, policy));
    const deciders = new Set(applicable.flatMap(({ deciders }) => [...deciders]));
    return (
      applicable.length > 0 &&
      [...deciders].every(({ nodes }) => isZero(nodes)) &&
      [...deciders].some(({ window }) => !window)
    );
  });
}

export interface UnlimitedHours extends SharedHours {
  /** Flat budgets for these reasons that apply only at some hours. */
  readonly scheduled: readonly WrittenBudget[];
  /** Some of these are freezes, so they are exceptions rather than limits. */
  readonly freezes: boolean;
  /** The time zone their author uses. */
  readonly zone: Zone;
}

/** The time zone of the first schedule among some budgets. */
export const zoneOf = (budgets: readonly WrittenBudget[]): Zone =>
  budgets.find(({ schedule }) => schedule)?.schedule?.cron.zone ?? utc;

export function unlimitedHours({ pool, budgets }: WrittenPool, { settings, now }: LintPolicy): UnlimitedHours[] {
  const shared = hoursWhere(phasesOf(pool, now), reasonsOf(pool, settings), isUnlimited(pool, settings));
  return shared.map((hours) => {
    const scheduled = budgets.filter((written) => written.schedule && isFor(written, hours.reasons));
    const freezes = scheduled.some(({ budget }) => isZero(budget.nodes));
    return { ...hours, scheduled, freezes, zone: zoneOf(scheduled.length > 0 ? scheduled : budgets) };
  });
}

export const isFor = ({ budget: { topologyKey, reasons } }: WrittenBudget, some: readonly Reason[]): boolean =>
  topologyKey === undefined && (reasons === undefined || some.some((reason) => reasons.has(reason)));
