// The explanation of a node: its wishes, refusals and command, and the pods that restrict when they move.
import type { MaintenanceWindow } from '../../cluster/model.ts';
import { type NodeView, unreadySince } from '../../cluster/nodeView.ts';
import { budgetReasons } from '../../cluster/reason.ts';
import { formatClock, type Instant } from '../../time/instant.ts';
import { isMarked } from '../commands/marks.ts';
import { isZero } from '../rules/budgets.ts';
import { activeHours } from '../rules/openHours.ts';
import type { SlowClaim } from '../slowClaims.ts';
import type { PodReport, Round, Verdict } from '../verdict.ts';
import {
  type CommandWhy,
  describeCommand,
  describeSavings,
  explainCommand,
  trialReason,
  type WhyContext,
} from './commandWhy.ts';
import { addHelp, describeHold, explainWish, nearestWish, type RefusalWithHelp, type WishWhy } from './wishWhy.ts';

export interface NodeWhy {
  readonly kind: 'node';
  readonly at: Instant;
  readonly name: string;
  /** The answer in one sentence. */
  readonly headline: string;
  readonly pool?: string;
  readonly claim?: string;
  readonly ready: boolean;
  /** Pods that have to be rescheduled. */
  readonly pods: number;
  /** In observe: marks that a Lull in guide mode has left, which explain why Karpenter does not disrupt it (N1). */
  readonly leftBehind?: string;
  /** NodeClaims of its pool that are not ready in time (F7). Absent = none. */
  readonly slowClaims?: readonly SlowClaim[];
  readonly wishes: readonly WishWhy[];
  readonly command?: CommandWhy;
  /** Pods on it that restrict when they move, or hold it. */
  readonly podsWithASay: readonly RestrictingPod[];
  /** Windows that block it now, such as a pause. Absent = none. */
  readonly blocked?: readonly BlockedBy[];
  /** The maintenance windows that select it. */
  readonly windows: readonly string[];
}

interface RestrictingPod extends Omit<PodReport, 'node' | 'refusals'> {
  readonly refusals: readonly RefusalWithHelp[];
}

export function explainNode(told: WhyContext, view: NodeView): NodeWhy {
  const { round } = told;
  const { node, claim, poolName, state, reschedulable, windows } = view;
  const verdicts = round.verdicts.filter((it) => it.node === node.name);
  const command = round.commands.find(({ nodes }) => nodes.some(({ name }) => name === node.name));
  const explained = command && explainCommand(command, told);
  const blocked = view.managed ? blockedBy(windows, round.at) : [];
  const slow = slowOf(round, poolName);
  return {
    kind: 'node',
    at: round.at,
    name: node.name,
    headline: `${node.name} ${describeNode(round, view, { verdicts, command: explained })}`,
    ...(poolName !== undefined && { pool: poolName }),
    ...(claim && { claim: claim.name }),
    ready: state.ready,
    pods: reschedulable.length,
    ...(told.isLive && told.role === 'observe' && isMarked(node) && { leftBehind }),
    ...(slow.length > 0 && { slowClaims: slow }),
    wishes: verdicts.map((verdict) => explainWish(verdict, round)),
    ...(explained && { command: explained }),
    podsWithASay: round.pods.filter((it) => it.node === node.name).map(withHelp),
    ...(blocked.length > 0 && { blocked }),
    windows: windows.map(({ name }) => name),
  };
}

const leftBehind =
  'A Lull in guide mode has parked it (lull.dev/parked), so Karpenter does not disrupt it; in observe mode Lull does not change that. Unless another Lull guides this cluster, run `lull release`.';

const withHelp = ({ node: _, refusals, ...rest }: PodReport): RestrictingPod => ({
  ...rest,
  refusals: refusals.map(addHelp),
});

interface NodeActivity {
  readonly verdicts: readonly Verdict[];
  readonly command: CommandWhy | undefined;
}

function describeNode(round: Round, view: NodeView, { verdicts, command }: NodeActivity): string {
  const going = verdicts.find(({ outcome }) => outcome === 'go');
  if (going && command?.stage === 'begins')
    return `may be disrupted now (${going.reason})${describeReplacement(command)}`;
  if (command) return describeCommand(command, round.at);
  if (verdicts.some(({ outcome }) => outcome === 'underway') || view.state.leaving) return describeRemoval(view, round);
  const nearest = nearestWish(verdicts);
  if (nearest) return describeHold(nearest, round);
  if (!view.managed) return 'is left alone: it belongs to no pool';
  if (!view.state.ready)
    return `has not been Ready since ${formatClock(unreadySince(view), round.at)}, not yet long enough to be repaired`;
  return 'has no reason to be disrupted';
}

function describeReplacement(command: CommandWhy): string {
  const names = command.replacements.map(({ instanceType, name }) => instanceType ?? name);
  const figures = describeSavings(command);
  const none = command.trial ? `, ${trialReason}` : ', without a replacement';
  const told = names.length === 0 ? none : `, replaced by ${names.join(' and ')}`;
  return `${told}${figures === '' ? '' : `; it ${figures}`}`;
}

function describeRemoval({ node, state }: NodeView, { at: now, interruptions = [] }: Round): string {
  const since = state.leaving?.since;
  const reason = state.leaving?.reason ? ` (${state.leaving.reason})` : '';
  const time = since === undefined ? '' : `, since ${formatClock(since, now)}`;
  const interruption = interruptions.find((it) => it.node === node.name);
  if (interruption) return `is being removed by Karpenter because of an interruption${time}: ${interruption.message}`;
  return `is being removed${reason}, not by Lull${time}`;
}

// MaintenanceWindows that block nodes now, such as a pause: shown even if no node has a wish (Q5).

export interface BlockedBy {
  /** The name of the window. */
  readonly name: string;
  readonly author?: string;
  readonly note?: string;
  /** The reasons it blocks; absent = all but interruptions. */
  readonly reasons?: readonly string[];
  /** When it closes by itself; absent = never. */
  readonly until?: Instant;
}

/** The windows that are active now and allow no node. */
export function blockedBy(windows: Iterable<MaintenanceWindow>, now: Instant): BlockedBy[] {
  return [...new Set(windows)]
    .filter((window) => window.mode === 'Block' && isZero(window.nodes) && activeHours(window).isOpen(now))
    .map((window) => {
      const { name, author, note, reasons } = window;
      const until = activeHours(window).nextChange(now);
      return {
        name,
        ...(author !== undefined && { author }),
        ...(note !== undefined && { note }),
        ...(reasons.size < budgetReasons.length && { reasons: [...reasons] }),
        ...(until !== undefined && { until }),
      };
    });
}

/** The slow claims of one pool (F7). */
export const slowOf = ({ slowClaims = [] }: Round, pool: string | undefined): readonly SlowClaim[] =>
  slowClaims.filter((it) => it.pool === pool);
