// The limit of each reason in a pool, hour by hour of the week, from all its budgets and windows together.
import type { Budget, MaintenanceWindow, NodeCount, Pool } from '../cluster/model.ts';
import { label } from '../cluster/names.ts';
import type { NodeView } from '../cluster/nodeView.ts';
import { budgetReasons, type Reason } from '../cluster/reason.ts';
import { matchesAll, type TextMap } from '../cluster/selector.ts';
import type { Settings } from '../cluster/settings.ts';
import { activeTopologyBudgets } from '../engine/limits/domains.ts';
import { isZero, karpenterReason, limitAt, readingOf } from '../engine/rules/budgets.ts';
import { windowRules } from '../engine/rules/openHours.ts';
import { earliest, type Instant } from '../time/instant.ts';
import { always, type Window } from '../time/window.ts';
import type { Zone } from '../time/zone.ts';
import { isUsual, utc, zonesOf } from './describeWindow.ts';
import { type Changing, reachOf, type Segment, sameWeek, within, type Year, yearOf } from './week.ts';

export interface PoolParts {
  readonly pool: Pool;
  readonly reaches: readonly WindowReach[];
  readonly settings: Settings;
  readonly now: Instant;
  /** Maps a reason to the one that budgets apply to it; absent = the same. */
  readonly asReason?: (reason: Reason) => Reason;
}

/** The same pool with the budgets that Karpenter enforces, as Karpenter reads them (N4). */
export const asKarpenterReads = (parts: PoolParts): PoolParts => ({
  ...parts,
  pool: readingOf(parts.pool),
  settings: { ...parts.settings, defaultBudgets: 'ceiling' },
  asReason: karpenterReason,
});

/** The effect of a budget that has no weekly hours: on the 1st of the month, every quarter of an hour. */
export interface IrregularBudget {
  readonly budget: Budget;
  /** The limits while it is active, for the hours of a week in which it may be. */
  readonly week: readonly Segment<Bound>[];
}

export interface ReasonRule {
  readonly reason: Reason;
  readonly year: Year<Bound>;
  readonly clauses: readonly IrregularBudget[];
  /** The maintenance windows whose hours are included. */
  readonly windows: readonly MaintenanceWindow[];
  /** Windows that are not included: for some of the nodes, on dates, or with a node cap. */
  readonly further: readonly MaintenanceWindow[];
  /** The real state over time, including dates. */
  readonly changing: Changing<Bound>;
}

export interface PoolRules {
  /** The time zone of all hours. */
  readonly zone: Zone;
  readonly rules: readonly ReasonRule[];
}

export function poolRules(parts: PoolParts): PoolRules {
  const zone = mostUsed([...new Set(windowsOf(parts))].flatMap(zonesOf));
  const one = unify();
  return { zone, rules: budgetReasons.map((reason) => reasonRule(parts, reason, { zone, one })) };
}

/** All windows that affect the hours. */
const windowsOf = ({ pool, reaches, now }: PoolParts): Window[] => [
  ...pool.budgets.flatMap(({ window }) => window ?? []),
  ...budgetReasons.flatMap((reason) => weekly(reaches, reason, now).map(({ window }) => window)),
];

function mostUsed(zones: readonly Zone[]): Zone {
  const groups = [...Map.groupBy(zones, ({ name }) => name).values()];
  const [most] = groups.toSorted((a, b) => b.length - a.length);
  return most?.[0] ?? utc;
}

interface RuleFrame {
  readonly zone: Zone;
  readonly one: (bound: Bound) => Bound;
}

function reasonRule(parts: PoolParts, reason: Reason, frame: RuleFrame): ReasonRule {
  const { pool, reaches, now } = parts;
  const windows = weekly(reaches, reason, now);
  const apart = pool.budgets.filter(({ window }) => window && !isUsual(window, now));
  const usual = pool.budgets.filter((budget) => !apart.includes(budget));
  const regular = (budgets: readonly Budget[]): Changing<Bound> =>
    changingOf(parts, reason, { frame, windows, budgets });
  const real = changingOf(parts, reason, { frame, windows: ruling(reaches, reason), budgets: pool.budgets });
  const weeks = (budgets: readonly Budget[]): Year<Bound> =>
    yearOf(regular(budgets), zonesIn(budgets, windows, frame), now);
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

function zonesIn(budgets: readonly Budget[], windows: readonly MaintenanceWindow[], { zone }: RuleFrame): Zone[] {
  const zones = [...budgets, ...windows].flatMap(({ window }) => (window ? zonesOf(window) : []));
  return [...new Map([zone, ...zones].map((it) => [it.name, it])).values()];
}

/** The budgets and the hours of the windows as one state that changes over time. */
function changingOf(
  { pool, settings, asReason = (same) => same }: PoolParts,
  reason: Reason,
  { frame, windows, budgets }: { frame: RuleFrame; windows: readonly MaintenanceWindow[]; budgets: readonly Budget[] },
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

/** If both are present, both apply: which is smaller depends on the size of the pool. */
export interface NodeCap {
  readonly count?: number;
  readonly percent?: number;
}

export interface Bound {
  /** No node may be disrupted. */
  readonly closed: boolean;
  /** Absent = no limit. */
  readonly cap?: NodeCap;
  /** Topology budgets, which limit drift in each domain besides (C9). */
  readonly domains: readonly Budget[];
}

export interface BoundQuery {
  readonly pool: Pool;
  readonly reason: Reason;
  readonly rule: Settings['defaultBudgets'];
}

export const closed: Bound = { closed: true, domains: [] };

/** The size at which percentages equal node counts. */
const hundred = 100;

export function boundsOf({ pool, reason, rule }: BoundQuery): (at: Instant) => Bound {
  // With each of these pools, the engine's rules (C5) yield the smallest limit of one kind and ignore the other kind.
  const counts = withOnly(pool, ({ nodes }) => 'count' in nodes);
  const percents = withOnly(pool, ({ nodes }) => 'percent' in nodes);
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

/** The other budgets stay, because they decide which reasons are named (C5), but are never the smallest. 0 counts as either kind. */
function withOnly(pool: Pool, isKept: (budget: Budget) => boolean): Pool {
  const budgets = pool.budgets.map((budget) =>
    isKept(budget) || isZero(budget.nodes) ? budget : { ...budget, nodes: beyondAll },
  );
  return { ...pool, budgets };
}

function capOf(count = Infinity, percent = Infinity): NodeCap | undefined {
  // A percentage is at least one node, and 100% means no limit beside a number.
  const [few, share] = [count === Infinity ? {} : { count }, percent === Infinity ? {} : { percent }];
  if (count === 1 || (percent === hundred && count < Infinity)) return few;
  return count === Infinity && percent === Infinity ? undefined : { ...few, ...share };
}

/** Equal for equal bounds. */
export const keyOf = ({ closed: isClosed, cap, domains }: Bound): string =>
  JSON.stringify([isClosed, cap, domains.map(({ index }) => index)]);

/** Returns one object for all equal bounds, so that weeks can be compared by identity. */
function unify(): (bound: Bound) => Bound {
  const known = new Map<string, Bound>();
  return (bound) => {
    const key = keyOf(bound);
    const same = known.get(key) ?? bound;
    known.set(key, same);
    return same;
  };
}

/** The nodes of a pool that a window selects. */
export interface WindowReach {
  readonly window: MaintenanceWindow;
  /** Whether it selects every node of the pool; undefined if that is unknown without nodes. */
  readonly whole: boolean | undefined;
}

/** The windows that select nodes of the pool, or the nodes it would create if it has none. */
export function reachesOf(
  pool: Pool,
  nodes: readonly NodeView[],
  windows: readonly MaintenanceWindow[],
): WindowReach[] {
  return windows.flatMap((window) => {
    const whole = nodes.length > 0 ? shareOf(window, nodes) : selectsFuture(pool, window);
    return whole === 'none' ? [] : [{ window, whole }];
  });
}

function shareOf(window: MaintenanceWindow, nodes: readonly NodeView[]): boolean | 'none' {
  const selected = nodes.filter((view) => view.windows.includes(window)).length;
  return selected === 0 ? 'none' : selected === nodes.length;
}

function selectsFuture(pool: Pool, { selector = [] }: MaintenanceWindow): true | undefined | 'none' {
  const labels: TextMap = { ...pool.template.labels, [pool.provisioner ? label.provisioner : label.pool]: pool.name };
  const known = selector.filter(({ key }) => labels[key] !== undefined);
  if (!matchesAll(known, labels)) return 'none';
  return known.length === selector.length ? true : undefined;
}

/** The windows that apply to all nodes of the pool for a reason and have no node cap. */
const ruling = (reaches: readonly WindowReach[], reason: Reason): MaintenanceWindow[] =>
  rulingAmong(reaches, reason, () => true);

/** Those of them whose hours are the same every week. */
const weekly = (reaches: readonly WindowReach[], reason: Reason, now: Instant): MaintenanceWindow[] =>
  rulingAmong(reaches, reason, ({ life, window }) => life === always && isUsual(window, now));

function rulingAmong(
  reaches: readonly WindowReach[],
  reason: Reason,
  isIncluded: (window: MaintenanceWindow) => boolean,
): MaintenanceWindow[] {
  const mine = reaches.filter(({ window }) => window.reasons.has(reason));
  const plain = mine.filter(({ window, whole }) => whole && isIncluded(window));
  const allows = mine.filter(({ window }) => window.mode === 'Allow');
  // Any open Allow window allows (D3), so include them all or none.
  const allAllows = allows.every((reach) => plain.includes(reach));
  return plain
    .map(({ window }) => window)
    .filter(({ mode, nodes }) => (mode === 'Allow' ? allAllows : mode === 'Block' && isZero(nodes)));
}
