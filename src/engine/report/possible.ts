// When a held wish becomes possible: the first instant that every rule of time permits, and what it waits for besides (E12, J1).
import { openSlot } from '../../cluster/memory.ts';
import { after, asDuration, day, type Instant } from '../../time/instant.ts';
import { firstMeeting, type Meeting, neverMeeting, permitsAt } from '../../time/meet.ts';
import { isUnworked } from '../gates/podRules.ts';
import type { Judged } from '../judged.ts';
import { isZero, limitAt } from '../limits/budgets.ts';
import { karpenterLimit } from '../limits/karpenterBudgets.ts';
import { triedBefore } from '../limits/offers.ts';
import { consumedFor, limitQuery, needed } from '../limits/poolBudgets.ts';
import { personalCodes, type Refusal, type RefusalCode } from '../refusal.ts';
import { isConsumed, type Situation } from '../situation.ts';
import { type TimeRule, timeRulesOf } from '../timeRules.ts';
import type { RuleAtFault, Verdict, WaitsFor } from '../verdict.ts';
import type { Wish } from '../wish.ts';

export type Possible = Pick<Verdict, 'possibleAt' | 'neverMeet' | 'waitsFor'>;

/** A wish that is held, by what. */
export type Held = Pick<Judged, 'wish' | 'refusals'>;

/** `others`: what else the node wishes. Karpenter may take it for any of that first (N4). */
export function findPossible(held: Held, others: readonly Wish[], situation: Situation): Possible {
  const meeting = meetingOf(held, others, situation);
  const waitsFor = findWaitsFor(held, meeting, situation);
  if (meeting.at === 'not worked out') return { waitsFor };
  return { possibleAt: meeting.at, ...(meeting.neverMeet && { neverMeet: meeting.neverMeet }), waitsFor };
}

interface Met {
  readonly at: Exclude<Meeting, Instant> | Instant | 'now';
  readonly neverMeet?: readonly RuleAtFault[];
}

/** Rules whose hours are known: their own instants say no more. */
const byHours: ReadonlySet<RefusalCode> = new Set([
  'WindowBlocks',
  'WindowNotOpen',
  'PodScheduleClosed',
  'PodBlocked',
  'ClosesTooSoon',
] as const);

/** What others use up. An hour at which a limit is higher does not depend on time alone. */
const byUse: ReadonlySet<RefusalCode> = new Set([
  'BudgetSpent',
  'DomainBudgetSpent',
  'KarpenterBudget',
  'WindowCapSpent',
] as const);

/** An opt-out, a back-off or consolidateAfter that ends later than this never ends as far as anybody plans. */
const farthest = asDuration(400 * day);

function meetingOf({ wish, refusals }: Held, others: readonly Wish[], situation: Situation): Met {
  const { now } = situation;
  const last = lastFloor(refusals);
  if (last?.liftsAt !== undefined && last.liftsAt > after(now, farthest))
    return { at: 'never', neverMeet: [withoutInstant(last)] };
  if (isUnworked(wish)) return { at: 'not worked out' };
  const from = last?.liftsAt !== undefined && last.liftsAt > now ? last.liftsAt : now;
  const rules = rulesOver(wish, others, situation);
  if (rules.every((rule) => permitsAt(rule, from))) return { at: from === now ? 'now' : from };
  return rememberedMeeting(wish, rules, from);
}

/** Of all refusals that end once and for good, the one that ends last. */
function lastFloor(refusals: readonly Refusal[]): Refusal | undefined {
  let last: Refusal | undefined;
  for (const refusal of refusals) {
    const { code, liftsAt } = refusal;
    if (liftsAt === undefined || byHours.has(code) || byUse.has(code)) continue;
    if (last?.liftsAt === undefined || liftsAt > last.liftsAt) last = refusal;
  }
  return last;
}

const withoutInstant = ({ code, message, owner }: RuleAtFault): RuleAtFault => ({
  code,
  message,
  ...(owner && { owner }),
});

/** In guide also those of the wishes that Karpenter would try before this one. */
function rulesOver(wish: Wish, others: readonly Wish[], { settings }: Situation): readonly TimeRule[] {
  const own = timeRulesOf(wish, settings);
  if (settings.role !== 'guide' || others.length === 0) return own;
  const before = triedBefore(wish.reason);
  const more = others.filter(({ reason }) => before.includes(reason)).flatMap((it) => timeRulesOf(it, settings));
  return more.length === 0 ? own : [...own, ...more];
}

interface Known extends Met {
  readonly rules: readonly TimeRule[];
  readonly from: Instant;
}

const remembered = openSlot<Known>();

/** The same until the instant it found, as long as the rules are the same. */
function rememberedMeeting(wish: Wish, rules: readonly TimeRule[], from: Instant): Met {
  const known = remembered.recall(wish);
  if (known && typeof known.at === 'number' && isSame(known.rules, rules) && known.from <= from && from <= known.at)
    return known;
  const at = firstMeeting(rules, from);
  const neverMeet = at === 'never' ? tell(rules, neverMeeting(rules, from)) : undefined;
  // A verdict that says the same is the same object.
  if (neverMeet && known?.neverMeet && isSame(known.rules, rules) && isEqual(known.neverMeet, neverMeet)) return known;
  return remembered.keep(wish, { rules, from, at, ...(neverMeet && { neverMeet }) });
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a === b || (a.length === b.length && a.every((one, index) => one === b[index]));

const isEqual = (a: readonly RuleAtFault[], b: readonly RuleAtFault[]): boolean =>
  a.length === b.length && a.every(({ message }, index) => message === b[index]?.message);

/** In the order of the rules, as a person would look them up: windows, budgets, pods. */
const tell = (rules: readonly TimeRule[], fewest: readonly Pick<TimeRule, 'window'>[]): RuleAtFault[] => {
  const windows = new Set(fewest.map(({ window }) => window));
  const named = new Map(rules.map((rule) => [rule.window, rule]));
  return [...named.values()].filter(({ window }) => windows.has(window)).map(withoutInstant);
};

function findWaitsFor({ wish, refusals }: Held, { at }: Met, situation: Situation): WaitsFor {
  if (at === 'never') return 'someone';
  let waitsFor: WaitsFor = 'the clock';
  for (const refusal of refusals) {
    const mine = waitsForOne(refusal, { wish, at: typeof at === 'number' ? at : situation.now, situation });
    if (mine === 'someone') return mine;
    if (mine === 'the cluster') waitsFor = mine;
  }
  return waitsFor;
}

interface Asked {
  readonly wish: Wish;
  /** When the rules of time permit it. */
  readonly at: Instant;
  readonly situation: Situation;
}

function waitsForOne({ code, liftsAt, owner }: Refusal, asked: Asked): WaitsFor {
  if (code === 'ClosesTooSoon') return 'the clock';
  // The turn passes to another domain then, which may not be this one.
  if (code === 'DomainSettling') return 'the cluster';
  if (byUse.has(code)) return waitsForUse(code, { index: owner?.index, liftsAt }, asked);
  if (liftsAt !== undefined) return 'the clock';
  return personalCodes.has(code) ? 'someone' : 'the cluster';
}

/** A limit is lifted by time where it is high enough at that instant, with as much in use as now. */
function waitsForUse(
  code: RefusalCode,
  { index, liftsAt }: { readonly index: number | undefined; readonly liftsAt: Instant | undefined },
  { wish, at, situation }: Asked,
): WaitsFor {
  const tally = wish.pool && situation.tallies.get(wish.pool.name);
  if (!tally || index === undefined) return 'the cluster';
  if (code === 'DomainBudgetSpent') {
    const budget = tally.pool.budgets.find((it) => it.index === index);
    if (liftsAt === at && at > situation.now) return 'the clock';
    return budget && isZero(budget.nodes) && !budget.window ? 'someone' : 'the cluster';
  }
  const { reason, view } = wish;
  const { limit } =
    code === 'KarpenterBudget'
      ? karpenterLimit(tally, reason, { now: at })
      : limitAt(limitQuery(tally, reason, situation), at);
  if (limit === 0) return 'someone';
  const consumed = code === 'KarpenterBudget' ? tally.consumed : consumedFor(reason, tally);
  const isOwn = code !== 'KarpenterBudget' && isConsumed(view, reason, situation);
  const isEnough = limit === undefined || needed(consumed, isOwn) <= limit;
  return isEnough && at > situation.now ? 'the clock' : 'the cluster';
}
