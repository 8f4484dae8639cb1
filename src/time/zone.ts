// What does the clock on the wall show, and when? Between instants and the wall-clock time of a zone, in both directions.
import { keep } from './bounded.ts';
import { asDuration, asInstant, type Duration, day, daysFromCivil, type Instant } from './instant.ts';
import { askIntl, type OffsetAt, readStretches, type Stretch } from './stretches.ts';

export interface Zone {
  readonly name: string;
  stretchAt(at: Instant): Stretch;
}

/** Milliseconds since 1970-01-01T00:00 as a clock on the wall shows them. */
export type WallTime = number;

/** No clock has ever been further from UTC. */
const furthest = day;

/** Stretches are read so much at a time, as they are asked for. */
const block = asDuration(400 * day);
// Outside 1900 to 2500 the nearest offset stays: no plan reaches there, and what is kept has an end.
const firstBlock = Math.floor((daysFromCivil(1900, 1, 1) * day) / block);
const lastBlock = Math.floor((daysFromCivil(2500, 1, 1) * day) / block);

const always: Stretch = {
  start: asInstant(-Infinity),
  end: asInstant(Infinity),
  offset: asDuration(0),
  jump: asDuration(0),
  repeatedUntil: asInstant(-Infinity),
};
const utc: Zone = { name: 'UTC', stretchAt: () => always };

const zones = new Map<string, Zone>();
const zonesKept = 1000;

/** The zone of an IANA name; undefined if there is none. No name = UTC. */
export function findZone(name: string): Zone | undefined {
  const known = zones.get(name);
  if (known || name === '' || name === 'UTC') return known ?? utc;
  // Intl takes +01:00 too, which is no name of a zone.
  const intl = /^[a-z]/i.test(name) ? askIntl(name) : undefined;
  if (!intl || intl.name === 'UTC') return intl && utc;
  return keep(zones, zonesKept, name, openZone(name, intl.offsetAt));
}

function openZone(name: string, offsetAt: OffsetAt): Zone {
  const blocks = new Map<number, readonly Stretch[]>();
  const read = (index: number): readonly Stretch[] => {
    const [start, end] = [asInstant(index * block), asInstant((index + 1) * block)];
    if (index < firstBlock) return [{ ...always, end, offset: offsetAt(end) }];
    if (index > lastBlock) return [{ ...always, start, offset: offsetAt(start) }];
    return readStretches(offsetAt, start, end);
  };
  const find = (at: Instant): Stretch => {
    const index = Math.max(firstBlock - 1, Math.min(Math.floor(at / block), lastBlock + 1));
    let stretches = blocks.get(index);
    if (!stretches) {
      stretches = read(index);
      blocks.set(index, stretches);
    }
    return stretches.findLast(({ start }) => start <= at) as Stretch;
  };
  let last = find(asInstant(0));
  return {
    name,
    stretchAt: (at) => {
      if (at < last.start || at >= last.end) last = find(at);
      return last;
    },
  };
}

export const offsetAt = (zone: Zone, at: Instant): Duration => zone.stretchAt(at).offset;
export const wallTime = (zone: Zone, at: Instant): WallTime => at + offsetAt(zone, at);

/** The instants at which the wall clock shows that time: none if it is skipped, two if it is shown twice. */
export function instantsOf(zone: Zone, wall: WallTime): Instant[] {
  const instants: Instant[] = [];
  for (let stretch = zone.stretchAt(asInstant(wall - furthest)); ; stretch = zone.stretchAt(stretch.end)) {
    const at = asInstant(wall - stretch.offset);
    if (at >= stretch.start && at < stretch.end) instants.push(at);
    if (stretch.end > wall + furthest) return instants;
  }
}

/** The first instant at which the wall clock shows that time or, where it is skipped, a later one. */
export function firstInstantOf(zone: Zone, wall: WallTime): Instant {
  let stretch = zone.stretchAt(asInstant(wall - furthest));
  while (wall - stretch.offset >= stretch.end) stretch = zone.stretchAt(stretch.end);
  return asInstant(Math.max(wall - stretch.offset, stretch.start));
}

/** The stretch before which the clock is next changed after `at`; undefined if it is not, for that long. */
export function nextJump(zone: Zone, at: Instant, within: Duration): Stretch | undefined {
  let stretch = zone.stretchAt(at);
  do {
    if (stretch.end > at + within) return undefined;
    stretch = zone.stretchAt(stretch.end);
  } while (stretch.jump === 0);
  return stretch;
}

/** The stretch before which the clock was last changed, at or before `at`; undefined if it was not, for that long. */
export function lastJump(zone: Zone, at: Instant, within: Duration): Stretch | undefined {
  let stretch = zone.stretchAt(at);
  while (stretch.jump === 0) {
    if (stretch.start < at - within) return undefined;
    stretch = zone.stretchAt(asInstant(stretch.start - 1));
  }
  return stretch;
}
