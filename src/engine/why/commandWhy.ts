// How far is a command, and what does it wait for?
import type { Command, Replacement, Step } from '../../cluster/ledger.ts';
import type { Reason } from '../../cluster/reason.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Instant } from '../../time/instant.ts';
import type { CommandReport, Round } from '../verdict.ts';
import { sayClock } from './clockWords.ts';
import { trialWords } from './savingsWords.ts';
import { type Advised, advise } from './wishWhy.ts';

export interface CommandWhy {
  readonly id: string;
  readonly reason: Reason;
  readonly hands: Command['hands'];
  /** begins = with this round; watched = it would, but in observe Lull touches nothing (N1). */
  readonly stage: 'underway' | 'begins' | 'watched';
  readonly nodes: readonly string[];
  readonly replacements: readonly Replacement[];
  readonly step: Step;
  readonly startedAt: Instant;
  readonly stepAt: Instant;
  /** G1's steps in order: behind it, where it is, ahead of it. */
  readonly path: readonly { readonly step: Step | 'gone'; readonly state: 'done' | 'now' | 'ahead' }[];
  /** H1: when what is left is forced. */
  readonly deadline?: Instant;
  readonly podsLeft?: number;
  /** What the cluster costs less once it is over, an hour; absent = not known. */
  readonly savings?: number;
  /** How many pods it moves in all; absent = not known. */
  readonly podsMoved?: number;
  /** F5: it is offered so that Karpenter judges it. */
  readonly trial?: boolean;
  /** Why it was released. */
  readonly why?: string;
  readonly waitingFor: readonly Advised[];
}

const byLull = ['chosen', 'tainted', 'replacing', 'draining', 'terminating', 'gone'] as const;
const byKarpenter = ['offered', 'taken', 'gone'] as const;

/** What was decided, and by whom. */
export interface Told {
  readonly round: Round;
  readonly role: Settings['role'];
  /** Of a cluster as it stands, not of files, which do not say whether a Lull acts there. */
  readonly isLive?: boolean;
}

export function explainCommand(command: CommandReport, told: Told): CommandWhy {
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
    waitingFor: (command.waitingFor ?? []).map(advise),
  };
}

/** An empty node leaves nothing to run elsewhere. */
export const isReplacedByKarpenter = ({ hands, reason }: Pick<Command, 'hands' | 'reason'>): boolean =>
  hands === 'karpenter' && reason !== 'Empty';

/** L2: a verdict is `go` exactly where a command of this round takes the node. */
function stageOf({ nodes }: CommandReport, { round, role }: Told): CommandWhy['stage'] {
  const isNew = round.verdicts.some(({ node, outcome }) => outcome === 'go' && nodes.some(({ name }) => name === node));
  if (!isNew) return 'underway';
  return role === 'observe' ? 'watched' : 'begins';
}

function pathOf({ hands, reason, step, replacements }: CommandReport): CommandWhy['path'] {
  const isPaused = reason === 'Empty' || reason === 'Underutilized';
  const all: readonly (Step | 'gone')[] = hands === 'karpenter' ? byKarpenter : byLull;
  const own = all.filter(
    (it) => it === step || ((it !== 'chosen' || isPaused) && (it !== 'replacing' || replacements.length > 0)),
  );
  const at = own.indexOf(step);
  // Released or withdrawn: it goes no further on this way.
  if (at < 0) return [{ step, state: 'now' }];
  return own.map((it, index) => ({ step: it, state: index < at ? 'done' : index === at ? 'now' : 'ahead' }));
}

const doing: Readonly<Record<Step, string>> = {
  chosen: 'is chosen and looked at once more before anything is touched',
  tainted: 'takes no new pods any more',
  replacing: 'waits for its replacement',
  draining: 'is being drained',
  terminating: 'is being taken away',
  released: 'is released again',
  offered: 'is offered to Karpenter',
  taken: 'is taken by Karpenter',
  withdrawn: 'is withdrawn from Karpenter',
};

/** `is being drained for Drifted since 10:12 UTC, until 11:12 UTC at the latest; it waits: pod …` */
export function sayCommand(command: CommandWhy, now: Instant): string {
  const { step, stage, reason, stepAt, deadline, waitingFor, why, trial } = command;
  if (stage === 'watched') return `may go now (${reason}); in the role observe Lull touches nothing`;
  const latest = deadline === undefined || deadline <= now ? '' : `, until ${sayClock(deadline, now)} at the latest`;
  const [first] = waitingFor;
  const aim = trial && step === 'offered' ? `, ${trialWords}` : '';
  const cause = why !== undefined ? `: ${why}` : first ? `; it waits: ${first.message}` : '';
  return `${doing[step]} (${reason}) since ${sayClock(stepAt, now)}${latest}${aim}${cause}`;
}
