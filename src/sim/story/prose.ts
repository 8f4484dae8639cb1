// The narrative of a simulation: similar events combined into sentences.
import { between, type Instant } from '../../time/instant.ts';
import { topologyNoun } from './ledgerStory.ts';
import { type Arrival, arrivalsIn, type CommandNarrative, commandNarratives, merged, slowest } from './narrative.ts';
import { roughly } from './story.ts';
import type { EventKind, StoryEvent } from './storyEvent.ts';

/** `web-1, web-4 and web-7 in zone a are replaced (Drifted), one by one, each replacement ready within 51s; 9 pods of shop/web move.` */
function describeCommands(commands: readonly CommandNarrative[]): string {
  const [first, ...others] = commands as [CommandNarrative, ...CommandNarrative[]];
  const whole = others.reduce(merged, first);
  const { pool, domain, topologyKey, reason, how } = whole;
  const nodes = [...new Set(whole.nodes)];
  const where =
    domain === undefined ? '' : ` in ${topologyKey === undefined ? 'zone' : topologyNoun(topologyKey)} ${domain}`;
  const isOne = nodes.length === 1;
  const replaced = commands.filter(({ replacements }) => replacements > 0).flatMap((it) => it.nodes).length;
  const verb = how !== 'gone' ? 'chosen' : replaced > 0 ? 'replaced' : 'removed';
  const times = whole.nodes.length > nodes.length ? ` ${whole.nodes.length} times` : '';
  const isMixed = how === 'gone' && replaced > 0 && replaced < whole.nodes.length;
  const what = isMixed ? `removed, ${replaced} of them replaced` : `${verb}${byFewer(commands, verb)}`;
  const who = `${named(nodes, pool)}${where} ${isOne ? 'is' : 'are'} ${what}${times}`;
  const pace = isOne ? '' : describePace(commands);
  const head = `${who} (${reason})${pace}${describeDurations(whole, commands.length)}${describeEnd(whole, times !== '')}`;
  return `${[head, ...describeMoves(whole)].join('; ')}.`;
}

/** The nodes of one command may share fewer replacements. */
function byFewer([first, ...others]: readonly CommandNarrative[], verb: string): string {
  if (!first || others.length > 0 || verb !== 'replaced' || first.replacements >= first.nodes.length) return '';
  return ` together by ${first.replacements === 1 ? 'one node' : `${first.replacements} nodes`}`;
}

function describeEnd({ how, why }: CommandNarrative, isRepeated: boolean): string {
  if (how === 'underway') return ', not finished yet';
  if (how !== 'released') return '';
  return `${isRepeated ? ', and released each time' : ', then released'}${why === undefined ? '' : `: ${why}`}`;
}

function describePace(commands: readonly CommandNarrative[]): string {
  if (commands.length === 1) return '';
  const most = mostAtATime(commands);
  return most === 1 ? ', one by one' : `, up to ${most} at a time`;
}

/** The most commands that counted against limits at the same time. */
function mostAtATime(commands: readonly CommandNarrative[]): number {
  const ends = commands.map(({ countedTo, to }) => countedTo ?? to ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  let ended = 0;
  let most = 0;
  commands.forEach(({ from }, index) => {
    while ((ends[ended] as number) < from) ended++;
    most = Math.max(most, index + 1 - ended);
  });
  return most;
}

function describeDurations({ from, to, how, nodes, readyAfter }: CommandNarrative, commands: number): string {
  if (how !== 'gone' || to === undefined) return '';
  const replacement = commands === 1 ? 'replacement' : 'each replacement';
  const ready = readyAfter === undefined ? '' : `, ${replacement} ready within ${roughly(readyAfter)}`;
  return nodes.length === 1 ? `${ready}, gone after ${roughly(between(from, to))}` : ready;
}

function describeMoves({ moved, forced }: CommandNarrative): string[] {
  return [
    ...(moved.size > 0 ? [`${podsOf(moved)} ${total(moved) === 1 ? 'moves' : 'move'}`] : []),
    ...(forced.size > 0 ? [`${podsOf(forced)} ${total(forced) === 1 ? 'is' : 'are'} deleted at the deadline`] : []),
  ];
}

const mostWorkloads = 3;

function podsOf(counts: ReadonlyMap<string, number>): string {
  const all = total(counts);
  const noun = all === 1 ? '1 pod' : `${all} pods`;
  const names = [...counts.keys()].sort();
  return names.length > mostWorkloads ? `${noun} of ${names.length} workloads` : `${noun} of ${andList(names)}`;
}

const total = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, it) => sum + it, 0);

/** `web-46 is launched for pending pods, ready within 33s.`, `… to keep pool db at its size` */
function describeArrivals(arrivals: readonly Arrival[]): string {
  const within = slowest(arrivals);
  const names = arrivals.map(({ name }) => name);
  const isOne = names.length === 1;
  const who = named(names, arrivals[0]?.pool);
  const ready = within === undefined ? '' : `, ready within ${roughly(within)}`;
  const [first] = arrivals;
  const why = first?.isStatic ? `to keep pool ${first.pool} at its size` : 'for pending pods';
  return `${who} ${isOne ? 'is' : 'are'} launched ${why}${ready}.`;
}

const describeMany: Partial<Readonly<Record<EventKind, (nodes: string) => string>>> = {
  NodeGone: (nodes) => `${nodes} are gone.`,
  NodeNotReady: (nodes) => `${nodes} become NotReady.`,
};

function describeEvents(events: readonly StoryEvent[]): string {
  const [first, ...others] = events as [StoryEvent, ...StoryEvent[]];
  const last = others.at(-1);
  if (!last) return first.text;
  if (first.controller !== undefined) return describeCrashes(events);
  if (first.pods && last.pods) {
    const way = first.pods.from < last.pods.to ? 'up' : 'down';
    return `${first.workload} is scaled ${way} from ${first.pods.from} to ${last.pods.to} pods in ${events.length} steps.`;
  }
  const nodes = named(
    events.map(({ node = '' }) => node),
    first.pool,
  );
  if (first.kind === 'NodeGone' && first.claim !== undefined) return `${nodes} (unused replacements) are deleted.`;
  return describeMany[first.kind]?.(nodes) ?? first.text;
}

/** `lull-1 crashes 11 times; each time it restarts within 5s and reads its state from the cluster.` */
function describeCrashes(events: readonly StoryEvent[]): string {
  const crashes = events.filter(({ isRestart }) => !isRestart);
  const gaps = events.flatMap((event, index) => {
    const next = events[index + 1];
    return next && !event.isRestart ? [between(event.at, next.at)] : [];
  });
  const [times, each] = crashes.length === 1 ? ['', ''] : [` ${crashes.length} times`, 'each time '];
  const within = gaps.length > 0 ? ` within ${roughly(Math.max(...gaps))}` : '';
  return `${events[0]?.controller} crashes${times}; ${each}it restarts${within} and reads its state from the cluster.`;
}

const mostNamed = 4;

function named(nodes: readonly string[], pool: string | undefined): string {
  if (nodes.length <= mostNamed) return andList(nodes);
  return `${nodes.length} nodes${pool === undefined ? '' : ` of pool ${pool}`}`;
}

const andList = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

export interface ProseLine {
  readonly at: Instant;
  /** Absent: the line is about one instant. */
  readonly to?: Instant;
  readonly kind: EventKind;
  readonly text: string;
}

/** A line under construction: later events with the same key may join it. */
interface LineDraft {
  readonly key: string;
  /** Lines before and after this one may still be combined. */
  readonly isRoutine: boolean;
  readonly at: Instant;
  readonly kind: EventKind;
  readonly commands: readonly CommandNarrative[];
  readonly arrivals: readonly Arrival[];
  readonly events: readonly StoryEvent[];
}

export function proseOf(events: readonly StoryEvent[]): ProseLine[] {
  const { commands, covered } = commandNarratives(events);
  const { arrivals, covered: coveredByArrivals } = arrivalsIn(events);
  const inTurns = new Set(events.filter(({ kind }) => kind === 'TurnTaken').map(({ pool }) => pool));
  const drafts: LineDraft[] = [];
  events.forEach((event, index) => {
    const command = commands.get(index);
    const arrival = arrivals.get(index);
    const isCovered = covered.has(index) || coveredByArrivals.has(index) || isRedundant(event);
    if (command) add(drafts, draftOfCommand(command, inTurns.has(command.pool)));
    else if (arrival) add(drafts, draftOfArrival(arrival));
    // A pod deleted against its own rules gets a line of its own as well.
    else if (event.kind === 'PodDeleted' || !isCovered) add(drafts, draftOfEvent(event, index));
  });
  return drafts.map(lineOf);
}

/** The node is gone a moment later, which has its own event. */
const isRedundant = ({ kind }: StoryEvent): boolean => kind === 'NodeTerminating';

const empty = { commands: [], arrivals: [], events: [] };

/** Separates domains only in pools that are rolled by turns. */
function draftOfCommand(command: CommandNarrative, inTurns: boolean): LineDraft {
  const { pool, domain, reason, how, why, from } = command;
  return {
    ...empty,
    key: JSON.stringify(['command', pool, inTurns && reason === 'Drifted' ? domain : '', reason, how, why]),
    isRoutine: reason === 'Empty' && how === 'gone',
    at: from,
    kind: how === 'released' ? 'NodeReleased' : 'NodeChosen',
    commands: [command],
  };
}

const draftOfArrival = (arrival: Arrival): LineDraft => ({
  ...empty,
  key: JSON.stringify(['arrival', arrival.pool]),
  isRoutine: true,
  at: arrival.from,
  kind: 'NodeLaunched',
  arrivals: [arrival],
});

/** Kinds that are combined unless a line that is not routine comes between them. */
const combinedKinds: ReadonlySet<EventKind> = new Set(['NodeGone', 'LoadChanged', 'NodeNotReady']);

function draftOfEvent(event: StoryEvent, index: number): LineDraft {
  const { kind, at, pool, workload, pods, controller, claim } = event;
  const direction = pods && Math.sign(pods.to - pods.from);
  const isCombined = combinedKinds.has(kind) || controller !== undefined;
  const isUnusedReplacement = kind === 'NodeGone' && claim !== undefined;
  const key = isCombined ? [kind, pool, workload, direction, controller, isUnusedReplacement] : [kind, index];
  // A crash must not change the course of events, so it does not split the lines around it.
  const isRoutine = kind === 'LoadChanged' || controller !== undefined || isUnusedReplacement;
  return { ...empty, key: JSON.stringify(key), isRoutine, at, kind, events: [event] };
}

function add(drafts: LineDraft[], draft: LineDraft): void {
  for (let index = drafts.length - 1; index >= 0; index--) {
    const earlier = drafts[index] as LineDraft;
    if (earlier.key === draft.key) {
      drafts[index] = {
        ...earlier,
        commands: [...earlier.commands, ...draft.commands],
        arrivals: [...earlier.arrivals, ...draft.arrivals],
        events: [...earlier.events, ...draft.events],
      };
      return;
    }
    if (separates(earlier, draft)) break;
  }
  drafts.push(draft);
}

/** Whether a line between them keeps two lines apart. A change of load ends the line of the load before; other pools do not matter. */
function separates(between: LineDraft, draft: LineDraft): boolean {
  if (between.isRoutine) return between.kind === 'LoadChanged' && draft.kind === 'LoadChanged';
  const [other] = between.commands;
  const [own] = draft.commands;
  return !other || !own || other.pool === own.pool;
}

function lineOf({ at, kind, commands, arrivals, events }: LineDraft): ProseLine {
  if (commands.length > 0) {
    const ends = commands.map(({ to }) => to);
    return line(at, ends.includes(undefined) ? undefined : latest(ends), kind, describeCommands(commands));
  }
  if (arrivals.length > 0) return line(at, latest(arrivals.map(({ from }) => from)), kind, describeArrivals(arrivals));
  return line(at, latest(events.map((event) => event.at)), kind, describeEvents(events));
}

const line = (at: Instant, to: Instant | undefined, kind: EventKind, text: string): ProseLine => ({
  at,
  ...(to !== undefined && to > at && { to }),
  kind,
  text,
});

const latest = (instants: readonly (Instant | undefined)[]): Instant | undefined =>
  instants.reduce((a, b) => (a === undefined || (b !== undefined && b > a) ? b : a), undefined);
