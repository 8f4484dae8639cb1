// The steps of a command: their results, its nodes as they are now, and the second check of the gates (G5).
import type { Command, CommandNode, Step } from '../../cluster/ledger.ts';
import type { Claim } from '../../cluster/model.ts';
import { taint } from '../../cluster/names.ts';
import type { NodeView, PdbRef } from '../../cluster/nodeView.ts';
import type { Cluster } from '../../cluster/store.ts';
import { type Instant, minute } from '../../time/instant.ts';
import type { Placer } from '../consolidation/placer.ts';
import { askGates } from '../gates/gates.ts';
import type { StartCounts } from '../limits/startCounts.ts';
import type { Refusal, RefusalCode } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { Action } from './action.ts';

/** One step of a command: takes its record and the facts, returns what happens next (G1). */
export type StepRule = (command: Command, context: StepContext) => StepRuleOutcome;

export type StepRuleOutcome = StepChange | StepResult | CommandEnd;

/** The command moves to another step, which runs in the same round. */
interface StepChange {
  readonly next: Command;
  /** Pools whose replacements failed, or whose drains made no progress (F4). */
  readonly failed?: readonly string[];
  /** Pools whose replacements became ready (F4). */
  readonly arrived?: readonly string[];
  /** Nodes that Karpenter did not take (N3). */
  readonly declined?: readonly string[];
}

export interface StepResult {
  /** The same object if there is nothing to record. */
  readonly command: Command;
  readonly actions: readonly Action[];
  /** When time alone advances it. The sender repeats requests that were rejected. */
  readonly wakeAt?: Instant | undefined;
  /** What holds it (G7). */
  readonly waitingFor?: readonly Refusal[];
  /** When pods left on its nodes are deleted by force (H1). */
  readonly deadline?: Instant | undefined;
  readonly failed?: readonly string[];
}

interface CommandEnd {
  readonly over: 'gone' | 'released';
}

/** The state that the steps of all commands share in a round. */
export interface StepContext {
  readonly situation: Situation;
  /** By node. */
  readonly wishes: ReadonlyMap<string, readonly Wish[]>;
  /** Evictions that PDBs still allow, over all commands (E10). */
  readonly pdbs: PdbUnits;
  /** When pods are forced, over all commands (H). */
  readonly drains: Drains;
  /** What began under rate limits (P1). */
  readonly starts: StartCounts;
  /** Places the pods of chosen nodes again when the command is checked a second time (G1). */
  readonly placer: Placer;
}

export interface Drains {
  /** When each pod of this command's nodes is forced, by uid; none without a deadline. */
  momentsFor(command: Command): ReadonlyMap<string, Instant>;
  /** Whether one more pod of a PDB may be forced now: not while another one is terminating (H3). */
  forceOne(box: PdbRef): boolean;
}

/** Evictions that PodDisruptionBudgets still permit in this round, over all commands (E10, G6). */
export interface PdbUnits {
  /** Whether one more eviction is permitted; if so, it is counted. */
  take(box: PdbRef): boolean;
}

/** The steps that Lull carries out itself (G1). */
const ownSteps = ['chosen', 'tainted', 'replacing', 'draining', 'terminating', 'released'] as const;
export type OwnStep = (typeof ownSteps)[number];

/** The steps that Karpenter carries out (G1). */
export type GuideStep = 'offered' | 'taken' | 'withdrawn';

export const move = (command: Command, step: Step, now: Instant): Command => ({ ...command, step, stepAt: now });

/** Drops the planned targets, and replacements that were never requested. */
export function release(command: Command, why: string, now: Instant): Command {
  const { drain: _, ...rest } = command;
  const untouched = command.step === 'chosen' || command.step === 'tainted';
  return {
    ...rest,
    ...(untouched && { replacements: [] }),
    promisedTo: [],
    step: 'released',
    stepAt: now,
    why: why.slice(0, longestWhy),
  };
}

/** The nodes are to be parked again; an earlier parking does not count (N3). */
export function withdraw(command: Command, why: string, now: Instant): Command {
  const { parkedAt: _, ...rest } = command;
  return { ...rest, promisedTo: [], step: 'withdrawn', stepAt: now, why: why.slice(0, longestWhy) };
}

/** The ledger keeps one sentence. */
const longestWhy = 500;

/** A claim that is not launched by then counts as failed (N6). */
export const launchTimeout = minute;

/** A node of a command, with node and claim as far as they still exist. */
export interface DisruptedNode {
  readonly name: string;
  readonly view?: NodeView;
  readonly claim?: Claim;
}

export const disruptedNodesOf = ({ nodes }: Command, cluster: Cluster): readonly DisruptedNode[] =>
  nodes.map((node) => findDisruptedNode(node, cluster));

function findDisruptedNode({ name, claim: claimName }: CommandNode, cluster: Cluster): DisruptedNode {
  const view = cluster.node(name);
  const claim = claimName === undefined ? undefined : cluster.claim(claimName);
  // Clouds reuse names: a node with another claim is another node.
  const isOther = claimName !== undefined && view?.claim !== undefined && view.claim.name !== claimName;
  return { name, ...(view && !isOther && { view }), ...(claim && { claim }) };
}

export const isGone = ({ view, claim }: DisruptedNode): boolean => !view && !claim;

/** Whether Karpenter has started to disrupt it, or it is being deleted: neither do-not-disrupt nor a budget stops that (N3, [l]). */
export const isTaken = (place: Pick<DisruptedNode, 'view' | 'claim'> | NodeView): boolean => {
  const { node, claim } = 'node' in place ? place : { node: place.view?.node, claim: place.claim };
  return (
    claim?.deletingSince !== undefined ||
    node?.deletingSince !== undefined ||
    claim?.conditions.DisruptionReason?.status === 'True' ||
    (node?.taints.some(({ key }) => key === taint.karpenterDisrupted) ?? false)
  );
};

/** Whether it is being deleted, which cannot be undone. */
export const isLeaving = ({ view, claim }: DisruptedNode): boolean =>
  claim?.deletingSince !== undefined || view?.node.deletingSince !== undefined;

// The second check (G5): the node must still have the wish (I4), and no gate may refuse it.

/** Which refusal codes count at a step. */
export type RefusalFilter = (code: RefusalCode) => boolean;

const startsOnly: ReadonlySet<RefusalCode> = new Set(['PoolBackingOff', 'ReplacementSlow', 'ClosesTooSoon'] as const);
const closingCodes: ReadonlySet<RefusalCode> = new Set([
  'WindowBlocks',
  'WindowNotOpen',
  'WindowFault',
  'HealthGateClosed',
  'HealthGateUnknown',
  'NeedsApproval',
] as const);

/** Before the taint: all codes except those that only concern starts. */
export const beforeTaint: RefusalFilter = (code) => !startsOnly.has(code);

/** While waiting for replacements: only maintenance windows, health gates (D6, O4), and approvals that have ended (Q2). */
export const whileReplacing: RefusalFilter = (code) => closingCodes.has(code);

/** Before the first eviction: a spent PDB is waited for and does not release the command. */
export const beforeEviction: RefusalFilter = (code) => beforeTaint(code) && code !== 'PdbSpent';

/** Why the command must not continue; undefined = it may. */
export function objection(command: Command, context: StepContext, counts: RefusalFilter): string | undefined {
  for (const place of disruptedNodesOf(command, context.situation.cluster)) {
    if (isGone(place) || isLeaving(place)) continue;
    const { name } = place;
    const wishes = context.wishes.get(name) ?? [];
    if (wishes.some(isForced)) continue;
    const wish = wishes.find(({ reason }) => reason === command.reason);
    if (!wish) return `${name} is no longer ${command.reason}`;
    const against = formatFirst(askGates(wish, context.situation).filter(({ code }) => counts(code)));
    if (against !== undefined) return against;
  }
  return undefined;
}

export const formatFirst = ([first]: readonly Refusal[]): string | undefined =>
  first && `${first.code}: ${first.message}`;

const isForced = ({ kind }: Wish): boolean => kind === 'forced';

/** Whether the cloud interrupts one of its nodes, though the command may have started for another reason. */
export const isUrgent = ({ reason, nodes }: Command, { wishes }: StepContext): boolean =>
  reason === 'Interrupted' || nodes.some(({ name }) => wishes.get(name)?.some(isForced));
