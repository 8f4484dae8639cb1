// What holds a node or a drain, reduced to codes and owners, which identify a hold across rounds (J5, E9, G7).
import type { Refusal, RefusalCode } from '../refusal.ts';
import type { CommandReport, PodReport, Round, Verdict } from '../verdict.ts';

/** Refusals of consolidation that is not worthwhile: evaluated only for nodes that nothing else holds. */
const unplaced: readonly RefusalCode[] = ['NoPlacement', 'NotCheaper', 'NoPriceKnown', 'KarpenterDeclined'];

/** Not reported, since most nodes have them: consolidation that is not worthwhile, too early, or turned off (A6). */
const ordinary: readonly RefusalCode[] = [...unplaced, 'NotStable', 'PolicyOff'];

/** Identifies the hold. Undefined = nothing to report: the node goes, which its command reports, or the hold is ordinary. */
export function holdOf(verdict: Verdict, isObserving: boolean): string | undefined {
  const { outcome, reason, refusals } = verdict;
  if (outcome === 'go') return isObserving ? 'go' : undefined;
  if (outcome === 'underway' || refusals[0]?.code === 'AlreadyUnderway') return undefined;
  const isConsolidation = reason === 'Empty' || reason === 'Underutilized';
  if (isConsolidation && refusals.some(({ code }) => ordinary.includes(code))) return undefined;
  const codes = codesIn(decisive(refusals));
  return verdict.possibleAt === 'never' ? `never ${codes}` : codes;
}

/**
 * Shared limits lift and return as other nodes go: they count only for nodes without a refusal of their own, and of several the one
 * that lasts longest.
 */
const shared: readonly RefusalCode[] = [
  'ReplacementSlow',
  'AnotherDomainInFlight',
  'DomainSettling',
  'WaveSettling',
  'WaveFull',
  'NotItsTurn',
  'WindowCapSpent',
  'KarpenterBudget',
  'BudgetSpent',
  'DomainBudgetSpent',
];

/** Whether it lifts as other nodes go, without anyone acting. */
export const isShared = (code: RefusalCode): boolean => shared.includes(code) || unplaced.includes(code);

function decisive(refusals: readonly Refusal[]): readonly Refusal[] {
  const own = refusals.filter(({ code }) => !shared.includes(code));
  if (own.length > 0 || refusals.length <= 1) return own.length > 0 ? own : refusals;
  const [first] = [...refusals].sort((a, b) => shared.indexOf(a.code) - shared.indexOf(b.code));
  return first ? [first] : [];
}

export function codesIn(refusals: readonly Refusal[]): string {
  const [first] = refusals;
  if (first && refusals.length === 1) return codeAndOwner(first);
  return [...new Set(refusals.map(codeAndOwner))].sort().join(' ');
}

function codeAndOwner({ code, owner }: Refusal): string {
  if (!owner) return code;
  const { kind, namespace = '', name, index = '' } = owner;
  return `${code}:${kind}/${namespace}/${name}/${index}`;
}

export const waitingDrains = ({ commands }: Round): readonly CommandReport[] =>
  commands.filter(({ waitingFor = [] }) => waitingFor.length > 0);

/** Whether neither time nor a deadline ends the wait (G7). */
export const isStuck = ({ deadline, waitingFor = [] }: CommandReport): boolean =>
  deadline === undefined && waitingFor.some(({ liftsAt }) => liftsAt === undefined);

const bySchedule: ReadonlySet<RefusalCode> = new Set(['PodScheduleClosed', 'PodBlocked'] as const);

/** The refusals of a pod's schedules. */
export const scheduleRefusals = ({ refusals }: PodReport): readonly Refusal[] =>
  refusals.filter(({ code }) => bySchedule.has(code));

export const isDeferred = (pod: PodReport): boolean => scheduleRefusals(pod).length > 0;

/** Pods that a schedule keeps on nodes whose drain is waiting. */
export function deferredPods(round: Round): readonly PodReport[] {
  const nodes = new Set(waitingDrains(round).flatMap((command) => command.nodes.map(({ name }) => name)));
  return nodes.size === 0 ? [] : round.pods.filter((pod) => nodes.has(pod.node) && isDeferred(pod));
}
