// The report of a round: verdicts, commands, actions, allowances, domains, windows, pods and faults (L2).
import type { Fault } from '../../cluster/fault.ts';
import type { Command } from '../../cluster/ledger.ts';
import { memo } from '../../cluster/memo.ts';
import type { NodeGroup } from '../../cluster/nodeGroups.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import { faultOf } from '../../cluster/pool.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import { after, asDuration, type Instant, second } from '../../time/instant.ts';
import { leftMarks } from '../commands/keepParked.ts';
import { isParked, isUsersOwn } from '../commands/marks.ts';
import { isTaken } from '../commands/step.ts';
import type { Decision } from '../decision.ts';
import { podsReadStrictly } from '../gates/karpenterReads.ts';
import { findInterruptions } from '../interruptions.ts';
import type { Domain } from '../limits/domains.ts';
import { consumedFor, limitQuery } from '../limits/poolBudgets.ts';
import type { PoolDomains, TopologyLimits } from '../limits/topologyLimits.ts';
import type { Refusal, RefusalCode } from '../refusal.ts';
import { limitAt, nextLimitChange } from '../rules/budgets.ts';
import { activeHours, windowRules } from '../rules/openHours.ts';
import { podsAgreeAt } from '../rules/podRules.ts';
import type { PoolTally, Situation } from '../situation.ts';
import type { Allowance, DomainReport, PodReport, PoolParking, Round, Verdict, WindowReport } from '../verdict.ts';
import type { Wish } from '../wish.ts';
import type { WishOutcome } from '../wishOutcome.ts';
import { countSelected, reportGates } from './gateReports.ts';
import { reportPods } from './pods.ts';
import { findPossible, type Possible } from './possible.ts';

export function reportRound(decision: Decision): Round {
  const { situation, limits, ledger, advanced, started, judged, actions, wakeAt } = decision;
  const pods = reportPods(situation, judged);
  const parking = reportParking(situation, ledger.commands);
  const wishesOf = wishesByNode(judged, situation);
  const interruptions = findInterruptions(situation.cluster);
  const rates = limits.rates.active.map((rate) => rate.report());
  return {
    at: situation.now,
    ...(wakeAt !== undefined && { wakeAt }),
    verdicts: byPool(judged.map((it) => verdict(it, wishesOf(it), decision))),
    commands: [...advanced.reports, ...started.map(({ command }) => command)],
    ended: advanced.ended,
    actions,
    allowances: reportAllowances(situation),
    ...(rates.length > 0 && { rates }),
    domains: reportDomains(limits.topology, judged),
    windows: reportWindows(situation, judged, pods),
    ...(situation.cluster.gates.length > 0 && { gates: reportGates(situation, judged) }),
    pods,
    faults: faultsOf(situation),
    ...(parking && { parking }),
    ...(situation.slow.claims.length > 0 && { slowClaims: situation.slow.claims }),
    ...(interruptions.length > 0 && { interruptions }),
    ledger,
  };
}

/** Budgets that Karpenter cannot read are faults only in guide (N4). */
function faultsOf({ cluster, settings, tallies }: Situation): readonly Fault[] {
  if (settings.role === 'observe') return [...cluster.faults, ...leftMarks(cluster)];
  if (settings.role !== 'guide') return cluster.faults;
  const more = [...tallies.values()].flatMap(({ pool }) => pool.karpenterFault ?? []);
  return [...cluster.faults, ...more.sort((a, b) => compareText(a.object, b.object))];
}

const podCodes: ReadonlySet<RefusalCode> = new Set(['PodOptedOut', 'PodScheduleClosed', 'PodBlocked'] as const);

/** The other wishes of the same node: in guide a refusal of one wish may hold another (N4). */
function wishesByNode(judged: readonly WishOutcome[], { settings }: Situation): (one: WishOutcome) => readonly Wish[] {
  if (settings.role !== 'guide') return () => noWishes;
  const byNode = Map.groupBy(judged, ({ wish }) => wish.view.node.name);
  return ({ wish }) => {
    const all = byNode.get(wish.view.node.name) ?? [];
    // Karpenter does not try reasons that the policy turns off.
    const isTried = (it: WishOutcome): boolean =>
      it.wish !== wish && !it.refusals.some(({ code }) => code === 'PolicyOff');
    return all.length < 2 ? noWishes : all.filter(isTried).map((it) => it.wish);
  };
}

const noWishes: readonly Wish[] = [];

function verdict(
  { wish, outcome, refusals }: WishOutcome,
  others: readonly Wish[],
  { situation, limits }: Decision,
): Verdict {
  const agreeAt = refusals.some(({ code }) => podCodes.has(code)) ? agreementOf(wish, situation) : undefined;
  const possible: Possible =
    outcome === 'held' ? findPossible({ wish, refusals }, others, { situation, rates: limits.rates }) : {};
  const { possibleAt, neverMeet, waitsFor } = possible;
  return verdictOf(wish, [outcome, refusals, agreeAt, possibleAt, neverMeet, waitsFor]);
}

/** Unknown where Karpenter still takes a pod to opt out at that instant (N4). */
function agreementOf(wish: Wish, { now, settings }: Situation): Instant | undefined {
  const agreeAt = laterThan(now, podsAgreeAt(wish.view, now, wish.reason));
  const isHeld = agreeAt !== undefined && settings.role === 'guide' && podsReadStrictly(wish, agreeAt).length > 0;
  return isHeld ? undefined : agreeAt;
}

type VerdictParts = readonly [
  outcome: Verdict['outcome'],
  refusals: readonly Refusal[],
  agreeAt: Instant | undefined,
  ...possible: readonly [Verdict['possibleAt'], Verdict['neverMeet'], Verdict['waitsFor']],
];

/** Cached: most verdicts are the same as in the previous round and stay the same object. */
const verdictOf = memo((wish: Wish, fate: VerdictParts): Verdict => {
  const { view, reason, detail } = wish;
  const [outcome, refusals, podsAgreeAt, possibleAt, neverMeet, waitsFor] = fate;
  return {
    node: view.node.name,
    ...(view.claim && { claim: view.claim.name }),
    pool: view.poolName ?? '',
    reason,
    outcome,
    ...(detail && { detail }),
    ...(podsAgreeAt !== undefined && { podsAgreeAt }),
    ...(possibleAt !== undefined && { possibleAt }),
    ...(neverMeet && { neverMeet }),
    ...(waitsFor && { waitsFor }),
    refusals,
  };
});

/** Only a future instant is useful: in guide a node may be held by its pods' rules for another reason (N4). */
const laterThan = (now: Instant, at: Instant | undefined): Instant | undefined =>
  at !== undefined && at > now ? at : undefined;

/** Verdicts are already ordered by node and reason: only sort the pools. */
function byPool(verdicts: readonly Verdict[]): Verdict[] {
  const pools = Map.groupBy(verdicts, ({ pool }) => pool);
  return [...pools.keys()].sort(compareText).flatMap((pool) => pools.get(pool) ?? []);
}

// Allowances (J2): for every pool and reason, how many more nodes may be disrupted, by which budget, and when that changes.

function reportAllowances(situation: Situation): Allowance[] {
  const tallies = [...situation.tallies.values()].sort((a, b) => compareText(a.pool.name, b.pool.name));
  return tallies.flatMap((tally) => budgetReasons.map((reason) => allowance(tally, reason, situation)));
}

function allowance(tally: PoolTally, reason: Reason, situation: Situation): Allowance {
  const query = limitQuery(tally, reason, situation);
  const base = { pool: tally.pool.name, reason, consumed: consumedFor(reason, tally) };
  // A pool with an invalid field allows nothing, whatever its other budgets are (C8).
  if (faultOf(tally.pool, situation.settings)) return { ...base, limit: 0, left: 0 };
  const { limit, budget } = limitAt(query, situation.now);
  const nextChange = nextLimitChange(query, situation.now);
  return {
    ...base,
    ...(limit !== undefined && { limit, left: Math.max(0, limit - base.consumed) }),
    ...(budget && { budget: budget.index }),
    ...(nextChange !== undefined && { nextChange }),
  };
}

// The roll by domain: figures at the start of the round, the turn after it.

function reportDomains(topology: TopologyLimits, judged: readonly WishOutcome[]): DomainReport[] {
  if (topology.pools.size === 0) return [];
  const drifted = new Set(
    judged.filter(({ wish }) => wish.reason === 'Drifted').map(({ wish }) => wish.view.node.name),
  );
  const pools = [...topology.pools.values()].sort((a, b) => compareText(a.tally.pool.name, b.tally.pool.name));
  return pools.flatMap((mine) =>
    mine.domains.map(
      (domain): DomainReport => ({
        pool: mine.tally.pool.name,
        topologyKey: domain.topologyKey,
        ...(domain.name !== undefined && { domain: domain.name }),
        counted: domain.counted,
        limit: domain.limit,
        consumed: domain.consumed,
        left: Math.max(0, domain.limit - domain.consumed),
        ...domainStatus(domain, mine, drifted),
      }),
    ),
  );
}

type DomainStatus = Pick<DomainReport, 'state' | 'unwell'>;

function domainStatus(domain: Domain, { turn }: PoolDomains, drifted: ReadonlySet<string>): DomainStatus {
  if (!turn || turn.budget.topologyKey !== domain.topologyKey) return { state: 'turn' };
  const { holder, settling } = turn;
  if (!holder || holder.domain !== domain.name)
    return { state: domain.nodes.some(({ node }) => drifted.has(node.name)) ? 'waiting' : 'done' };
  if (!settling) return { state: 'turn' };
  return { state: 'settling', ...(settling.unwell.length > 0 && { unwell: settling.unwell }) };
}

// Windows (D8): whether each is open, when that changes, how many nodes it selects and holds.

function reportWindows(
  situation: Situation,
  judged: readonly WishOutcome[],
  pods: readonly PodReport[],
): WindowReport[] {
  const held = holdingBy(judged);
  const { cluster, now } = situation;
  const selectedBy = countSelected(cluster, ({ windows }) => windows);
  const windows = cluster.windows.map((window): WindowReport => {
    const hours = activeHours(window);
    return {
      kind: 'MaintenanceWindow',
      name: window.name,
      open: hours.isOpen(now),
      ...changing(hours.nextChange(now)),
      selected: selectedBy.get(window) ?? 0,
      holding: held.get(window.name)?.size ?? 0,
      ...(window.author !== undefined && { author: window.author }),
      ...(window.note !== undefined && { note: window.note }),
    };
  });
  return [...windows, ...reportSchedules(situation, pods)];
}

function reportSchedules({ cluster, now }: Situation, pods: readonly PodReport[]): WindowReport[] {
  return cluster.podSchedules.map((schedule) => ({
    kind: 'PodDisruptionSchedule',
    name: schedule.name,
    open: schedule.window.isOpen(now),
    ...changing(schedule.window.nextChange(now)),
    selected: cluster.podsUnder(schedule),
    holding: pods.filter(({ refusals }) =>
      refusals.some((it) => it.owner?.kind === 'PodDisruptionSchedule' && it.owner.name === schedule.name),
    ).length,
  }));
}

const changing = (nextChange: PodReport['movableAt']) => (nextChange === undefined ? {} : { nextChange });

/** The nodes that each window refuses, without nodes that go for another reason. */
function holdingBy(judged: readonly WishOutcome[]): Map<string, Set<string>> {
  const held = new Map<string, Set<string>>();
  for (const { wish, refusals } of judged) {
    if (refusals[0]?.code === 'AlreadyUnderway') continue;
    for (const { code, owner } of refusals) {
      if (owner?.kind !== 'MaintenanceWindow') continue;
      // Several closed Allow windows hold a node together; the refusal's owner is only the one that opens first.
      const names = code === 'WindowNotOpen' ? allowing(wish) : [owner.name];
      for (const name of names) held.set(name, (held.get(name) ?? new Set<string>()).add(wish.view.node.name));
    }
  }
  return held;
}

const allowing = ({ view, reason }: Wish): string[] => windowRules(view.windows, reason).allows.map(({ name }) => name);

// How many nodes of each pool are parked, of those that must be (N2, N3). Only guide parks.

/** How old a new node may be before it should be parked. */
const youth = asDuration(30 * second);

/** Undefined outside guide. */
function reportParking(situation: Situation, commands: readonly Command[]): readonly PoolParking[] | undefined {
  const { cluster, settings, tallies, now } = situation;
  if (settings.role !== 'guide') return undefined;
  const commanded = new Set(
    commands.flatMap(({ hands, nodes }) => (hands === 'karpenter' ? nodes.map(({ name }) => name) : [])),
  );
  return [...tallies.keys()].sort(compareText).map((pool) => {
    const { parked, loose } = parkedIn(cluster.nodesOf(pool));
    const unparked = loose.filter(({ node }) => !commanded.has(node.name));
    return { pool, parked, unparked: unparked.length, late: unparked.filter((view) => !isYoung(view, now)).length };
  });
}

const isYoung = ({ node }: NodeView, now: Instant): boolean => now < after(node.createdAt, youth);

interface ParkedCount {
  readonly parked: number;
  readonly loose: readonly NodeView[];
}

const parkedIn = memo((group: NodeGroup): ParkedCount => {
  const staying = group.nodes.filter((view) => !isTaken(view));
  const parked = staying.filter(({ node }) => isParked(node)).length;
  const loose = staying.filter(({ node }) => !isParked(node) && !isUsersOwn(node));
  return { parked, loose };
});
