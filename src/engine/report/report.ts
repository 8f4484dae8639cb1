// How is a round told? Verdicts, commands, actions, and everything a person may ask about them (L2).
import type { Fault } from '../../cluster/fault.ts';
import { openSlot } from '../../cluster/memory.ts';
import { compareText } from '../../cluster/nodeView.ts';
import type { Instant } from '../../time/instant.ts';
import { leftMarks } from '../commands/leftMarks.ts';
import type { Decision } from '../decision.ts';
import type { Judged } from '../judged.ts';
import { podsAgreeAt } from '../podTimes.ts';
import type { Refusal, RefusalCode } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { Round, Verdict } from '../verdict.ts';
import type { Wish } from '../wish.ts';
import { reportAllowances } from './allowances.ts';
import { reportDomains } from './domains.ts';
import { reportParking } from './parking.ts';
import { reportPods } from './pods.ts';
import { findPossible, type Possible } from './possible.ts';
import { reportWindows } from './windows.ts';

export function reportRound(decision: Decision): Round {
  const { situation, limits, ledger, advanced, started, judged, actions, wakeAt } = decision;
  const pods = reportPods(situation, judged);
  const parking = reportParking(situation, ledger.commands);
  const wishesOf = wishesByNode(judged, situation);
  return {
    at: situation.now,
    ...(wakeAt !== undefined && { wakeAt }),
    verdicts: byPool(judged.map((it) => verdict(it, wishesOf(it), situation))),
    commands: [...advanced.reports, ...started.map(({ command }) => command)],
    ended: advanced.ended,
    actions,
    allowances: reportAllowances(situation),
    domains: reportDomains(limits.topology, judged),
    windows: reportWindows(situation, judged, pods),
    pods,
    faults: faultsOf(situation),
    ...(parking && { parking }),
    ...(situation.slow.claims.length > 0 && { slowClaims: situation.slow.claims }),
    ledger,
  };
}

/** N4: what Karpenter cannot read is a fault only where Karpenter reads it. */
function faultsOf({ cluster, settings, tallies }: Situation): readonly Fault[] {
  if (settings.role === 'observe') return [...cluster.faults, ...leftMarks(cluster)];
  if (settings.role !== 'guide') return cluster.faults;
  const more = [...tallies.values()].flatMap(({ pool }) => pool.karpenterFault ?? []);
  return [...cluster.faults, ...more.sort((a, b) => compareText(a.object, b.object))];
}

const podCodes: ReadonlySet<RefusalCode> = new Set(['PodOptedOut', 'PodScheduleClosed', 'PodBlocked'] as const);

/** Beside Karpenter what holds one wish of a node may hold another (N4). */
function wishesByNode(judged: readonly Judged[], { settings }: Situation): (one: Judged) => readonly Wish[] {
  if (settings.role !== 'guide') return () => noWishes;
  const byNode = Map.groupBy(judged, ({ wish }) => wish.view.node.name);
  return ({ wish }) => {
    const all = byNode.get(wish.view.node.name) ?? [];
    // What its policy turns off Karpenter does not try.
    const isTried = (it: Judged): boolean => it.wish !== wish && !it.refusals.some(({ code }) => code === 'PolicyOff');
    return all.length < 2 ? noWishes : all.filter(isTried).map((it) => it.wish);
  };
}

const noWishes: readonly Wish[] = [];

interface Told extends Possible {
  readonly outcome: Verdict['outcome'];
  readonly refusals: readonly Refusal[];
  readonly agreeAt: Instant | undefined;
  readonly verdict: Verdict;
}

/** Most wishes fare as they did in the round before: their verdict is the same object. */
const remembered = openSlot<Told>();

function verdict({ wish, outcome, refusals }: Judged, others: readonly Wish[], situation: Situation): Verdict {
  const { view, reason } = wish;
  const { now } = situation;
  const agreeAt = refusals.some(({ code }) => podCodes.has(code))
    ? laterThan(now, podsAgreeAt(view, reason, now))
    : undefined;
  const possible: Possible = outcome === 'held' ? findPossible({ wish, refusals }, others, situation) : {};
  const known = remembered.recall(wish);
  if (known && known.refusals === refusals && known.outcome === outcome && known.agreeAt === agreeAt) {
    const { possibleAt, neverMeet, waitsFor } = known;
    if (possibleAt === possible.possibleAt && neverMeet === possible.neverMeet && waitsFor === possible.waitsFor)
      return known.verdict;
  }
  const told: Verdict = {
    node: view.node.name,
    ...(view.claim && { claim: view.claim.name }),
    pool: view.poolName ?? '',
    reason,
    outcome,
    ...(wish.detail && { detail: wish.detail }),
    ...(agreeAt !== undefined && { podsAgreeAt: agreeAt }),
    ...possible,
    refusals,
  };
  return remembered.keep(wish, { ...possible, outcome, refusals, agreeAt, verdict: told }).verdict;
}

/** Only a moment still to come tells something: beside Karpenter a node may be held by what its pods say to another reason (N4). */
const laterThan = (now: Instant, at: Instant | undefined): Instant | undefined =>
  at !== undefined && at > now ? at : undefined;

/** They come by node and reason already: only the pools are brought into order. */
function byPool(verdicts: readonly Verdict[]): Verdict[] {
  const pools = Map.groupBy(verdicts, ({ pool }) => pool);
  return [...pools.keys()].sort(compareText).flatMap((pool) => pools.get(pool) ?? []);
}
