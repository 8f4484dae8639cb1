// Describes a pool's policy: one sentence per group of reasons with the same rule, then notes.
import { emptyLedger } from '../cluster/ledger.ts';
import type { Budget, Pool } from '../cluster/model.ts';
import { compareText, isCounted, type NodeView } from '../cluster/nodeView.ts';
import { budgetReasons } from '../cluster/reason.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import { amountOf, isActive, isReadByKarpenter } from '../engine/rules/budgets.ts';
import { observe } from '../engine/situation.ts';
import { formatNodeCount } from '../kinds/read/reader.ts';
import { after, asInstant, before, day, earliest, type Instant } from '../time/instant.ts';
import { andList, count } from '../time/lists.ts';
import type { Zone } from '../time/zone.ts';
import { describeHeldNodes, describeLifetimes, describeOff } from './describeLifetime.ts';
import { describeRate, type PoolSize } from './describeLimit.ts';
import { describeReason, grouped, groupedByKarpenter, type ReasonGroup, wholeWeek } from './describeRule.ts';
import { describeEffect, describeWindow, isUsual, utc, zonesOf } from './describeWindow.ts';
import {
  asKarpenterReads,
  boundsOf,
  closed,
  keyOf,
  type NodeCap,
  type PoolParts,
  type PoolRules,
  poolRules,
  type ReasonRule,
  reachesOf,
  type WindowReach,
  withoutWindow,
} from './poolRule.ts';
import { clockPeriods, spansOf, week } from './week.ts';

export interface PolicyFacts {
  readonly cluster: Cluster;
  readonly settings: Settings;
  readonly now: Instant;
}

export interface PoolText {
  readonly name: string;
  /** The time zone of the hours. */
  readonly zone: Zone;
  readonly size: PoolSize;
  /** Why no node is disrupted for any reason but Interrupted; absent = nodes are. */
  readonly blocked?: string;
  readonly groups: readonly ReasonGroup[];
  /** Further notes, one sentence each. */
  readonly notes: readonly string[];
}

export function describePools(facts: PolicyFacts): PoolText[] {
  const { cluster, settings, now } = facts;
  const { tallies } = observe({ cluster, ledger: emptyLedger }, now, settings);
  return [...cluster.pools.values()]
    .sort((a, b) => compareText(a.name, b.name))
    .map((pool) => {
      const nodes = tallies.get(pool.name)?.nodes;
      return nodes
        ? describePool(pool, nodes, facts)
        : blockedPool(pool, 'is not governed by Lull (setting pools), so Lull disrupts none of its nodes.');
    });
}

function describePool(pool: Pool, nodes: readonly NodeView[], { cluster, settings, now }: PolicyFacts): PoolText {
  if (pool.fault)
    return blockedPool(
      pool,
      `is invalid, so only interrupted nodes are disrupted: ${pool.fault.path}: ${pool.fault.message}`,
    );
  // A window whose life has ended has no effect (D4).
  const windows = cluster.windows.filter(({ life }) => life.isOpen(now) || life.nextChange(now) !== undefined);
  const parts: PoolParts = { pool, reaches: reachesOf(pool, nodes, windows), settings, now };
  const { zone, rules } = poolRules(parts);
  const size = sizeOf(nodes.filter((view) => isCounted(view, settings)));
  const tell = ({ zone: clock, rules: its }: PoolRules) =>
    its.map((rule) =>
      describeReason(rule, describeOff(rule.reason, pool, nodes, settings), { zone: clock, size, now }),
    );
  const own = tell({ zone, rules });
  const theirs = isReadWhole(pool, settings) ? tell(poolRules(asKarpenterReads(parts))) : own;
  const [ownGroups, theirGroups] = [grouped(own), groupedByKarpenter(theirs, own)];
  const notes = [
    ...describeShared(ownGroups, size.counted),
    ...describeBudgets(parts),
    ...(theirGroups.length > 0 ? [bothHold] : []),
    ...describeLifetimes(pool, nodes, settings),
    ...describeFurtherWindows(parts, rules, nodes),
    ...describeHeldNodes(nodes, now),
  ];
  return { name: pool.name, zone, size, groups: [...ownGroups, ...theirGroups], notes };
}

/** Whether Karpenter can read all budgets of the pool: no older spellings, and not a Provisioner. */
const isReadWhole = (pool: Pool, settings: Settings): boolean =>
  isReadByKarpenter(pool, { settings }) &&
  !pool.provisioner &&
  (pool.budgetsFrom !== 'spec' || pool.karpenterBudgets.length === pool.budgets.length + pool.rates.length);

const bothHold =
  'The smaller limit of both readings applies. Karpenter handles Unhealthy, Expired and Rebalance as Drifted.';

/** An invalid pool (C8) or one that Lull does not govern: only Interrupted nodes are disrupted. */
const blockedPool = (pool: Pool, text: string): PoolText => ({
  name: pool.name,
  zone: utc,
  size: sizeOf([]),
  blocked: text,
  groups: grouped(budgetReasons.map((reason) => ({ reason, text, week: wholeWeek(closed) }))),
  notes: [],
});

function sizeOf(counted: readonly NodeView[]): PoolSize {
  return {
    counted: counted.length,
    domains: (topologyKey) => {
      const groups = Map.groupBy(counted, ({ node }) => node.labels[topologyKey]);
      return [...groups]
        .map(([name, its]) => [name, its.length] as const)
        .sort(([a = '\uffff'], [b = '\uffff']) => compareText(a, b));
    },
  };
}

const describeBudgets = (parts: PoolParts): string[] => [
  ...describeSource(parts.pool),
  ...parts.pool.rates.map((rate) => describeRate(rate, parts.now)),
  ...idleBudgets(parts).map((budget) => describeIdle(budget, parts)),
];

function describeSource({ budgets, rates, budgetsFrom, provisioner }: Pool): string[] {
  if (budgetsFrom === 'default')
    return [
      `There are no budgets${provisioner ? '' : ' in spec.disruption.budgets'}, so the default of 10% applies to every reason.`,
    ];
  const where = budgetsFrom === 'annotation' ? 'annotation lull.dev/budgets' : 'list of budgets';
  if (budgets.length + rates.length === 0) {
    const without =
      budgetsFrom === 'annotation' ? 'Without it, the budgets in the spec would apply' : 'Without it, 10% would apply';
    return [`The ${where} is empty, which sets no limit. ${without}.`];
  }
  return budgetsFrom === 'annotation'
    ? ['Lull reads the budgets in the annotation lull.dev/budgets, not those in the spec.']
    : [];
}

function describeIdle(budget: Budget, { now }: PoolParts): string {
  const { index, nodes, reasons, window, topologyKey } = budget;
  const forWhat = reasons ? ` for ${andList([...reasons])}` : '';
  const what = `budgets[${index}] (${formatNodeCount(nodes)}${forWhat}${window ? `, ${describeWindow(window, now)}` : ''})`;
  if (topologyKey !== undefined && reasons && !reasons.has('Drifted'))
    return `${what} has no effect: a budget with topologyKey applies only to Drifted.`;
  return `${what} has no effect: whenever it applies, another budget decides.`;
}

/** Budgets that can all be removed without any effect; of two equal ones the later. */
function idleBudgets(parts: PoolParts): readonly Budget[] {
  const { budgets } = parts.pool;
  if (budgets.length < 2) return [];
  let sets = activeSets(parts);
  const idle: Budget[] = [];
  for (const budget of budgets.toReversed()) {
    const without = sets.map((set) => set.filter((it) => it !== budget));
    // Its driftAfter and waves count, whichever budget decides the limit (P3, P7).
    if (budget.driftAfter !== undefined || budget.waves !== undefined || budget.haltAfter !== undefined) continue;
    const isIdle = sets.every((set, index) => !set.includes(budget) || isSame(set, without[index] ?? [], parts));
    if (!isIdle) continue;
    idle.unshift(budget);
    sets = without;
  }
  return idle;
}

/** Whether two sets of active budgets have the same effect for every reason. */
function isSame(a: readonly Budget[], b: readonly Budget[], { pool, settings, now }: PoolParts): boolean {
  return budgetReasons.every((reason) => {
    const [one, other] = [a, b].map((set) => {
      const query = { pool: { ...pool, budgets: set.map(withoutWindow) }, reason, rule: settings.defaultBudgets };
      return keyOf(boundsOf(query)(now));
    });
    return one === other;
  });
}

/** The sets of budgets that are active together at some time. A budget on dates may coincide with any of them. */
function activeSets({ pool, now }: PoolParts): (readonly Budget[])[] {
  const apart = pool.budgets.filter(({ window }) => window && !isUsual(window, now));
  const usual = pool.budgets.filter((budget) => !apart.includes(budget));
  const sets = new Map<string, readonly Budget[]>();
  for (const [start, end] of weeksPerPeriod(usual, now)) {
    for (const { from } of spansOf(changes(usual), start, end)) {
      const active = usual.filter((budget) => isActive(budget, from));
      for (const more of [[], ...apart.map((budget) => [budget])]) {
        const set = pool.budgets.filter((budget) => active.includes(budget) || more.includes(budget));
        sets.set(set.map(({ index }) => index).join(), set);
      }
    }
  }
  return [...sets.values()];
}

/** The set of active budgets as a state that changes over time. */
const changes = (budgets: readonly Budget[]) => ({
  zone: utc,
  stateAt: (at: Instant) =>
    budgets
      .filter((budget) => isActive(budget, at))
      .map(({ index }) => index)
      .join(),
  nextEdge: (at: Instant) => budgets.map(({ window }) => window?.nextChange(at)).reduce(earliest, undefined),
});

/** One week per setting of the clocks in the coming year, from the day before each change. */
const weeksPerPeriod = (budgets: readonly Budget[], now: Instant): [Instant, Instant][] =>
  clockPeriods(
    budgets.flatMap(({ window }) => (window ? zonesOf(window) : [])),
    now,
    asInstant(now + 53 * week),
  ).map(({ from }) => [before(from, day), after(from, week)]);

function describeFurtherWindows(
  { reaches, now }: PoolParts,
  rules: readonly ReasonRule[],
  nodes: readonly NodeView[],
): string[] {
  return reaches
    .filter(({ window }) => rules.some(({ further }) => further.includes(window)))
    .map((reach) => {
      const { window } = reach;
      const selected = nodes.filter((view) => view.windows.includes(window)).length;
      return `Also, window ${window.name} (${describeReach(reach, selected, nodes.length)}) ${describeEffect(window, selected, now)}.`;
    });
}

function describeReach({ whole }: WindowReach, selected: number, all: number): string {
  if (whole === undefined) return 'on those of its nodes that it selects';
  return whole ? 'on all its nodes' : `on ${selected} of ${count(all, 'node')}`;
}

/** Empty if all reasons have the same limit. */
function describeShared(groups: readonly ReasonGroup[], counted: number): string[] {
  const going = groups.filter(({ rule, week }) => rule && week.some(({ state }) => !state.closed));
  const caps = going.map((group) => leastOf(group, counted));
  const sizes = caps.map((cap) => sizeUnder(cap, counted));
  const smallest = Math.min(...sizes);
  const cap = caps[sizes.indexOf(smallest)];
  if (!cap || smallest === Math.max(...sizes)) return [];
  const waiting = going.filter((_, index) => sizes[index] === smallest).flatMap(({ reasons }) => reasons);
  const subject = andList(budgetReasons.filter((reason) => waiting.includes(reason)));
  const start = waiting.length === 1 ? 'starts' : 'start';
  return [
    `All reasons share one counter: ${subject} ${start} only while ${describeRoom(cap, counted)}, for any reason.`,
  ];
}

/** The smallest limit of the week, because that is when a reason has to wait; undefined without a limit. */
function leastOf({ week }: ReasonGroup, counted: number): NodeCap | undefined {
  const caps = week.map(({ state }) => state.cap).filter((cap) => cap !== undefined);
  return caps.toSorted((a, b) => sizeUnder(a, counted) - sizeUnder(b, counted))[0];
}

/** Assumes 100 nodes if there are none to count. */
function sizeUnder(cap: NodeCap | undefined, counted: number): number {
  if (!cap) return Infinity;
  const { count: most = Infinity, percent = 100 } = cap;
  return Math.min(most, amountOf({ percent }, counted || 100));
}

function describeRoom(cap: NodeCap, counted: number): string {
  const most = counted > 0 || cap.percent === undefined ? sizeUnder(cap, counted) : undefined;
  if (most === undefined) return `less than ${cap.percent}% of the pool is being disrupted or not Ready`;
  return most === 1
    ? 'no other node of the pool is being disrupted or not Ready'
    : `fewer than ${count(most, 'node')} of the pool are being disrupted or not Ready`;
}
