// How do the commands under way go on (G1)? Level-based: what the facts do not show as done is asked for again, so that
// whoever comes after a crash goes on from there.
import type { Command } from '../../cluster/ledger.ts';
import { compareText } from '../../cluster/nodeView.ts';
import { earliest, type Instant } from '../../time/instant.ts';
import type { Asked } from '../judged.ts';
import { openPlacer } from '../placement/place.ts';
import type { Situation } from '../situation.ts';
import type { CommandReport, Ended } from '../verdict.ts';
import type { Wish } from '../wish.ts';
import type { Action } from './action.ts';
import { watchReplacements } from './arrival.ts';
import { chosen, isJudgedAgain } from './chosen.ts';
import { draining } from './draining.ts';
import { openDrains } from './drains.ts';
import { inherited } from './inherited.ts';
import { offered } from './offered.ts';
import { openPdbUnits } from './pdbUnits.ts';
import { isGone, isLeaving, placesOf } from './place.ts';
import { released, taken } from './released.ts';
import { replacing } from './replacing.ts';
import {
  type Context,
  type GuideStep,
  move,
  type Outcome,
  type OwnStep,
  release,
  type Stays,
  type StepRule,
} from './step.ts';
import { tainted } from './tainted.ts';
import { taken as takenByKarpenter } from './taken.ts';
import { terminating } from './terminating.ts';
import { withdrawn } from './withdrawn.ts';

const own: Readonly<Record<OwnStep, StepRule>> = { chosen, tainted, replacing, draining, terminating, released };
const guided: Readonly<Record<GuideStep, StepRule>> = { offered, taken: takenByKarpenter, withdrawn };

/** Whose hands, what steps. A role carries out what its own hands began; of the rest it takes leave. */
const rules: Readonly<Record<Command['hands'], Readonly<Record<string, StepRule>>>> = { lull: own, karpenter: guided };
const handsOf = { observe: undefined, drive: 'lull', guide: 'karpenter' } as const;

/** What became of the commands of the ledger in this round. */
export interface Advanced {
  /** In the ledger's order; the same list where nothing is to be remembered. */
  readonly commands: readonly Command[];
  readonly reports: readonly CommandReport[];
  readonly ended: readonly Ended[];
  /** In the order in which the commands were started. */
  readonly actions: readonly Action[];
  readonly wakeAt: Instant | undefined;
  /** F4: pools that failed, and pools whose replacements came. */
  readonly failed: ReadonlySet<string>;
  readonly arrived: ReadonlySet<string>;
  /** C13: replacements that will not come, since their command is undone. */
  readonly undone: ReadonlySet<string>;
  /** C13: commands whose first pod is asked to go in this round. */
  readonly emptying: readonly Command[];
  /** N3: nodes that Karpenter did not take. */
  readonly declined: readonly string[];
}

export function advanceCommands(situation: Situation, asked: readonly Asked[]): Advanced {
  const { ledger, settings } = situation;
  const mine = settings.role === 'observe' ? [] : ledger.commands.filter(({ hands, step }) => step in rules[hands]);
  if (mine.length === 0) return resting(ledger.commands);
  const context = openContext(situation, asked);
  const ways = new Map(
    [...mine]
      .sort((a, b) => a.startedAt - b.startedAt || compareText(a.id, b.id))
      .map((command) => [command, walk(command, context)]),
  );
  return gather(ledger.commands, ways);
}

const nothing: ReadonlySet<string> = new Set();

const resting = (commands: readonly Command[]): Advanced => ({
  commands,
  reports: commands,
  ended: [],
  actions: [],
  wakeAt: undefined,
  failed: nothing,
  arrived: nothing,
  undone: nothing,
  emptying: [],
  declined: [],
});

function openContext(situation: Situation, asked: readonly Asked[]): Context {
  const wishes = new Map<string, Wish[]>();
  for (const { wish, refusals } of asked) {
    if (refusals) continue;
    const { name } = wish.view.node;
    wishes.set(name, [...(wishes.get(name) ?? []), wish]);
  }
  const again = situation.ledger.commands.filter((command) => isJudgedAgain(command, situation));
  const judgedAgain = new Set(again.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  const placer = openPlacer(situation, { judgedAgain });
  return { situation, wishes, placer, pdbs: openPdbUnits(), drains: openDrains(situation) };
}

/** One command through as many steps as this round allows. */
interface Way {
  readonly end: Stays | { readonly over: 'gone' | 'released'; readonly command: Command };
  readonly failed: readonly string[];
  readonly arrived: readonly string[];
  readonly declined: readonly string[];
}

function walk(command: Command, context: Context): Way {
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
    else return { end: withFarewells(outcome, context), failed, arrived, declined };
  }
}

const ruleOf = ({ hands, step }: Command, { situation }: Context): StepRule =>
  hands === handsOf[situation.settings.role] ? (rules[hands][step] as StepRule) : inherited[hands];

/** What others did to its nodes meanwhile comes first: they are gone, or deleted. */
function overtaken(command: Command, { situation }: Context): Outcome | undefined {
  if (command.hands === 'karpenter') return undefined;
  const { cluster, now } = situation;
  const places = placesOf(command, cluster);
  const standing = places.filter((place) => !isGone(place) && !isLeaving(place));
  if (command.step === 'released' && !places.some(isLeaving)) return undefined;
  if (standing.length > 0) return undefined;
  if (!places.every(isGone)) {
    if (command.step === 'terminating') return undefined;
    // Replacements that nobody has made by now would come too late.
    const made = command.replacements.filter(({ state, name }) => state !== undefined || cluster.claim(name));
    return { next: move({ ...command, replacements: made }, 'terminating', now) };
  }
  if (command.step === 'replacing') return { next: release(command, 'its node is gone', now) };
  return lastReplacements(command, situation) ?? { over: 'gone' };
}

/** N6: a claim that cannot be launched is not left behind, though nothing else is left of its command. */
function lastReplacements(command: Command, situation: Situation): Stays | undefined {
  const raised = watchReplacements(command, situation);
  const isOver = raised.wakeAt === undefined && withdrawals(raised.command, situation).length === 0;
  return isOver ? undefined : { ...raised, actions: [] };
}

const withdrawals = ({ replacements, id }: Command, situation: Situation): readonly Action[] =>
  replacements.filter(({ state }) => state === 'failed').flatMap((it) => taken(it, id, situation));

/** N6: what failed is taken away at once, whatever the command does otherwise. */
function withFarewells(stays: Stays, { situation }: Context): Stays {
  const { command, actions } = stays;
  const more = command.step === 'released' ? [] : withdrawals(command, situation);
  return more.length === 0 ? stays : { ...stays, actions: [...more, ...actions] };
}

function gather(known: readonly Command[], ways: ReadonlyMap<Command, Way>): Advanced {
  const commands: Command[] = [];
  const reports: CommandReport[] = [];
  const ended: Ended[] = [];
  for (const before of known) {
    const end = ways.get(before)?.end ?? { command: before, actions: [] };
    if ('over' in end) {
      ended.push(farewell(end.command, end.over));
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
    undone: new Set([...ways].flatMap(undoneBy)),
    emptying: [...ways].flatMap(([before, { end }]) =>
      before.evictedAt === undefined && end.command.evictedAt !== undefined ? [end.command] : [],
    ),
    declined: all.flatMap(({ declined }) => declined),
  };
}

const firstOf = (ways: readonly Way[]): Instant | undefined =>
  ways.reduce<Instant | undefined>((at, { end }) => earliest(at, 'over' in end ? undefined : end.wakeAt), undefined);

const report = ({ command, deadline, waitingFor = [] }: Stays): CommandReport =>
  deadline === undefined && waitingFor.length === 0
    ? command
    : { ...command, ...(deadline !== undefined && { deadline }), ...(waitingFor.length > 0 && { waitingFor }) };

const farewell = ({ id, reason, pool, nodes, why }: Command, how: Ended['how']): Ended => ({
  id,
  reason,
  pool,
  nodes: nodes.map(({ name }) => name),
  how,
  ...(how === 'released' && why !== undefined && { why }),
});

function undoneBy([before, { end }]: [Command, Way]): readonly string[] {
  const { step, replacements } = end.command;
  const kept = step === 'released' ? [] : replacements.map(({ name }) => name);
  return before.step === 'released'
    ? []
    : before.replacements.map(({ name }) => name).filter((it) => !kept.includes(it));
}
