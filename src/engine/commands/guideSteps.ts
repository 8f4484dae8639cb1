// The steps that Karpenter carries out: offered, taken, withdrawn (G1, N3, N4).
// Past 300 lines: the steps share the checks of an offer.
import { defined } from '../../cluster/defined.ts';
import type { Command } from '../../cluster/ledger.ts';
import type { Claim, NodeEvent } from '../../cluster/model.ts';
import { compareText, isCounted, type NodeView } from '../../cluster/nodeView.ts';
import { isEvictable } from '../../cluster/pod.ts';
import { rollRuleOf } from '../../cluster/pool.ts';
import { isConsolidation, type Reason } from '../../cluster/reason.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Cluster } from '../../cluster/store.ts';
import { formatDuration } from '../../time/duration.ts';
import {
  after,
  asDuration,
  before,
  type Duration,
  earliest,
  type Instant,
  latest,
  second,
} from '../../time/instant.ts';
import { askGates } from '../gates/gates.ts';
import { noPlace } from '../gates/karpenterReads.ts';
import { describeWithheld, withheldWhy } from '../gates/poolGates.ts';
import { describeDomain, domainOf, findDomains } from '../limits/domains.ts';
import { triedBefore } from '../limits/limits.ts';
import { consumedFor, limitQuery } from '../limits/poolBudgets.ts';
import { bindsReason, ratesOf } from '../limits/poolRates.ts';
import { describeHalt } from '../limits/rollHalts.ts';
import { nameWave, waveEnd } from '../limits/rolls.ts';
import type { Refusal } from '../refusal.ts';
import { describeNodes, limitAt, nameBudget } from '../rules/budgets.ts';
import { podOptedOut, podScheduleRefusals } from '../rules/podRules.ts';
import { isShortage, shortageMemory, triesAgainAt } from '../shortage.ts';
import { isGoverned, type PoolTally, type Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { Action } from './action.ts';
import {
  canBeNudged,
  isMarked,
  isNudged,
  isParked,
  isToBeNudged,
  isUsersOwn,
  needsNudge,
  nudge,
  park,
  unguardedPods,
  unnudge,
  unpark,
} from './marks.ts';
import {
  beforeEviction,
  type DisruptedNode,
  disruptedNodesOf,
  formatFirst,
  isGone,
  isTaken,
  move,
  objection,
  type RefusalFilter,
  type StepContext,
  type StepRule,
  withdraw,
} from './step.ts';

export const offered: StepRule = (command, context) => {
  const { situation } = context;
  const { cluster, now } = situation;
  const places = disruptedNodesOf(command, cluster);
  if (places.every(isGone)) return { over: 'gone' };
  if (places.some(isTaken)) return { next: move(command, 'taken', now) };
  const against = objectionToOffer(command, context);
  if (against !== undefined) return { next: withdraw(command, against, now) };
  const declined = places.map(({ name }) => name);
  const judged = command.reason === 'Underutilized' ? answerOfKarpenter(command, cluster) : undefined;
  const judgedAt = judged && (isFinal(judged, command) ? now : after(command.stepAt, judgingTime));
  if (judged && judgedAt !== undefined && now >= judgedAt)
    return { next: withdraw(command, `Karpenter evaluated it: ${judged.message}`, now), declined };
  const until = offerEndsAt(command, situation);
  if (now >= until) return { next: withdraw(command, whyNotTaken(command, situation), now), declined };
  // Karpenter's events start no round, so look for its answer.
  const lookAt = command.reason === 'Underutilized' ? after(now, evaluationPeriod) : undefined;
  return { command, actions: offerings(command, situation), wakeAt: judgedAt ?? earliest(lookAt, until) };
};

const evaluationPeriod = asDuration(10 * second);

/** Karpenter evaluates every 10 s, groups of nodes before single nodes, and waits 15 s before it starts. */
const judgingTime = asDuration(30 * second);

/**
 * Whether the answer ends the offer at once, such as "Can't replace with a cheaper node". Karpenter may still take a group of which it
 * judged one node by itself, and pods that do not fit now may fit on a node that is starting.
 */
const isFinal = ({ about, message }: NodeEvent, { nodes }: Command): boolean =>
  about === 'consolidation' && nodes.length === 1 && !message.startsWith(noPlace);

/** How long an offer lasts (N3). */
const offerTime = ({ reason }: Command, settings: Settings): Duration =>
  reason === 'Underutilized' ? settings.offerTimeoutUnderutilized : settings.offerTimeout;

/** In a shortage the offer lasts until Karpenter has tried again: it takes the node then without being asked (F4). */
function offerEndsAt(command: Command, situation: Situation): Instant {
  const until = after(command.stepAt, offerTime(command, situation.settings));
  const answer = answerOfKarpenter(command, situation.cluster);
  if (!answer || !isShortage(answer)) return until;
  const tried = triesAgainAt(answer, command.pool, situation);
  // Karpenter may report a shortage again and again, which must not keep the unit from others.
  return latest(until, earliest(tried, after(until, shortageMemory)));
}

/** The requests that make the offer visible to Karpenter; none until every pod that must not be moved now is parked (N5). */
export function offerings(command: Command, { cluster, now }: Situation): readonly Action[] {
  return disruptedNodesOf(command, cluster).flatMap(({ view, claim }) => {
    if (!view || unguardedPods(view, command.reason, now).length > 0) return [];
    return [
      ...(claim && isToBeNudged(claim, command.reason) ? [nudge(claim, command.id)] : []),
      ...(isMarked(view.node) ? [unpark(view.node, command.id)] : []),
    ];
  });
}

/** Karpenter's own event about the node, else a reason found in the facts (N3). */
function whyNotTaken(command: Command, { cluster, settings }: Situation): string {
  const late = `Karpenter did not take it within ${formatDuration(offerTime(command, settings))}`;
  const words = answerOfKarpenter(command, cluster);
  if (words) return `${late}: ${words.message}`;
  const mute = disruptedNodesOf(command, cluster).find(({ claim }) => claim && !canBeNudged(claim));
  if (mute && needsNudge(command.reason))
    return `${late}: its NodeClaim has no NodePool hash, so it cannot be made to look drifted`;
  // One claim that cannot be launched stalls Karpenter ([b!]).
  for (const { name, providerId, conditions } of cluster.claims)
    if (providerId === undefined && conditions.Launched?.status !== 'True')
      return `${late}: Karpenter does nothing while NodeClaim ${name} is not launched`;
  return late;
}

/** Karpenter's latest event about the command's nodes. Its events about consolidation are only relevant for consolidation. */
function answerOfKarpenter({ nodes, reason, stepAt }: Command, cluster: Cluster): NodeEvent | undefined {
  const isConsolidated = isConsolidation(reason);
  const subjects = isConsolidated ? (['everything', 'consolidation'] as const) : (['everything'] as const);
  const events = nodes.flatMap(({ name }) => subjects.flatMap((about) => cluster.eventOn(name, about) ?? []));
  // Events have second precision. Events from before the offer are about a parked node.
  return events.filter(({ at }) => at > before(stepAt, second)).sort((a, b) => b.at - a.at)[0];
}

// An offer lasts as long as no gate refuses any reason that Karpenter may take the node for, and no limit is exceeded (D6, N4).

/** Why the offer must be withdrawn; undefined = it lasts. */
function objectionToOffer(command: Command, context: StepContext): string | undefined {
  const withheld = withheldWhy(context.situation.settings);
  if (withheld !== undefined) return `OffersWithheld: ${describeWithheld(withheld)}`;
  const own = objection(command, context, isForOffers);
  if (own !== undefined) return own;
  for (const { name } of command.nodes) {
    const wishes = context.wishes.get(name) ?? [];
    if (wishes.some(({ kind }) => kind === 'forced')) continue;
    const earlier = wishes.filter(({ reason }) => seenBefore(command.reason).includes(reason));
    for (const wish of earlier) {
      const against = formatFirst(refusalsOf(wish, context.situation));
      if (against !== undefined) return `Karpenter would disrupt it for ${wish.reason} first: ${against}`;
    }
    for (const reason of [command.reason, ...earlier.map((wish) => wish.reason)]) {
      const against = beyondLimit(command, reason, context.situation) ?? beyondRate(command, reason, context);
      if (against !== undefined) return against;
    }
  }
  return undefined;
}

/** Karpenter has not started on an offer, so it can be withdrawn while a claim of the pool is slow (F7). */
const isForOffers: RefusalFilter = (code) => code === 'ReplacementSlow' || beforeEviction(code);

/** A nudged claim looks drifted only because Lull made it so (N6). */
const seenBefore = (reason: Reason): readonly Reason[] =>
  triedBefore(reason).filter((it) => it !== 'Drifted' || !needsNudge(reason));

/** Karpenter does not try reasons that the policy turns off. */
function refusalsOf(wish: Wish, situation: Situation) {
  const refusals = askGates(wish, situation);
  if (refusals.some(({ code }) => code === 'PolicyOff')) return [];
  return refusals.filter(({ code }) => beforeEviction(code) && code !== 'NotReady');
}

/** If a limit has shrunk or is used up by others, the newest offers are withdrawn. */
function beyondLimit(command: Command, reason: Reason, situation: Situation): string | undefined {
  const tally = situation.tallies.get(command.pool);
  if (!tally) return undefined;
  const { limit, budget } = limitAt(limitQuery(tally, reason, situation), situation.now);
  const flat = limit !== undefined && isBeyond(command, { limit, consumed: consumedFor(reason, tally), situation });
  if (flat) return `${nameBudget(budget, tally.pool)} allows ${describeNodes(limit)} at a time for ${reason}`;
  return reason === 'Drifted'
    ? (beyondDomain(command, tally, situation) ?? beyondWave(command, tally, situation))
    : undefined;
}

/** A new target begins again at the first wave, which may be smaller than what was offered before (P4). */
function beyondWave(command: Command, { pool }: PoolTally, situation: Situation): string | undefined {
  const budget = rollRuleOf(pool);
  const roll = budget && situation.ledger.rolls?.find((it) => it.pool === pool.name);
  if (!roll) return undefined;
  if (roll.haltedAt !== undefined) return describeHalt(roll, budget.haltAfter?.failures);
  const end = waveEnd(budget, roll);
  const [limit, consumed] = [end - roll.done, roll.inFlight.length];
  // A node offered for another reason is not in the roll yet.
  const isFull =
    command.reason === 'Drifted'
      ? isBeyond(command, { limit, consumed, situation, isIn: ({ reason }) => reason === 'Drifted' })
      : consumed >= limit;
  return isFull ? `${nameWave(budget, roll)} ends after ${describeNodes(end)}` : undefined;
}

/** What others begin uses up a rate too (P1). */
function beyondRate(command: Command, reason: Reason, { situation, starts }: StepContext): string | undefined {
  const tally = situation.tallies.get(command.pool);
  if (!tally || tally.pool.rates.length === 0) return undefined;
  const beyond = ratesOf(tally, starts, situation.now).find(({ budget, rate, isActive }) => {
    if (!isActive || !bindsReason(budget, reason)) return false;
    // Offers for other reasons do not use it up until they begin; one that Karpenter has just taken counts as begun.
    const isRival = (other: Command): boolean =>
      bindsReason(budget, other.reason) && !disruptedNodesOf(other, situation.cluster).some(isTaken);
    const { place } = amongOffers(command, situation, isRival);
    return place >= rate.terms.limit - rate.began;
  });
  return beyond && `RateSpent: ${beyond.rate.refuse(undefined).message}`;
}

function beyondDomain(command: Command, tally: PoolTally, situation: Situation): string | undefined {
  const views = disruptedNodesOf(command, situation.cluster).flatMap(({ view }) => view ?? []);
  for (const { topologyKey, name, limit, consumed, budget } of findDomains(tally, situation)) {
    if (!views.some((view) => domainOf(view, topologyKey) === name)) continue;
    const isIn = (other: Command): boolean =>
      disruptedNodesOf(other, situation.cluster).some(({ view }) => view && domainOf(view, topologyKey) === name);
    if (isBeyond(command, { limit, consumed, situation, isIn }))
      return `${nameBudget(budget, tally.pool)} allows ${describeNodes(limit)} of ${describeDomain({ topologyKey, ...defined({ name }) })} at a time`;
  }
  return undefined;
}

interface Use {
  readonly limit: number;
  /** Units in use, offers included. */
  readonly consumed: number;
  readonly situation: Situation;
  readonly isIn?: (other: Command) => boolean;
}

function isBeyond(command: Command, { limit, consumed, situation, isIn = () => true }: Use): boolean {
  if (consumed <= limit) return limit === 0;
  const { place, offers } = amongOffers(command, situation, isIn);
  return place >= limit - (consumed - offers);
}

/** The place of an offer among those of its pool that use a unit, the oldest first, and how many there are. */
function amongOffers(
  command: Command,
  situation: Situation,
  isIn: (other: Command) => boolean,
): { readonly place: number; readonly offers: number } {
  const rivals = situation.ledger.commands
    .filter(({ step, pool }) => step === 'offered' && pool === command.pool)
    .filter((other) => usesUnit(other, situation) && isIn(other))
    .sort((a, b) => a.startedAt - b.startedAt || compareText(a.id, b.id));
  return { place: rivals.findIndex(({ id }) => id === command.id), offers: rivals.length };
}

const usesUnit = (command: Command, { cluster, settings }: Situation): boolean =>
  disruptedNodesOf(command, cluster).some(({ view }) => view && isCounted(view, settings));

/** Karpenter is disrupting it, which cannot be stopped ([l]). Ends when node and claim are gone; withdrawn if Karpenter gives up (N3). */
export const taken: StepRule = (command, { situation }) => {
  const { cluster, now } = situation;
  const places = disruptedNodesOf(command, cluster);
  if (places.every(isGone)) return { over: 'gone' };
  // Karpenter rolls back if its replacements do not come up (F4).
  if (!places.some(isTaken))
    return { next: withdraw(command, 'Karpenter gave up disrupting it', now), failed: [command.pool] };
  const isDraining = ({ claim }: { claim?: Claim }): boolean => claim?.deletingSince !== undefined;
  return {
    command,
    actions: [],
    deadline: places.map(({ claim }) => claim?.terminateAt).reduce<Instant | undefined>(earliest, undefined),
    waitingFor: places.filter(isDraining).flatMap(({ view }) => (view ? holders(view, now) : [])),
  };
};

function holders({ timed }: NodeView, now: Instant): readonly Refusal[] {
  return timed
    .filter(({ pod }) => isEvictable(pod))
    .flatMap((it) => podOptedOut(it.pod, 'Drifted', now) ?? podScheduleRefusals(it, now));
}

const withdrawalGrace = asDuration(60 * second);

/** Parks the node again. Karpenter may have chosen it at that moment, so its unit stays in use for a while (N3). */
export const withdrawn: StepRule = (command, { situation }) => {
  const { cluster, now } = situation;
  const places = disruptedNodesOf(command, cluster);
  if (places.every(isGone)) return { over: 'gone' };
  if (places.some(isTaken)) {
    const { why: _, parkedAt: __, ...rest } = command;
    return { next: move(rest, 'taken', now) };
  }
  const actions = places.flatMap((place) => takenBack(place, command.id, situation));
  if (actions.length > 0) return { command, actions };
  if (command.parkedAt === undefined) {
    const noted = { ...command, parkedAt: now };
    return { command: noted, actions, wakeAt: after(now, withdrawalGrace) };
  }
  const until = after(command.parkedAt, withdrawalGrace);
  return now < until ? { command, actions, wakeAt: until } : { over: 'released' };
};

function takenBack(
  { view, claim }: DisruptedNode,
  command: string,
  { cluster, settings, now }: Situation,
): readonly Action[] {
  const pool = view?.poolName === undefined ? undefined : cluster.pools.get(view.poolName);
  const isOurs = pool && isGoverned(pool, settings);
  return [
    ...(claim && isNudged(claim) ? [unnudge(claim, command)] : []),
    ...(view && isOurs && !isParked(view.node) && !isUsersOwn(view.node) ? [park(view.node, now, command)] : []),
  ];
}
