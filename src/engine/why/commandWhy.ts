// The explanation of a command: its progress, what it waits for, what it saves and how many pods it moves.
import type { Command, Replacement, Step } from '../../cluster/ledger.ts';
import { isConsolidation, type Reason } from '../../cluster/reason.ts';
import type { Settings } from '../../cluster/settings.ts';
import { formatClock, type Instant } from '../../time/instant.ts';
import { formatPrice as price } from '../placement/price.ts';
import type { CommandReport, Round } from '../verdict.ts';
import { addHelp, type RefusalWithHelp } from './wishWhy.ts';

export interface CommandWhy {
  readonly id: string;
  readonly reason: Reason;
  readonly hands: Command['hands'];
  /** begins = with this round; watched = it would begin, but in observe Lull changes nothing (N1). */
  readonly stage: 'underway' | 'begins' | 'watched';
  readonly nodes: readonly string[];
  readonly replacements: readonly Replacement[];
  readonly step: Step;
  readonly startedAt: Instant;
  readonly stepAt: Instant;
  /** The steps in order, each done, current or ahead (G1). */
  readonly path: readonly { readonly step: Step | 'gone'; readonly state: 'done' | 'now' | 'ahead' }[];
  /** When pods that are left are forced (H1). */
  readonly deadline?: Instant;
  readonly podsLeft?: number;
  /** Savings per hour once it is done; absent = unknown. */
  readonly savings?: number;
  /** The number of pods it moves; absent = unknown. */
  readonly podsMoved?: number;
  /** Offered so that Karpenter evaluates it (F5). */
  readonly trial?: boolean;
  /** Why it was released. */
  readonly why?: string;
  readonly waitingFor: readonly RefusalWithHelp[];
}

const byLull = ['chosen', 'tainted', 'replacing', 'draining', 'terminating', 'gone'] as const;
const byKarpenter = ['offered', 'taken', 'gone'] as const;

/** The round to explain, and the role that decided it. */
export interface WhyContext {
  readonly round: Round;
  readonly role: Settings['role'];
  /** Whether the round is of a live cluster, not of files, which do not show whether a Lull runs there. */
  readonly isLive?: boolean;
}

export function explainCommand(command: CommandReport, told: WhyContext): CommandWhy {
  const { id, reason, hands, nodes, replacements, step, startedAt, stepAt, drain, deadline, why } = command;
  const { savings, podsMoved, trial } = command;
  return {
    id,
    reason,
    hands,
    stage: stageOf(command, told),
    nodes: nodes.map(({ name }) => name),
    replacements,
    step,
    startedAt,
    stepAt,
    path: pathOf(command),
    ...(deadline !== undefined && { deadline }),
    ...(step === 'draining' && drain && { podsLeft: drain.left }),
    ...(savings !== undefined && { savings }),
    ...(podsMoved !== undefined && { podsMoved }),
    ...(trial && { trial }),
    ...(why !== undefined && { why }),
    waitingFor: (command.waitingFor ?? []).map(addHelp),
  };
}

/** An empty node needs no replacement. */
export const isReplacedByKarpenter = ({ hands, reason }: Pick<Command, 'hands' | 'reason'>): boolean =>
  hands === 'karpenter' && reason !== 'Empty';

/** A verdict is `go` exactly if a command of this round takes the node (L2). */
function stageOf({ nodes }: CommandReport, { round, role }: WhyContext): CommandWhy['stage'] {
  const isNew = round.verdicts.some(({ node, outcome }) => outcome === 'go' && nodes.some(({ name }) => name === node));
  if (!isNew) return 'underway';
  return role === 'observe' ? 'watched' : 'begins';
}

function pathOf({ hands, reason, step, replacements }: CommandReport): CommandWhy['path'] {
  const isPaused = isConsolidation(reason);
  const all: readonly (Step | 'gone')[] = hands === 'karpenter' ? byKarpenter : byLull;
  const own = all.filter(
    (it) => it === step || ((it !== 'chosen' || isPaused) && (it !== 'replacing' || replacements.length > 0)),
  );
  const at = own.indexOf(step);
  // Released or withdrawn commands leave the path.
  if (at < 0) return [{ step, state: 'now' }];
  return own.map((it, index) => ({ step: it, state: index < at ? 'done' : index === at ? 'now' : 'ahead' }));
}

const doing: Readonly<Record<Step, string>> = {
  chosen: 'is chosen and is checked again before anything is changed',
  tainted: 'is tainted and takes no new pods',
  replacing: 'waits for its replacement',
  draining: 'is being drained',
  terminating: 'is being deleted',
  released: 'is released',
  offered: 'is offered to Karpenter',
  taken: 'is taken by Karpenter',
  withdrawn: 'is withdrawn from Karpenter',
};

/** `is being drained for Drifted since 10:12 UTC, until 11:12 UTC at the latest; waiting: pod …` */
export function describeCommand(command: CommandWhy, now: Instant): string {
  const { step, stage, reason, stepAt, deadline, waitingFor, why, trial } = command;
  if (stage === 'watched') return `may be disrupted now (${reason}); in observe mode Lull changes nothing`;
  const latest = deadline === undefined || deadline <= now ? '' : `, until ${formatClock(deadline, now)} at the latest`;
  const [first] = waitingFor;
  const aim = trial && step === 'offered' ? `, ${trialReason}` : '';
  const cause = why !== undefined ? `: ${why}` : first ? `; waiting: ${first.message}` : '';
  return `${doing[step]} (${reason}) since ${formatClock(stepAt, now)}${latest}${aim}${cause}`;
}

// The savings and moves of a command, in the same words in every output.

type CommandFigures = Pick<Command, 'savings' | 'podsMoved'>;

/** Why a node is offered that Lull itself does not know to be worth removing (F5). */
export const trialReason = 'so that Karpenter evaluates it: Lull does not know all instance types';

/** The savings, with the reason of a trial offer. */
export function describeWorth(command: CommandFigures & Pick<Command, 'trial'>): string {
  const figures = describeSavings(command);
  return command.trial ? [trialReason, figures].filter(Boolean).join('; ') : figures;
}

/** `saves 0.192 an hour, moves 3 pods`; empty if neither is known. */
export function describeSavings({ savings, podsMoved }: CommandFigures): string {
  const parts = [
    ...(savings === undefined ? [] : [saved(savings)]),
    ...(podsMoved === undefined || podsMoved === 0 ? [] : [`moves ${podsMoved} pod${podsMoved === 1 ? '' : 's'}`]),
  ];
  return parts.join(', ');
}

function saved(savings: number): string {
  const amount = price(Math.abs(savings));
  if (amount === '0') return 'saves nothing';
  return savings > 0 ? `saves ${amount} an hour` : `costs ${amount} more an hour`;
}
