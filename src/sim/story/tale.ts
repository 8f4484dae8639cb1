// What became of one node that was chosen? Everything that was told of it between then and its end, as one record.
import { asDuration, asInstant, type Duration, type Instant } from '../../time/instant.ts';
import type { StoryEvent } from './event.ts';

export interface Tale {
  readonly nodes: readonly string[];
  readonly pool: string;
  readonly domain?: string;
  readonly topologyKey?: string;
  readonly reason: string;
  readonly from: Instant;
  /** When it stopped counting: its machine was given back, or it was released. */
  readonly countedTo?: Instant;
  /** Absent = it is not over. */
  readonly to?: Instant;
  readonly how: 'gone' | 'released' | 'underway';
  /** Why it was released, as it was told. */
  readonly why?: string;
  readonly replacements: number;
  /** How long the slowest replacement took. */
  readonly readyAfter?: Duration;
  /** Evicted, and deleted at their deadline, by workload. */
  readonly moved: ReadonlyMap<string, number>;
  readonly forced: ReadonlyMap<string, number>;
}

type Draft = {
  -readonly [Field in keyof Tale]: Tale[Field];
} & {
  /** Of a group: who has come to its end so far. */
  readonly over: Set<string>;
};

/** Of each command a tale, by the place of its first event; and the places of all events that it tells. */
export function talesIn(events: readonly StoryEvent[]): { tales: Map<number, Tale>; told: Set<number> } {
  const tales = new Map<number, Tale>();
  const told = new Set<number>();
  const open = new Map<string, Draft>();
  const launchedAt = new Map<string, Instant>();
  events.forEach((event, place) => {
    const { command = '', kind } = event;
    const known = open.get(command);
    const isOver = known?.to !== undefined;
    if (kind === 'NodeChosen' && known && !isOver) join(known, event);
    else if (kind === 'NodeChosen') {
      const draft = begin(event);
      open.set(command, draft);
      tales.set(place, draft);
      // What was not waited for may be ready after the end.
    } else if (!known || (isOver && kind !== 'ReplacementReady') || !add(known, event, launchedAt)) return;
    told.add(place);
  });
  return { tales, told };
}

/** One more of a group, which may stand in several zones. */
function join(draft: Draft, { node = '', domain }: StoryEvent): void {
  draft.nodes = [...draft.nodes, node];
  if (draft.domain !== domain) delete draft.domain;
}

const begin = ({ at, node = '', pool = '', domain, topologyKey, reason = '' }: StoryEvent): Draft => ({
  nodes: [node],
  pool,
  ...(domain !== undefined && { domain }),
  ...(topologyKey !== undefined && { topologyKey }),
  reason,
  from: at,
  how: 'underway',
  replacements: 0,
  moved: new Map(),
  forced: new Map(),
  over: new Set(),
});

/** Whether the event belongs to the tale. */
function add(
  draft: Draft,
  { kind, at, node = '', claim = '', workload = '', command = '', text }: StoryEvent,
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
      if (isLast(draft, node)) Object.assign(draft, { to: at, how: 'released', why: whyOf(text, command) });
      return true;
    default:
      return false;
  }
}

/** A group is over when all of it is. */
function isLast({ nodes, over }: Draft, node: string): boolean {
  over.add(node);
  return nodes.every((name) => over.has(name));
}

/** What is said after the node's name; replacements are not named, so that what is alike reads alike. */
const whyOf = (text: string, command: string): string =>
  text
    .slice(text.indexOf(' is released and stays') + 1)
    .replaceAll(new RegExp(`(?:replacement )?${command}-\\d+`, 'g'), 'its replacement');

/** Tales of one sort, one after another, as one. */
export function joined(a: Tale, b: Tale): Tale {
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
    moved: added(a.moved, b.moved),
    forced: added(a.forced, b.forced),
  };
}

function added(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const sum = new Map(a);
  for (const [key, count] of b) sum.set(key, (sum.get(key) ?? 0) + count);
  return sum;
}
