// What holds in a pool for each reason, hour by hour of the week? Worked out from all its budgets and windows together, not retold one by one.
import type { Budget, MaintenanceWindow, Pool } from '../../cluster/model.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import type { Settings } from '../../cluster/settings.ts';
import { isZero } from '../../engine/limits/budgets.ts';
import { karpenterReason, readingOf } from '../../engine/limits/karpenterBudgets.ts';
import { windowRules } from '../../engine/limits/poolHours.ts';
import { earliest, type Instant } from '../../time/instant.ts';
import { always, type Window } from '../../time/window.ts';
import type { Zone } from '../../time/zone.ts';
import { type Bound, boundsOf, closed, unify } from './bound.ts';
import { reachOf } from './reachOf.ts';
import { type Changing, type Segment, sameWeek, within } from './week.ts';
import { type Reach, ruling, weekly } from './windowsOver.ts';
import { isUsual, utc, zonesOf } from './windowWords.ts';
import { type Year, yearOf } from './year.ts';

export interface PoolParts {
  readonly pool: Pool;
  readonly reaches: readonly Reach[];
  readonly settings: Settings;
  readonly now: Instant;
  /** As which reason its budgets see it, where that is another one. */
  readonly asReason?: (reason: Reason) => Reason;
}

/** The same pool with the budgets that Karpenter enforces, as Karpenter reads them (N4). */
export const asKarpenterReads = (parts: PoolParts): PoolParts => ({
  ...parts,
  pool: readingOf(parts.pool),
  settings: { ...parts.settings, defaultBudgets: 'ceiling' },
  asReason: karpenterReason,
});

/** What holds instead while a budget is active that no hours of the week can tell: on the 1st of the month, every quarter of an hour. */
export interface Clause {
  readonly budget: Budget;
  /** Those hours of a week in which it may be active. */
  readonly week: readonly Segment<Bound>[];
}

export interface ReasonRule {
  readonly reason: Reason;
  readonly year: Year<Bound>;
  readonly clauses: readonly Clause[];
  /** The maintenance windows whose hours are part of it. */
  readonly windows: readonly MaintenanceWindow[];
  /** Those that hold some of its nodes, on dates, or to a number, which no hours of the pool can tell. */
  readonly further: readonly MaintenanceWindow[];
  /** As it really changes, with what comes on dates only. */
  readonly changing: Changing<Bound>;
}

export interface PoolRules {
  /** On whose clock all hours are told. */
  readonly zone: Zone;
  readonly rules: readonly ReasonRule[];
}

export function poolRules(parts: PoolParts): PoolRules {
  const zone = mostUsed([...new Set(windowsOf(parts))].flatMap(zonesOf));
  const one = unify();
  return { zone, rules: budgetReasons.map((reason) => reasonRule(parts, reason, { zone, one })) };
}

/** Every window that has a say by the hour. */
const windowsOf = ({ pool, reaches, now }: PoolParts): Window[] => [
  ...pool.budgets.flatMap(({ window }) => window ?? []),
  ...budgetReasons.flatMap((reason) => weekly(reaches, reason, now).map(({ window }) => window)),
];

function mostUsed(zones: readonly Zone[]): Zone {
  const groups = [...Map.groupBy(zones, ({ name }) => name).values()];
  const [most] = groups.toSorted((a, b) => b.length - a.length);
  return most?.[0] ?? utc;
}

interface Frame {
  readonly zone: Zone;
  readonly one: (bound: Bound) => Bound;
}

function reasonRule(parts: PoolParts, reason: Reason, frame: Frame): ReasonRule {
  const { pool, reaches, now } = parts;
  const windows = weekly(reaches, reason, now);
  const apart = pool.budgets.filter(({ window }) => window && !isUsual(window, now));
  const usual = pool.budgets.filter((budget) => !apart.includes(budget));
  const told = (budgets: readonly Budget[]): Changing<Bound> => changingOf(parts, reason, { frame, windows, budgets });
  const real = changingOf(parts, reason, { frame, windows: ruling(reaches, reason), budgets: pool.budgets });
  const weeks = (budgets: readonly Budget[]): Year<Bound> =>
    yearOf(told(budgets), zonesIn(budgets, windows, frame), now);
  const year = weeks(usual);
  const clauses = apart.flatMap((budget) => {
    const active = pool.budgets.flatMap((it) => (it === budget ? withoutWindow(it) : usual.includes(it) ? it : []));
    const reach = reachOf(budget.window ?? always, frame.zone, now);
    const week = within(weeks(active).usual, reach);
    return sameWeek(week, within(year.usual, reach)) ? [] : [{ budget, week }];
  });
  const further = reaches
    .map(({ window }) => window)
    .filter((window) => window.reasons.has(reason) && !(windows.includes(window) && isZero(window.nodes)));
  return { reason, year, clauses, windows, further, changing: real };
}

export function withoutWindow({ window: _, ...budget }: Budget): Budget {
  return budget;
}

function zonesIn(budgets: readonly Budget[], windows: readonly MaintenanceWindow[], { zone }: Frame): Zone[] {
  const zones = [...budgets, ...windows].flatMap(({ window }) => (window ? zonesOf(window) : []));
  return [...new Map([zone, ...zones].map((it) => [it.name, it])).values()];
}

/** The budgets given, and the hours of the windows, as one thing that changes. */
function changingOf(
  { pool, settings, asReason = (same) => same }: PoolParts,
  reason: Reason,
  { frame, windows, budgets }: { frame: Frame; windows: readonly MaintenanceWindow[]; budgets: readonly Budget[] },
): Changing<Bound> {
  const { hours } = windowRules(windows, reason);
  const bound = boundsOf({ pool: { ...pool, budgets }, reason: asReason(reason), rule: settings.defaultBudgets });
  const binding = budgets.filter(({ reasons }) => !reasons || reasons.has(asReason(reason)));
  const edges = [hours, ...binding.flatMap(({ window }) => window ?? [])];
  return {
    zone: frame.zone,
    stateAt: (at) => frame.one(hours.isOpen(at) ? bound(at) : closed),
    nextEdge: (at) => edges.map((edge) => edge.nextChange(at)).reduce(earliest),
  };
}
