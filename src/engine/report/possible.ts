// When a held wish becomes possible: the first instant that all rules that depend on time permit, and what else it waits for (E12, J1).
import { memo, memoUntil } from '../../cluster/memo.ts';
import { after, asDuration, day, type Instant } from '../../time/instant.ts';
import { firstMeeting, type Meeting, neverMeeting, type Permit, permitsAt } from '../../time/meet.ts';
import { triedBefore } from '../limits/limits.ts';
import { consumedFor, freezeQuery, limitQuery, needed } from '../limits/poolBudgets.ts';
import type { RateLimit } from '../limits/poolRates.ts';
import { personalCodes, type Refusal, type RefusalCode } from '../refusal.ts';
import { isZero, karpenterLimit, limitAt } from '../rules/budgets.ts';
import { isUnworked } from '../rules/podRules.ts';
import { type TimeRule, timeRulesOf } from '../rules/timeRules.ts';
import { asKarpenterCounts, isConsumed, type Situation } from '../situation.ts';
import type { ConflictingRule, Verdict, WaitsFor } from '../verdict.ts';
import type { Wish } from '../wish.ts';
import type { HeldWish } from '../wishOutcome.ts';

export type Possible = Pick<Verdict, 'possibleAt' | 'neverMeet' | 'waitsFor'>;

interface PossibleContext {
  readonly situation: Situation;
  readonly rates: Pick<RateLimit, 'rules'>;
}

/** `others`: the node's other wishes, for which Karpenter may take it first (N4). */
export function findPossible(held: HeldWish, others: readonly Wish[], context: PossibleContext): Possible {
  const meeting = meetingOf(held, others, context);
  const waitsFor = findWaitsFor(held, meeting, context);
  if (meeting.at === 'not worked out') return { waitsFor };
  return { possibleAt: meeting.at, ...(meeting.neverMeet && { neverMeet: meeting.neverMeet }), waitsFor };
}

interface MeetingResult {
  readonly at: Exclude<Meeting, Instant> | Instant | 'now';
  readonly neverMeet?: readonly ConflictingRule[];
}

/** Rules whose windows are evaluated: their `liftsAt` adds nothing. */
const byHours: ReadonlySet<RefusalCode> = new Set([
  'WindowBlocks',
  'WindowNotOpen',
  'PodScheduleClosed',
  'PodBlocked',
  'ClosesTooSoon',
  'RateSpent',
  'NeedsApproval',
] as const);

/** Limits that other nodes use: a higher limit at some instant does not depend on time alone. */
const byUse: ReadonlySet<RefusalCode> = new Set([
  'BudgetSpent',
  'DomainBudgetSpent',
  'KarpenterBudget',
  'WindowCapSpent',
] as const);

/** An opt-out, back-off or consolidateAfter that ends later than this counts as endless. */
const farthest = asDuration(400 * day);

function meetingOf({ wish, refusals }: HeldWish, others: readonly Wish[], context: PossibleContext): MeetingResult {
  const { now } = context.situation;
  const last = lastFloor(refusals);
  if (last?.liftsAt !== undefined && last.liftsAt > after(now, farthest))
    return { at: 'never', neverMeet: [withoutInstant(last)] };
  if (isUnworked(wish)) return { at: 'not worked out' };
  const from = last?.liftsAt !== undefined && last.liftsAt > now ? last.liftsAt : now;
  const rules = withoutEnded(rulesOver(wish, others, context), now);
  if (rules.every((rule) => permitsAt(rule, from))) return { at: from === now ? 'now' : from };
  return meetingUnder(wish, from, rules);
}

/** Of the refusals that end once, the one that ends last. */
function lastFloor(refusals: readonly Refusal[]): Refusal | undefined {
  let last: Refusal | undefined;
  for (const refusal of refusals) {
    const { code, liftsAt } = refusal;
    if (liftsAt === undefined || byHours.has(code) || byUse.has(code)) continue;
    if (last?.liftsAt === undefined || liftsAt > last.liftsAt) last = refusal;
  }
  return last;
}

const withoutInstant = ({ code, message, owner }: ConflictingRule): ConflictingRule => ({
  code,
  message,
  ...(owner && { owner }),
});

/** In guide also the rules of wishes that Karpenter would try before this one. */
function rulesOver(wish: Wish, others: readonly Wish[], context: PossibleContext): readonly TimeRule[] {
  const { settings } = context.situation;
  const own = rulesFor(wish, context);
  if (settings.role !== 'guide' || others.length === 0) return own;
  const before = triedBefore(wish.reason);
  const more = others.filter(({ reason }) => before.includes(reason)).flatMap((it) => rulesFor(it, context));
  return more.length === 0 ? own : [...own, ...more];
}

/** The same list for the same rules, as long as no rate is spent. */
function rulesFor(wish: Wish, { situation, rates }: PossibleContext): readonly TimeRule[] {
  const lasting = timeRulesOf(wish, situation.settings);
  const spent = rates.rules(wish);
  return spent.length === 0 ? lasting : [...lasting, ...spent];
}

/** Without approvals that have ended: a person must act, and time does not matter (Q2). */
function withoutEnded(rules: readonly TimeRule[], now: Instant): readonly TimeRule[] {
  const hasEnded = ({ code, window }: TimeRule): boolean =>
    code === 'NeedsApproval' && !window.isOpen(now) && window.nextChange(now) === undefined;
  return rules.some(hasEnded) ? rules.filter((rule) => !hasEnded(rule)) : rules;
}

/** Cached until the instant found. `never` is not cached: it depends on the day. */
const meetingUnder = memoUntil((wish: Wish, from, rules: readonly TimeRule[]) => {
  const at = firstMeeting(rules, from);
  const neverMeet = at === 'never' ? atFault(wish, neverMeeting(rules, from), rules) : undefined;
  return { value: { at, ...(neverMeet && { neverMeet }) }, until: typeof at === 'number' ? at : from };
});

/** In the order of the rules: windows, budgets, pods. */
const atFault = memo((_: Wish, fewest: readonly Permit[], rules: readonly TimeRule[]): readonly ConflictingRule[] => {
  const windows = new Set(fewest.map(({ window }) => window));
  const named = new Map(rules.map((rule) => [rule.window, rule]));
  return [...named.values()].filter(({ window }) => windows.has(window)).map(withoutInstant);
});

function findWaitsFor({ wish, refusals }: HeldWish, { at }: MeetingResult, context: PossibleContext): WaitsFor {
  const { situation } = context;
  if (at === 'never') return 'someone';
  let waitsFor: WaitsFor = 'the clock';
  for (const refusal of refusals) {
    const mine = waitsForOne(refusal, { wish, at: typeof at === 'number' ? at : situation.now, ...context });
    if (mine === 'someone') return mine;
    if (mine === 'the cluster') waitsFor = mine;
  }
  return waitsFor;
}

interface WaitQuery extends PossibleContext {
  readonly wish: Wish;
  /** When the rules that depend on time permit it. */
  readonly at: Instant;
}

function waitsForOne({ code, liftsAt, owner }: Refusal, asked: WaitQuery): WaitsFor {
  if (code === 'ClosesTooSoon') return 'the clock';
  // The turn then passes to another domain, or the next wave begins, perhaps without this node.
  if (code === 'DomainSettling' || code === 'WaveSettling') return 'the cluster';
  if (code === 'RateSpent' && liftsAt === undefined) return waitsForRate(owner, asked);
  if (byUse.has(code)) return waitsForUse(code, { index: owner?.index, liftsAt }, asked);
  if (liftsAt !== undefined) return 'the clock';
  return personalCodes.has(code) ? 'someone' : 'the cluster';
}

/** A rate of zero waits for a person, one that nodes in flight use up for them. */
function waitsForRate(owner: Refusal['owner'], { wish, situation, rates }: WaitQuery): WaitsFor {
  const isOwn = (rule: TimeRule): boolean => rule.owner?.name === owner?.name && rule.owner?.index === owner?.index;
  if (rates.rules(wish).some(isOwn)) return 'the clock';
  const tally = owner?.kind === 'NodePool' ? situation.tallies.get(owner.name) : undefined;
  const budget = tally?.pool.rates.find(({ index }) => index === owner?.index);
  return budget && isZero(budget.nodes) ? 'someone' : 'the cluster';
}

/** Time lifts a limit if it is high enough at that instant for the units in use now. */
function waitsForUse(
  code: RefusalCode,
  { index, liftsAt }: { readonly index: number | undefined; readonly liftsAt: Instant | undefined },
  { wish, at, situation }: WaitQuery,
): WaitsFor {
  const tally = wish.pool && situation.tallies.get(wish.pool.name);
  if (!tally || index === undefined) return 'the cluster';
  if (code === 'DomainBudgetSpent') {
    const budget = tally.pool.budgets.find((it) => it.index === index);
    if (liftsAt === at && at > situation.now) return 'the clock';
    return budget && isZero(budget.nodes) && !budget.window ? 'someone' : 'the cluster';
  }
  const { reason, view } = wish;
  // A node that is not counted needs no unit: it waits only for the end of a freeze.
  const isUnitless = code === 'BudgetSpent' && !view.state.counted;
  const query = (isUnitless ? freezeQuery : limitQuery)(tally, reason, situation);
  const { limit } = code === 'KarpenterBudget' ? karpenterLimit(tally, reason, { now: at }) : limitAt(query, at);
  if (limit === 0) return 'someone';
  const consumed = code === 'KarpenterBudget' ? asKarpenterCounts(tally).consumed : consumedFor(reason, tally);
  const isOwn = code !== 'KarpenterBudget' && isConsumed(view, reason, situation);
  const isEnough = limit === undefined || isUnitless || needed(consumed, isOwn) <= limit;
  return isEnough && at > situation.now ? 'the clock' : 'the cluster';
}
