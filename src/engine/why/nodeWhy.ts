// Why does this node go, or stay? Every wish, every refusal, the command over it, and the pods that have a say.
import { type NodeView, unreadySince } from '../../cluster/nodeView.ts';
import type { Instant } from '../../time/instant.ts';
import { isMarked } from '../commands/parking.ts';
import type { SlowClaim } from '../slowClaims.ts';
import type { PodReport, Round, Verdict } from '../verdict.ts';
import { type BlockedBy, blockedBy } from './blockedBy.ts';
import { sayClock } from './clockWords.ts';
import { type CommandWhy, explainCommand, sayCommand, type Told } from './commandWhy.ts';
import { slowOf } from './poolWhy.ts';
import { saySavings, trialWords } from './savingsWords.ts';
import { type Advised, advise, explainWish, nearestWish, sayHeld, type WishWhy } from './wishWhy.ts';

export interface NodeWhy {
  readonly kind: 'node';
  readonly at: Instant;
  readonly name: string;
  /** One sentence that says it all. */
  readonly headline: string;
  readonly pool?: string;
  readonly claim?: string;
  readonly ready: boolean;
  /** Pods that would need another place. */
  readonly pods: number;
  /** What a Lull that acted has left on it, where this one does not act (N1): nothing else tells why Karpenter keeps off. */
  readonly leftBehind?: string;
  /** F7: claims of its pool that take too long to become nodes. Absent = none. */
  readonly slowClaims?: readonly SlowClaim[];
  readonly wishes: readonly WishWhy[];
  readonly command?: CommandWhy;
  /** Pods on it that have a rule of their own, or hold it. */
  readonly podsWithASay: readonly PodSay[];
  /** Those of the windows over it that block it now, such as a pause. Absent = none. */
  readonly blocked?: readonly BlockedBy[];
  /** The maintenance windows that select it. */
  readonly windows: readonly string[];
}

export interface PodSay extends Omit<PodReport, 'node' | 'refusals'> {
  readonly refusals: readonly Advised[];
}

export function explainNode(told: Told, view: NodeView): NodeWhy {
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
    headline: `${node.name} ${sayNode(round, view, { verdicts, command: explained })}`,
    ...(poolName !== undefined && { pool: poolName }),
    ...(claim && { claim: claim.name }),
    ready: state.ready,
    pods: reschedulable.length,
    ...(told.isLive && told.role === 'observe' && isMarked(node) && { leftBehind }),
    ...(slow.length > 0 && { slowClaims: slow }),
    wishes: verdicts.map((verdict) => explainWish(verdict, round)),
    ...(explained && { command: explained }),
    podsWithASay: round.pods.filter((it) => it.node === node.name).map(saying),
    ...(blocked.length > 0 && { blocked }),
    windows: windows.map(({ name }) => name),
  };
}

const leftBehind =
  'A Lull that guided has parked it (lull.dev/parked), and in the role observe it stays so: Karpenter leaves it alone. Unless another Lull guides this cluster, run `lull release`.';

const saying = ({ node: _, refusals, ...rest }: PodReport): PodSay => ({ ...rest, refusals: refusals.map(advise) });

interface Standing {
  readonly verdicts: readonly Verdict[];
  readonly command: CommandWhy | undefined;
}

function sayNode(round: Round, view: NodeView, { verdicts, command }: Standing): string {
  const going = verdicts.find(({ outcome }) => outcome === 'go');
  if (going && command?.stage === 'begins') return `may go now (${going.reason})${replacing(command)}`;
  if (command) return sayCommand(command, round.at);
  if (verdicts.some(({ outcome }) => outcome === 'underway') || view.state.leaving) return sayLeaving(view, round.at);
  const nearest = nearestWish(verdicts);
  if (nearest) return sayHeld(nearest, round);
  if (!view.managed) return 'stays: it belongs to no pool, and Lull leaves it alone';
  if (!view.state.ready)
    return `stays: it has not been Ready since ${sayClock(unreadySince(view), round.at)}, which is not yet long enough`;
  return 'stays: it has no reason to go';
}

function replacing(command: CommandWhy): string {
  const names = command.replacements.map(({ instanceType, name }) => instanceType ?? name);
  const figures = saySavings(command);
  const none = command.trial ? `, ${trialWords}` : ', and needs no replacement';
  const told = names.length === 0 ? none : `, replaced by ${names.join(' and ')}`;
  return `${told}${figures === '' ? '' : `; it ${figures}`}`;
}

function sayLeaving({ state }: NodeView, now: Instant): string {
  const since = state.leaving?.since;
  const reason = state.leaving?.reason ? ` (${state.leaving.reason})` : '';
  return `is on its way out${reason}, not by Lull${since === undefined ? '' : `, since ${sayClock(since, now)}`}`;
}
