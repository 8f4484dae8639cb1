// Story events grouped for the narrative: one group per command, and nodes launched for pending pods or static pools.
import { defined } from '../../cluster/defined.ts';
import { asDuration, asInstant, between, type Duration, type Instant } from '../../time/instant.ts';
import type { StoryEvent } from './storyEvent.ts';

/** A node launched for pending pods, or for a static pool. */
export interface Arrival {
  /** The node; the NodeClaim until the node has registered. */
  readonly name: string;
  readonly pool: string;
  readonly isStatic: boolean;
  readonly from: Instant;
  /** Absent: not ready yet. */
  readonly readyAfter?: Duration;
}

/** The arrivals by the index of their launch, and the indices of all events they cover. */
export function arrivalsIn(events: readonly StoryEvent[]): { arrivals: Map<number, Arrival>; covered: Set<number> } {
  const arrivals = new Map<number, Arrival>();
  const covered = new Set<number>();
  const launched = new Map<string, number>();
  events.forEach(({ kind, at, claim = '', node, pool = '', isStatic = false }, index) => {
    if (kind === 'NodeLaunched') {
      launched.set(claim, index);
      arrivals.set(index, { name: claim, pool, isStatic, from: at });
      covered.add(index);
    }
    const launch = kind === 'NodeReady' ? launched.get(claim) : undefined;
    const arrival = launch === undefined ? undefined : arrivals.get(launch);
    if (!arrival || launch === undefined) return;
    arrivals.set(launch, { ...arrival, name: node ?? claim, readyAfter: between(arrival.from, at) });
    covered.add(index);
  });
  return { arrivals, covered };
}

/** How long the slowest arrival took; undefined if one is not ready yet. */
export const slowest = (arrivals: readonly Arrival[]): Duration | undefined =>
  arrivals.some(({ readyAfter }) => readyAfter === undefined)
    ? undefined
    : asDuration(Math.max(...arrivals.map(({ readyAfter }) => readyAfter ?? 0)));

/** The course of one command, or of several similar ones, from the choice of its nodes to their end. */
export interface CommandNarrative {
  readonly nodes: readonly string[];
  readonly pool: string;
  readonly domain?: string;
  readonly topologyKey?: string;
  readonly reason: string;
  readonly from: Instant;
  /** When it stopped counting against limits: its instance was terminating, or it was released. */
  readonly countedTo?: Instant;
  /** Absent: not finished. */
  readonly to?: Instant;
  readonly how: 'gone' | 'released' | 'underway';
  /** Why it was released. */
  readonly why?: string;
  readonly replacements: number;
  /** How long the slowest replacement took to become ready. */
  readonly readyAfter?: Duration;
  /** Pods evicted, and pods deleted at their deadline, by workload. */
  readonly moved: ReadonlyMap<string, number>;
  readonly forced: ReadonlyMap<string, number>;
}

type NarrativeDraft = {
  -readonly [Field in keyof CommandNarrative]: CommandNarrative[Field];
} & {
  /** The nodes of the command that are gone or released so far. */
  readonly finished: Set<string>;
};

/** One narrative per command, by the index of its first event, and the indices of all events they cover. */
export function commandNarratives(events: readonly StoryEvent[]): {
  commands: Map<number, CommandNarrative>;
  covered: Set<number>;
} {
  const commands = new Map<number, CommandNarrative>();
  const covered = new Set<number>();
  const open = new Map<string, NarrativeDraft>();
  const launchedAt = new Map<string, Instant>();
  events.forEach((event, index) => {
    const { command = '', kind } = event;
    const known = open.get(command);
    const isOver = known?.to !== undefined;
    if (kind === 'NodeChosen' && known && !isOver) addNode(known, event);
    else if (kind === 'NodeChosen') {
      const draft = begin(event);
      open.set(command, draft);
      commands.set(index, draft);
      // A replacement that the command did not wait for may become ready after its end.
    } else if (!known || (isOver && kind !== 'ReplacementReady') || !add(known, event, launchedAt)) return;
    covered.add(index);
  });
  return { commands, covered };
}

/** Adds another node of the same command, which may be in another zone. */
function addNode(draft: NarrativeDraft, { node = '', domain }: StoryEvent): void {
  draft.nodes = [...draft.nodes, node];
  if (draft.domain !== domain) delete draft.domain;
}

const begin = ({ at, node = '', pool = '', domain, topologyKey, reason = '' }: StoryEvent): NarrativeDraft => ({
  ...defined({ pool, domain, topologyKey, reason }),
  nodes: [node],
  from: at,
  how: 'underway',
  replacements: 0,
  moved: new Map(),
  forced: new Map(),
  finished: new Set(),
});

/** Adds an event to its command's narrative; false if it does not belong to one. */
function add(
  draft: NarrativeDraft,
  { kind, at, node = '', claim = '', workload = '', command = '', why }: StoryEvent,
  launchedAt: Map<string, Instant>,
): boolean {
  switch (kind) {
    case 'NodeTainted':
      return true;
    case 'ReplacementLaunched':
      launchedAt.set(claim, at);
      draft.replacements++;
      return true;
    case 'ReplacementReady':
      draft.readyAfter = asDuration(Math.max(draft.readyAfter ?? 0, at - (launchedAt.get(claim) ?? at)));
      return true;
    case 'PodEvicted':
      draft.moved = new Map(draft.moved).set(workload, (draft.moved.get(workload) ?? 0) + 1);
      return true;
    case 'PodDeleted':
      draft.forced = new Map(draft.forced).set(workload, (draft.forced.get(workload) ?? 0) + 1);
      return true;
    case 'NodeTerminating':
      draft.countedTo = at;
      return true;
    case 'NodeGone':
      if (isLast(draft, node)) Object.assign(draft, { to: at, how: 'gone' });
      return true;
    case 'NodeReleased':
      if (isLast(draft, node))
        Object.assign(draft, defined({ to: at, how: 'released', why: why && withoutName(why, command) }));
      return true;
    default:
      return false;
  }
}

/** A command is finished when all of its nodes are. */
function isLast({ nodes, finished }: NarrativeDraft, node: string): boolean {
  finished.add(node);
  return nodes.every((name) => finished.has(name));
}

/** Leaves out the replacement's generated name, so that the same cause reads the same for every command. */
const withoutName = (why: string, command: string): string =>
  why.replaceAll(new RegExp(`(?:replacement )?${command}-\\d+`, 'g'), 'the replacement');

/** Merges the narratives of two similar commands. */
export function merged(a: CommandNarrative, b: CommandNarrative): CommandNarrative {
  const to = a.to === undefined || b.to === undefined ? undefined : asInstant(Math.max(a.to, b.to));
  const { to: _, readyAfter: __, domain, ...rest } = a;
  const ready = [a.readyAfter, b.readyAfter].filter((it) => it !== undefined);
  return {
    ...rest,
    ...(domain !== undefined && domain === b.domain && { domain }),
    nodes: [...a.nodes, ...b.nodes],
    ...(to !== undefined && { to }),
    replacements: a.replacements + b.replacements,
    ...(ready.length > 0 && { readyAfter: asDuration(Math.max(...ready)) }),
    moved: sumOf(a.moved, b.moved),
    forced: sumOf(a.forced, b.forced),
  };
}

function sumOf(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const sum = new Map(a);
  for (const [key, count] of b) sum.set(key, (sum.get(key) ?? 0) + count);
  return sum;
}
