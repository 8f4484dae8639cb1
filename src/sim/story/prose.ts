// How is a run told to a stranger? A line for each thing that matters; what is routine is gathered.
import type { Instant } from '../../time/instant.ts';
import { type Arrival, arrivalsIn } from './arrival.ts';
import type { EventKind, StoryEvent } from './event.ts';
import { sentenceOfArrivals, sentenceOfEvents, sentenceOfTales } from './sentence.ts';
import { type Tale, talesIn } from './tale.ts';

export interface ProseLine {
  readonly at: Instant;
  /** Where the line tells of a stretch of time. */
  readonly to?: Instant;
  readonly kind: EventKind;
  readonly text: string;
}

/** A line that may still grow by what is of its sort. */
interface Part {
  readonly sort: string;
  /** Of no weight: what comes before and after it may be told together. */
  readonly isRoutine: boolean;
  readonly at: Instant;
  readonly kind: EventKind;
  readonly tales: readonly Tale[];
  readonly arrivals: readonly Arrival[];
  readonly events: readonly StoryEvent[];
}

export function proseOf(events: readonly StoryEvent[]): ProseLine[] {
  const { tales, told } = talesIn(events);
  const { arrivals, told: arrived } = arrivalsIn(events);
  const inTurns = new Set(events.filter(({ kind }) => kind === 'TurnTaken').map(({ pool }) => pool));
  const parts: Part[] = [];
  events.forEach((event, place) => {
    const tale = tales.get(place);
    const arrival = arrivals.get(place);
    if (tale) add(parts, partOfTale(tale, inTurns.has(tale.pool)));
    else if (arrival) add(parts, partOfArrival(arrival));
    // A pod that is forced is told by itself as well: it went against its own rules.
    else if (event.kind === 'PodDeleted' || (!told.has(place) && !arrived.has(place) && !isPrelude(event)))
      add(parts, partOfEvent(event, place));
  });
  return parts.map(lineOf);
}

/** That a machine is given back says nothing more, a moment later, than that its node is gone. */
const isPrelude = ({ kind }: StoryEvent): boolean => kind === 'NodeTerminating';

const empty = { tales: [], arrivals: [], events: [] };

/** Zones are told apart where a pool is rolled by turns; elsewhere it does not matter which of them a node was in. */
function partOfTale(tale: Tale, inTurns: boolean): Part {
  const { pool, domain, reason, how, why, from } = tale;
  return {
    ...empty,
    sort: JSON.stringify(['tale', pool, inTurns && reason === 'Drifted' ? domain : '', reason, how, why]),
    isRoutine: reason === 'Empty' && how === 'gone',
    at: from,
    kind: how === 'released' ? 'NodeReleased' : 'NodeChosen',
    tales: [tale],
  };
}

const partOfArrival = (arrival: Arrival): Part => ({
  ...empty,
  sort: JSON.stringify(['arrival', arrival.pool]),
  isRoutine: true,
  at: arrival.from,
  kind: 'NodeLaunched',
  arrivals: [arrival],
});

/** Gathered where nothing of weight comes between them. */
const gathered: ReadonlySet<EventKind> = new Set(['NodeGone', 'LoadChanged', 'NodeNotReady']);

function partOfEvent(event: StoryEvent, place: number): Part {
  const { kind, at, pool, workload, pods, controller, claim } = event;
  const way = pods && Math.sign(pods.to - pods.from);
  const isGathered = gathered.has(kind) || controller !== undefined;
  const isSpare = kind === 'NodeGone' && claim !== undefined;
  const sort = isGathered ? [kind, pool, workload, way, controller, isSpare] : [kind, place];
  // A Lull that dies is to change nothing, so it breaks off no sentence; nor does what comes of a node that was released.
  const isRoutine = kind === 'LoadChanged' || controller !== undefined || isSpare;
  return { ...empty, sort: JSON.stringify(sort), isRoutine, at, kind, events: [event] };
}

function add(parts: Part[], part: Part): void {
  for (let index = parts.length - 1; index >= 0; index--) {
    const earlier = parts[index] as Part;
    if (earlier.sort === part.sort) {
      parts[index] = {
        ...earlier,
        tales: [...earlier.tales, ...part.tales],
        arrivals: [...earlier.arrivals, ...part.arrivals],
        events: [...earlier.events, ...part.events],
      };
      return;
    }
    if (breaksOff(earlier, part)) break;
  }
  parts.push(part);
}

/** Whether what came between keeps them apart. Load that turns round ends what was told of it; pools do not mind each other. */
function breaksOff(between: Part, part: Part): boolean {
  if (between.isRoutine) return between.kind === 'LoadChanged' && part.kind === 'LoadChanged';
  const [other] = between.tales;
  const [own] = part.tales;
  return !other || !own || other.pool === own.pool;
}

function lineOf({ at, kind, tales, arrivals, events }: Part): ProseLine {
  const [tale] = tales;
  const [arrival] = arrivals;
  if (tale) {
    const ends = tales.map(({ to }) => to);
    return line(at, ends.includes(undefined) ? undefined : latest(ends), kind, sentenceOfTales(tales));
  }
  if (arrival) return line(at, latest(arrivals.map(({ from }) => from)), kind, sentenceOfArrivals(arrivals));
  return line(at, latest(events.map((event) => event.at)), kind, sentenceOfEvents(events));
}

const line = (at: Instant, to: Instant | undefined, kind: EventKind, text: string): ProseLine => ({
  at,
  ...(to !== undefined && to > at && { to }),
  kind,
  text,
});

const latest = (instants: readonly (Instant | undefined)[]): Instant | undefined =>
  instants.reduce((a, b) => (a === undefined || (b !== undefined && b > a) ? b : a), undefined);
