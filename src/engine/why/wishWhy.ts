// One wish told: its refusals with what a person could do about each, when it becomes possible, and what it waits for.
import type { Reason } from '../../cluster/reason.ts';
import type { Instant } from '../../time/instant.ts';
import { personalCodes, type Refusal, type RefusalCode, type RuleOwner, refusalCodes } from '../refusal.ts';
import type { Round, RuleAtFault, Verdict, WaitsFor } from '../verdict.ts';
import { sayClock } from './clockWords.ts';
import { type Until, untilWhen } from './untilWhen.ts';

/** A refusal, and what a person could do about it. */
export interface Advised extends Refusal {
  readonly help: string;
}

export const advise = (refusal: Refusal): Advised => ({
  ...refusal,
  help: refusal.help ?? (refusal.typesSeenOnly ? tellTypes : refusalCodes[refusal.code].help),
});

/** A rule that never permits together with another is not waited for: the advice to wait would be false (E12). */
export const adviseOn = ({ refusals, neverMeet = [] }: Verdict): readonly Advised[] =>
  refusals.map((refusal) => {
    const isAtFault = neverMeet.some(({ code, owner }) => code === refusal.code && isSameOwner(owner, refusal.owner));
    return isAtFault ? { ...refusal, help: changeOne } : advise(refusal);
  });

const isSameOwner = (one: RuleOwner | undefined, other: RuleOwner | undefined): boolean =>
  (['kind', 'namespace', 'name', 'index'] as const).every((key) => one?.[key] === other?.[key]);

const changeOne = 'Change one of the rules that never meet: waiting does not help.';

/** F5: the refusal is only as good as what is known. */
const tellTypes =
  "Let Lull know all instance types: let it read Karpenter's metrics (setting `karpenterMetrics`), or list them in the setting `catalogue`.";

export interface WishWhy {
  readonly reason: Reason;
  readonly outcome: Verdict['outcome'];
  readonly detail?: string;
  /** Absent where it is not held. */
  readonly waitsFor?: WaitsFor;
  /** Where it waits for the clock alone: the same instant as `possibleAt`. */
  readonly until?: Instant;
  /** The first instant at which every rule of time permits it; absent where it is not held, or it could not be worked out. */
  readonly possibleAt?: Instant | 'never';
  /** With `never`: the fewest rules that never permit together. */
  readonly neverMeet?: readonly RuleAtFault[];
  readonly podsAgreeAt?: Instant;
  readonly refusals: readonly Advised[];
}

export function explainWish(verdict: Verdict, { at }: Pick<Round, 'at'>): WishWhy {
  const { reason, outcome, detail, podsAgreeAt, possibleAt, neverMeet, waitsFor } = verdict;
  const until = outcome === 'held' ? untilWhen(verdict) : undefined;
  return {
    reason,
    outcome,
    ...(detail !== undefined && { detail }),
    ...(waitsFor !== undefined && { waitsFor }),
    ...(typeof until === 'object' && 'at' in until && { until: until.at }),
    ...(possibleAt !== undefined && { possibleAt: possibleAt === 'now' ? at : possibleAt }),
    ...(neverMeet && { neverMeet }),
    ...(podsAgreeAt !== undefined && { podsAgreeAt }),
    refusals: adviseOn(verdict),
  };
}

/** The wish that is nearest to going: what holds it is what holds the node. */
export function nearestWish(verdicts: readonly Verdict[]): Verdict | undefined {
  const held = verdicts.filter(({ outcome }) => outcome === 'held');
  const ranked = held.map((verdict) => ({ verdict, rank: rankOf(untilWhen(verdict)) }));
  return ranked.sort((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1])[0]?.verdict;
}

function rankOf(until: Until): [number, number] {
  if (until === 'time passes') return [1, 0];
  if (typeof until === 'string') return [until === 'the cluster changes' ? 2 : 4, 0];
  if ('at' in until) return [0, until.at];
  if ('notBefore' in until) return [until.besides === 'the cluster changes' ? 3 : 5, until.notBefore];
  return [6, 0];
}

/** Rules of hours: what is read of them at the instant they permit together. */
const ofHours: ReadonlySet<RefusalCode> = new Set([
  'PodScheduleClosed',
  'PodBlocked',
  'WindowBlocks',
  'WindowNotOpen',
  'ClosesTooSoon',
] as const);

/** What a node does, after its name: `stays until Sat 22:00 UTC: pod ml/train may be moved only in its window`. */
export function sayHeld(verdict: Verdict, { at: now }: Pick<Round, 'at'>): string {
  const until = untilWhen(verdict);
  const { refusals } = verdict;
  const first = refusals[0]?.message ?? 'nothing says why';
  if (until === 'time passes') return `waits for its hours: ${first}`;
  if (typeof until === 'string') return `${waiting[until]}: ${lastingOf(verdict)?.message ?? first}`;
  if ('at' in until) return `stays until ${sayClock(until.at, now)}: ${decisive(refusals, until.at)}`;
  if ('never' in until) return `can never go as its rules are: ${sayNever(until.never)}`;
  const why = decisive(refusals, until.notBefore);
  const lasting = lastingOf(verdict);
  const when = `goes not before ${sayClock(until.notBefore, now)}: ${why}`;
  if (!lasting || lasting.message === why) return when;
  if (until.besides === 'someone acts') return `${waiting[until.besides]}: ${lasting.message}; it ${when}`;
  return `${when}; it waits as well: ${lasting.message}`;
}

const waiting: Readonly<Record<Extract<Until, string>, string>> = {
  'the cluster changes': 'waits for the cluster',
  'someone acts': 'waits for someone to act',
  'time passes': 'waits for its hours',
};

/** `A; B: these are never open together`. */
export function sayNever(rules: readonly RuleAtFault[]): string {
  const told = rules.map(({ message }) => message).join('; ');
  if (rules.length < 2) return `${told}, which is not within 400 days`;
  return `${told}; within 400 days these never permit it together`;
}

/** The refusal that ends at that instant; else that of hours, of which no single one decides. */
function decisive(refusals: readonly Refusal[], at: Instant): string {
  const last = refusals.find(({ liftsAt }) => liftsAt === at);
  if (last) return last.message;
  const timed = refusals.filter(({ code, liftsAt }) => ofHours.has(code) || liftsAt !== undefined);
  const [first] = timed;
  if (!first) return refusals[0]?.message ?? 'nothing says why';
  return timed.length > 1 ? `only then do all its rules permit it; first of them: ${first.message}` : first.message;
}

/** What time does not lift: where a person has to act, what for; else what is its own before what many share. */
function lastingOf({ refusals, waitsFor }: Verdict): Refusal | undefined {
  const lasting = refusals.filter(
    ({ code, liftsAt }) => (liftsAt === undefined && code !== 'ClosesTooSoon') || shared.has(code),
  );
  const personal = waitsFor === 'someone' ? lasting.find(({ code }) => personalCodes.has(code)) : undefined;
  return personal ?? lasting.find(({ code }) => !shared.has(code)) ?? lasting[0];
}

/** What many share, and what passes as they go. */
const shared: ReadonlySet<RefusalCode> = new Set([
  'BudgetSpent',
  'DomainBudgetSpent',
  'KarpenterBudget',
  'WindowCapSpent',
  'NotItsTurn',
  'AnotherDomainInFlight',
  'DomainSettling',
  'Nominated',
] as const);
