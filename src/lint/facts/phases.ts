// At which hours of the year do which budgets of a pool hold together, and what follows for a reason then?
import type { Pool } from '../../cluster/model.ts';
import type { Reason } from '../../cluster/reason.ts';
import type { Settings } from '../../cluster/settings.ts';
import { isActive, limitAt } from '../../engine/limits/budgets.ts';
import { activeTopologyBudgets } from '../../engine/limits/domains.ts';
import { keep } from '../../time/bounded.ts';
import type { Instant } from '../../time/instant.ts';
import { cutAtChanges, joinTouching, type Span, yearAround } from './year.ts';

/** All hours at which the same budgets are active. */
export interface Phase {
  /** One instant of them, to ask the engine about. */
  readonly at: Instant;
  readonly spans: readonly Span[];
}

/** Pools are often written alike, and every rule asks: what was found for the same hours is found again. */
export function phasesOf(pool: Pool, now: Instant): readonly Phase[] {
  const key = JSON.stringify([now, pool.budgets.map(({ window }) => window?.text)]);
  return phases.get(key) ?? keep(phases, phasesKept, key, findPhases(pool, now));
}

const phases = new Map<string, readonly Phase[]>();
const phasesKept = 100;

function findPhases({ budgets }: Pool, now: Instant): Phase[] {
  const windows = budgets.flatMap(({ window }) => window ?? []);
  const alike = Map.groupBy(cutAtChanges([...new Set(windows)], yearAround(now)), ({ from }) =>
    budgets.map((budget) => (isActive(budget, from) ? '1' : '0')).join(''),
  );
  return [...alike.values()].map((spans) => ({ at: (spans[0] as Span).from, spans }));
}

/** More nodes than any pool has: what a percentage comes to that is above 0. */
const many = 1_000_000;

/** Whether any number of nodes may go for a reason at once: neither a flat nor a topology budget binds it. */
export const isUnlimited =
  (pool: Pool, { defaultBudgets: rule }: Settings) =>
  (reason: Reason, at: Instant): boolean =>
    limitAt({ pool, reason, counted: many, rule }, at).limit === undefined &&
    !(reason === 'Drifted' && activeTopologyBudgets(pool, at).length > 0);

/** Whether nothing may go for a reason, however large the pool. */
export const isFrozen =
  (pool: Pool, { defaultBudgets: rule }: Settings) =>
  (reason: Reason, at: Instant): boolean =>
    limitAt({ pool, reason, counted: many, rule }, at).limit === 0;

/** Reasons for which the same is so at the same hours. */
export interface SharedHours {
  readonly reasons: readonly Reason[];
  /** In order; those that touch are one. */
  readonly spans: readonly Span[];
  /** At all hours. */
  readonly always: boolean;
}

/** The hours at which something is so for a reason; reasons for which it never is are left out. */
export function hoursWhere(
  phases: readonly Phase[],
  reasons: readonly Reason[],
  isSo: (reason: Reason, at: Instant) => boolean,
): SharedHours[] {
  const found = reasons.map((reason) => ({ reason, its: phases.filter(({ at }) => isSo(reason, at)) }));
  const alike = Map.groupBy(found, ({ its }) => its.map(({ at }) => at).join());
  return [...alike.values()]
    .map((same) => ({ reasons: same.map(({ reason }) => reason), its: same[0]?.its ?? [] }))
    .filter(({ its }) => its.length > 0)
    .map(({ reasons, its }) => ({
      reasons,
      spans: joinTouching(its.flatMap(({ spans }) => spans)),
      always: its.length === phases.length,
    }));
}
