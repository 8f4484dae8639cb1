// Advances the commands under way (G1). Level-based: requests whose effect is not visible yet are repeated, so that a controller can
// continue after a crash.
import type { Command } from '../../cluster/ledger.ts';
import { compareText } from '../../cluster/nodeView.ts';
import { earliest, type Instant } from '../../time/instant.ts';
import { Placer } from '../consolidation/placer.ts';
import { countStarts } from '../limits/startCounts.ts';
import type { BoardLease } from '../placement/boardLease.ts';
import type { Situation } from '../situation.ts';
import type { CommandReport, EndedCommand } from '../verdict.ts';
import type { GatedWish } from '../wishOutcome.ts';
import type { Action } from './action.ts';
import { draining } from './draining.ts';
import { openDrains, openPdbUnits } from './drains.ts';
import { chosen, isJudgedAgain, released, tainted, takeAway, terminating } from './driveSteps.ts';
import { offered, taken, withdrawn } from './guideSteps.ts';
import { replacing, watchReplacements } from './replacing.ts';
import {
  disruptedNodesOf,
  type GuideStep,
  isGone,
  isLeaving,
  isTaken,
  move,
  type OwnStep,
  release,
  type StepContext,
  type StepResult,
  type StepRule,
  type StepRuleOutcome,
  withdraw,
} from './step.ts';

const own: Readonly<Record<OwnStep, StepRule>> = { chosen, tainted, replacing, draining, terminating, released };
const guided: Readonly<Record<GuideStep, StepRule>> = { offered, taken, withdrawn };

/** The steps of each actor. A role advances commands of its own actor and winds down the others. */
const rules: Readonly<Record<Command['hands'], Readonly<Record<string, StepRule>>>> = { lull: own, karpenter: guided };
const handsOf = { observe: undefined, drive: 'lull', guide: 'karpenter' } as const;

/** The ledger's commands after this round. */
export interface AdvancedCommands {
  /** In the ledger's order; the same list if nothing changed. */
  readonly commands: readonly Command[];
  readonly reports: readonly CommandReport[];
  readonly ended: readonly EndedCommand[];
  /** In the order in which the commands started. */
  readonly actions: readonly Action[];
  readonly wakeAt: Instant | undefined;
  /** Pools whose replacements failed, and pools whose replacements became ready (F4). */
  readonly failed: ReadonlySet<string>;
  readonly arrived: ReadonlySet<string>;
  /** By pool: drift commands whose replacements did not become ready (P5). */
  readonly driftFailures: ReadonlyMap<string, number>;
  /** Replacements that will not come, since their command was released (C13). */
  readonly undone: ReadonlySet<string>;
  /** Commands that evict their first pod in this round (C13). */
  readonly emptying: readonly Command[];
  /** Nodes that Karpenter did not take (N3). */
  readonly declined: readonly string[];
}

export function advanceCommands(
  situation: Situation,
  asked: readonly GatedWish[],
  boards: BoardLease,
): AdvancedCommands {
  const { ledger, settings } = situation;
  const mine = settings.role === 'observe' ? [] : ledger.commands.filter(({ hands, step }) => step in rules[hands]);
  if (mine.length === 0) return resting(ledger.commands);
  const context = openContext(situation, asked, boards);
  const ways = new Map(
    [...mine]
      .sort((a, b) => a.startedAt - b.startedAt || compareText(a.id, b.id))
      .map((command) => [command, walk(command, context)]),
  );
  return gather(ledger.commands, ways);
}

const nothing: ReadonlySet<string> = new Set();

const resting = (commands: readonly Command[]): AdvancedCommands => ({
  commands,
  reports: commands,
  ended: [],
  actions: [],
  wakeAt: undefined,
  failed: nothing,
  arrived: nothing,
  driftFailures: new Map(),
  undone: nothing,
  emptying: [],
  declined: [],
});

function openContext(situation: Situation, asked: readonly GatedWish[], boards: BoardLease): StepContext {
  const all = asked.map(({ wish }) => wish);
  const wishes: StepContext['wishes'] = Map.groupBy(all, ({ view }) => view.node.name);
  const again = situation.ledger.commands.filter((command) => isJudgedAgain(command, situation));
  const judgedAgain = new Set(again.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  const placer = new Placer(situation, { boards, judgedAgain });
  const starts = countStarts(situation);
  return { situation, wishes, placer, starts, pdbs: openPdbUnits(), drains: openDrains(situation) };
}

/** One command, advanced through as many steps as this round allows. */
interface CommandWalk {
  readonly end: StepResult | { readonly over: 'gone' | 'released'; readonly command: Command };
  readonly failed: readonly string[];
  readonly arrived: readonly string[];
  readonly declined: readonly string[];
}

function walk(command: Command, context: StepContext): CommandWalk {
  const failed: string[] = [];
  const arrived: string[] = [];
  const declined: string[] = [];
  let current = command;
  for (;;) {
    const outcome = overtaken(current, context) ?? ruleOf(current, context)(current, context);
    if ('failed' in outcome) failed.push(...(outcome.failed ?? []));
    if ('arrived' in outcome) arrived.push(...(outcome.arrived ?? []));
    if ('declined' in outcome) declined.push(...(outcome.declined ?? []));
    if ('next' in outcome) current = outcome.next;
    else if ('over' in outcome) return { end: { ...outcome, command: current }, failed, arrived, declined };
    else return { end: withDeletions(outcome, context), failed, arrived, declined };
  }
}

const ruleOf = ({ hands, step }: Command, { situation }: StepContext): StepRule =>
  hands === handsOf[situation.settings.role] ? (rules[hands][step] as StepRule) : inherited[hands];

/** Handles nodes that others have removed meanwhile: gone, or being deleted. */
function overtaken(command: Command, { situation }: StepContext): StepRuleOutcome | undefined {
  if (command.hands === 'karpenter') return undefined;
  const { cluster, now } = situation;
  const places = disruptedNodesOf(command, cluster);
  const standing = places.filter((place) => !isGone(place) && !isLeaving(place));
  if (command.step === 'released' && !places.some(isLeaving)) return undefined;
  if (standing.length > 0) return undefined;
  if (!places.every(isGone)) {
    if (command.step === 'terminating') return undefined;
    // Replacements that have not been created by now would come too late.
    const made = command.replacements.filter(({ state, name }) => state !== undefined || cluster.claim(name));
    return { next: move({ ...command, replacements: made }, 'terminating', now) };
  }
  if (command.step === 'replacing') return { next: release(command, 'its node is gone', now) };
  return lastReplacements(command, situation) ?? { over: 'gone' };
}

/** A claim that cannot be launched is deleted even if nothing else is left of its command (N6). */
function lastReplacements(command: Command, situation: Situation): StepResult | undefined {
  const raised = watchReplacements(command, situation);
  const isOver = raised.wakeAt === undefined && withdrawals(raised.command, situation).length === 0;
  return isOver ? undefined : { ...raised, actions: [] };
}

const withdrawals = ({ replacements, id }: Command, situation: Situation): readonly Action[] =>
  replacements.filter(({ state }) => state === 'failed').flatMap((it) => takeAway(it, id, situation));

/** Failed replacements are deleted at once, whatever else the command does (N6). */
function withDeletions(stays: StepResult, { situation }: StepContext): StepResult {
  const { command, actions } = stays;
  const more = command.step === 'released' ? [] : withdrawals(command, situation);
  return more.length === 0 ? stays : { ...stays, actions: [...more, ...actions] };
}

function gather(known: readonly Command[], ways: ReadonlyMap<Command, CommandWalk>): AdvancedCommands {
  const commands: Command[] = [];
  const reports: CommandReport[] = [];
  const ended: EndedCommand[] = [];
  for (const before of known) {
    const end = ways.get(before)?.end ?? { command: before, actions: [] };
    if ('over' in end) {
      ended.push(endedCommand(end.command, end.over));
      continue;
    }
    commands.push(end.command);
    reports.push(report(end));
  }
  const all = [...ways.values()];
  const isSame = commands.length === known.length && commands.every((command, index) => command === known[index]);
  return {
    commands: isSame ? known : commands,
    reports,
    ended,
    actions: all.flatMap(({ end }) => ('over' in end ? [] : end.actions)),
    wakeAt: firstOf(all),
    failed: new Set(all.flatMap(({ failed }) => failed)),
    arrived: new Set(all.flatMap(({ arrived }) => arrived)),
    driftFailures: countDriftFailures(ways),
    undone: new Set([...ways].flatMap(undoneBy)),
    emptying: [...ways].flatMap(([before, { end }]) =>
      before.evictedAt === undefined && end.command.evictedAt !== undefined ? [end.command] : [],
    ),
    declined: all.flatMap(({ declined }) => declined),
  };
}

/** A drain that makes no progress fails too (F4), but not its replacement. */
function countDriftFailures(ways: ReadonlyMap<Command, CommandWalk>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [{ reason, pool, step }, { failed }] of ways) {
    if (reason === 'Drifted' && failed.length > 0 && step !== 'draining') counts.set(pool, (counts.get(pool) ?? 0) + 1);
  }
  return counts;
}

const firstOf = (ways: readonly CommandWalk[]): Instant | undefined =>
  ways.reduce<Instant | undefined>((at, { end }) => earliest(at, 'over' in end ? undefined : end.wakeAt), undefined);

const report = ({ command, deadline, waitingFor = [] }: StepResult): CommandReport =>
  deadline === undefined && waitingFor.length === 0
    ? command
    : { ...command, ...(deadline !== undefined && { deadline }), ...(waitingFor.length > 0 && { waitingFor }) };

const endedCommand = ({ id, reason, pool, nodes, why }: Command, how: EndedCommand['how']): EndedCommand => ({
  id,
  reason,
  pool,
  nodes: nodes.map(({ name }) => name),
  how,
  ...(how === 'released' && why !== undefined && { why }),
});

function undoneBy([before, { end }]: [Command, CommandWalk]): readonly string[] {
  const { step, replacements } = end.command;
  const kept = step === 'released' ? [] : replacements.map(({ name }) => name);
  return before.step === 'released'
    ? []
    : before.replacements.map(({ name }) => name).filter((it) => !kept.includes(it));
}

// Commands started in another role are undone, or waited for where that is impossible. Nothing is started twice, and no mark stays for
// ever (docs/decisions/0011).

const why = ({ situation }: StepContext): string => `Lull now runs in the role ${situation.settings.role}`;

/** Commands of drive, found in guide. Their replacements become ordinary nodes: guide deletes nothing. */
const ofDrive: StepRule = (command, context) => {
  const { cluster, now } = context.situation;
  if (command.replacements.length > 0) return { next: { ...command, replacements: [] } };
  if (command.step === 'released') return released(command, context);
  const isGoing = disruptedNodesOf(command, cluster).every(isLeaving);
  if (command.step === 'terminating' && isGoing) return { command, actions: [] };
  return { next: release(command, why(context), now) };
};

/** Commands of guide, found in drive. */
const ofGuide: StepRule = (command, context) => {
  const { cluster, now } = context.situation;
  if (command.step === 'taken') return taken(command, context);
  if (command.step === 'withdrawn') return withdrawn(command, context);
  return disruptedNodesOf(command, cluster).some(isTaken)
    ? { next: move(command, 'taken', now) }
    : { next: withdraw(command, why(context), now) };
};

const inherited: Readonly<Record<Command['hands'], StepRule>> = { lull: ofDrive, karpenter: ofGuide };
