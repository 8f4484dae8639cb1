// One wish explained: its refusals with help, when it becomes possible, and what it waits for (J1).
import type { Reason } from '../../cluster/reason.ts';
import { formatClock, type Instant } from '../../time/instant.ts';
import { personalCodes, type Refusal, type RefusalCode, type RuleOwner, refusalCodes } from '../refusal.ts';
import type { ConflictingRule, Round, Verdict, WaitsFor } from '../verdict.ts';

/** A refusal with what a person can do about it. */
export interface RefusalWithHelp extends Refusal {
  readonly help: string;
}

export const addHelp = (refusal: Refusal): RefusalWithHelp => ({
  ...refusal,
  help: refusal.help ?? (refusal.typesSeenOnly ? tellTypes : refusalCodes[refusal.code].help),
});

/** For rules that never permit at the same time, the help to wait would be wrong (E12). */
export const addHelpTo = ({ refusals, neverMeet = [] }: Verdict): readonly RefusalWithHelp[] =>
  refusals.map((refusal) => {
    const isAtFault = neverMeet.some(({ code, owner }) => code === refusal.code && isSameOwner(owner, refusal.owner));
    return isAtFault ? { ...refusal, help: changeOne } : addHelp(refusal);
  });

const isSameOwner = (one: RuleOwner | undefined, other: RuleOwner | undefined): boolean =>
  (['kind', 'namespace', 'name', 'index'] as const).every((key) => one?.[key] === other?.[key]);

const changeOne = 'Change one of the rules that never permit it at the same time: waiting does not help.';

/** For refusals that are based on an incomplete list of instance types (F5). */
const tellTypes =
  "Give Lull all instance types: let it read Karpenter's metrics (setting `karpenterMetrics`), or list them in the setting `catalogue`.";

export interface WishWhy {
  readonly reason: Reason;
  readonly outcome: Verdict['outcome'];
  readonly detail?: string;
  /** Absent if it is not held. */
  readonly waitsFor?: WaitsFor;
  /** Set if it waits only for time: the same instant as `possibleAt`. */
  readonly until?: Instant;
  /** The first instant at which every rule that depends on time permits it; absent if it is not held, or not determined. */
  readonly possibleAt?: Instant | 'never';
  /** With `never`: the fewest rules that never permit together. */
  readonly neverMeet?: readonly ConflictingRule[];
  readonly podsAgreeAt?: Instant;
  readonly refusals: readonly RefusalWithHelp[];
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
    refusals: addHelpTo(verdict),
  };
}

/** The wish that is nearest to `go`: what holds it is what holds the node. */
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

/** Codes of rules with hours, which need not have `liftsAt`. */
const ofHours: ReadonlySet<RefusalCode> = new Set([
  'PodScheduleClosed',
  'PodBlocked',
  'WindowBlocks',
  'WindowNotOpen',
  'ClosesTooSoon',
] as const);

/** Completes a sentence that begins with the node: `is held until Sat 22:00 UTC: pod ml/train may be moved only in its window …`. */
export function describeHold(verdict: Verdict, { at: now }: Pick<Round, 'at'>): string {
  const until = untilWhen(verdict);
  const { refusals } = verdict;
  const first = refusals[0]?.message ?? 'no reason is recorded';
  if (until === 'time passes') return `${heldUntil[until]}: ${first}`;
  if (typeof until === 'string') return `${heldUntil[until]}: ${lastingOf(verdict)?.message ?? first}`;
  if ('at' in until) return `is held until ${formatClock(until.at, now)}: ${decisive(refusals, until.at)}`;
  if ('never' in until) return `can never be disrupted under its current rules: ${describeNever(until.never)}`;
  const why = decisive(refusals, until.notBefore);
  const lasting = lastingOf(verdict);
  const when = `at least until ${formatClock(until.notBefore, now)}: ${why}`;
  if (!lasting || lasting.message === why) return `is held ${when}`;
  if (until.besides === 'someone acts') return `${heldUntil[until.besides]}: ${lasting.message}; ${when}`;
  return `is held ${when}; also: ${lasting.message}`;
}

const heldUntil: Readonly<Record<Extract<Until, string>, string>> = {
  'the cluster changes': 'is held until the cluster changes',
  'someone acts': 'is held until someone acts',
  'time passes': 'is held by its schedules',
};

/** `A; B; these rules never permit it at the same time within 400 days`. */
export function describeNever(rules: readonly ConflictingRule[]): string {
  const messages = rules.map(({ message }) => message).join('; ');
  if (rules.length < 2) return `${messages}; this does not permit it within 400 days`;
  return `${messages}; these rules never permit it at the same time within 400 days`;
}

/** The message of the refusal that ends at that instant; else of the first rule with hours, since no single one decides. */
function decisive(refusals: readonly Refusal[], at: Instant): string {
  const last = refusals.find(({ liftsAt }) => liftsAt === at);
  if (last) return last.message;
  const timed = refusals.filter(({ code, liftsAt }) => ofHours.has(code) || liftsAt !== undefined);
  const [first] = timed;
  if (!first) return refusals[0]?.message ?? 'no reason is recorded';
  return timed.length > 1 ? `only then do all its rules permit it, among them: ${first.message}` : first.message;
}

/** The refusal that time does not lift: if a person must act, the one to act on; else the node's own before shared limits. */
function lastingOf({ refusals, waitsFor }: Verdict): Refusal | undefined {
  const lasting = refusals.filter(
    ({ code, liftsAt }) => (liftsAt === undefined && code !== 'ClosesTooSoon') || shared.has(code),
  );
  if (waitsFor === 'someone') {
    // Without a personal refusal it is a limit of zero that a person must raise.
    const toActOn =
      lasting.find(({ code }) => personalCodes.has(code)) ??
      lasting.find(({ code, liftsAt }) => liftsAt === undefined && raisable.has(code));
    if (toActOn) return toActOn;
  }
  return lasting.find(({ code }) => !shared.has(code)) ?? lasting[0];
}

/** Limits that a person can raise. */
const raisable: ReadonlySet<RefusalCode> = new Set([
  'BudgetSpent',
  'DomainBudgetSpent',
  'KarpenterBudget',
  'WindowCapSpent',
] as const);

/** Refusals by shared limits, which lift as other nodes are done. */
const shared: ReadonlySet<RefusalCode> = new Set([
  'BudgetSpent',
  'DomainBudgetSpent',
  'KarpenterBudget',
  'WindowCapSpent',
  'NotItsTurn',
  'AnotherDomainInFlight',
  'DomainSettling',
  'WaveSettling',
  'WaveFull',
  'Nominated',
] as const);

// How long a wish is held: until an instant, at least until one, for ever under its current rules, or until something happens (J1).

/** `time passes`: only rules that depend on time hold it, and the instant could not be determined. */
export type Until =
  | { readonly at: Instant }
  | { readonly notBefore: Instant; readonly besides: Besides }
  | { readonly never: readonly ConflictingRule[] }
  | Besides
  | 'time passes';

type Besides = 'the cluster changes' | 'someone acts';

const besides: Readonly<Record<Exclude<WaitsFor, 'the clock'>, Besides>> = {
  'the cluster': 'the cluster changes',
  someone: 'someone acts',
};

/** Only for held wishes. */
export function untilWhen({
  possibleAt,
  neverMeet = [],
  waitsFor = 'the cluster',
}: Pick<Verdict, 'possibleAt' | 'neverMeet' | 'waitsFor'>): Until {
  if (possibleAt === 'never') return { never: neverMeet };
  if (typeof possibleAt !== 'number') return waitsFor === 'the clock' ? 'time passes' : besides[waitsFor];
  return waitsFor === 'the clock' ? { at: possibleAt } : { notBefore: possibleAt, besides: besides[waitsFor] };
}

/** Consolidation that no rule holds and that is merely not worthwhile is not shown: that is the case for most busy nodes (A6). */
const notWorthwhile: ReadonlySet<RefusalCode> = new Set([
  'NoPlacement',
  'NotCheaper',
  'NoPriceKnown',
  'KarpenterDeclined',
] as const);

export const isWorthTelling = ({ reason, outcome, refusals }: Verdict): boolean =>
  reason !== 'Underutilized' || outcome !== 'held' || !refusals.every(({ code }) => notWorthwhile.has(code));
