// Which nodes came for pods that fitted nowhere, and how long did they take? From the launch of each to its being ready.
import { asDuration, between, type Duration, type Instant } from '../../time/instant.ts';
import type { StoryEvent } from './event.ts';

export interface Arrival {
  /** The node; the claim for as long as it is none. */
  readonly name: string;
  readonly pool: string;
  readonly from: Instant;
  /** Absent = it is not ready yet. */
  readonly readyAfter?: Duration;
}

/** By the place of the launch; and the places of all events that they tell. */
export function arrivalsIn(events: readonly StoryEvent[]): { arrivals: Map<number, Arrival>; told: Set<number> } {
  const arrivals = new Map<number, Arrival>();
  const told = new Set<number>();
  const launched = new Map<string, number>();
  events.forEach(({ kind, at, claim = '', node, pool = '' }, place) => {
    if (kind === 'NodeLaunched') {
      launched.set(claim, place);
      arrivals.set(place, { name: claim, pool, from: at });
      told.add(place);
    }
    const begun = kind === 'NodeReady' ? launched.get(claim) : undefined;
    const arrival = begun === undefined ? undefined : arrivals.get(begun);
    if (!arrival || begun === undefined) return;
    arrivals.set(begun, { ...arrival, name: node ?? claim, readyAfter: between(arrival.from, at) });
    told.add(place);
  });
  return { arrivals, told };
}

/** How long the slowest of them took; undefined where one is not there yet. */
export const slowest = (arrivals: readonly Arrival[]): Duration | undefined =>
  arrivals.some(({ readyAfter }) => readyAfter === undefined)
    ? undefined
    : asDuration(Math.max(...arrivals.map(({ readyAfter }) => readyAfter ?? 0)));
