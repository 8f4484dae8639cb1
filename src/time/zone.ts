// Time zones: conversion between instants and wall-clock time, in both directions.

import {
  after,
  asDuration,
  asInstant,
  before,
  type Duration,
  day,
  daysFromCivil,
  hour,
  type Instant,
  minute,
  second,
} from './instant.ts';
import { keepNewest } from './keepNewest.ts';

export interface Zone {
  readonly name: string;
  periodAt(at: Instant): OffsetPeriod;
}

/** Wall-clock time in milliseconds since 1970-01-01T00:00 wall-clock time. */
export type WallTime = number;

/** No zone has ever been further from UTC. */
const furthest = day;

/** Offset periods are read in blocks of this length, on demand. */
const block = asDuration(400 * day);
// Outside 1900 to 2500 the nearest offset applies: no schedule reaches that far, and it bounds the cache.
const firstBlock = Math.floor((daysFromCivil(1900, 1, 1) * day) / block);
const lastBlock = Math.floor((daysFromCivil(2500, 1, 1) * day) / block);

const always: OffsetPeriod = {
  start: asInstant(-Infinity),
  end: asInstant(Infinity),
  offset: asDuration(0),
  jump: asDuration(0),
  repeatedUntil: asInstant(-Infinity),
};
const utc: Zone = { name: 'UTC', periodAt: () => always };

const zones = new Map<string, Zone>();
const zonesKept = 1000;

/** The zone of an IANA name; undefined if there is none. No name = UTC. */
export function findZone(name: string): Zone | undefined {
  const known = zones.get(name);
  if (known || name === '' || name === 'UTC') return known ?? utc;
  // Intl accepts +01:00 too, which is not a zone name.
  const intl = /^[a-z]/i.test(name) ? askIntl(name) : undefined;
  if (!intl || intl.name === 'UTC') return intl && utc;
  return keepNewest(zones, zonesKept, name, openZone(name, intl.offsetAt));
}

function openZone(name: string, offsetAt: OffsetAt): Zone {
  const blocks = new Map<number, readonly OffsetPeriod[]>();
  const read = (index: number): readonly OffsetPeriod[] => {
    const [start, end] = [asInstant(index * block), asInstant((index + 1) * block)];
    if (index < firstBlock) return [{ ...always, end, offset: offsetAt(end) }];
    if (index > lastBlock) return [{ ...always, start, offset: offsetAt(start) }];
    return readPeriods(offsetAt, start, end);
  };
  const find = (at: Instant): OffsetPeriod => {
    const index = Math.max(firstBlock - 1, Math.min(Math.floor(at / block), lastBlock + 1));
    let periods = blocks.get(index);
    if (!periods) {
      periods = read(index);
      blocks.set(index, periods);
    }
    return periods.findLast(({ start }) => start <= at) as OffsetPeriod;
  };
  let last = find(asInstant(0));
  return {
    name,
    periodAt: (at) => {
      if (at < last.start || at >= last.end) last = find(at);
      return last;
    },
  };
}

export const offsetAt = (zone: Zone, at: Instant): Duration => zone.periodAt(at).offset;
export const wallTime = (zone: Zone, at: Instant): WallTime => at + offsetAt(zone, at);

/** The instants of a wall-clock time: none if it is skipped, two if it is repeated. */
export function instantsOf(zone: Zone, wall: WallTime): Instant[] {
  const instants: Instant[] = [];
  for (let period = zone.periodAt(asInstant(wall - furthest)); ; period = zone.periodAt(period.end)) {
    const at = asInstant(wall - period.offset);
    if (at >= period.start && at < period.end) instants.push(at);
    if (period.end > wall + furthest) return instants;
  }
}

/** The first instant at which the wall-clock time is `wall` or, where that is skipped, later. */
export function firstInstantOf(zone: Zone, wall: WallTime): Instant {
  let period = zone.periodAt(asInstant(wall - furthest));
  while (wall - period.offset >= period.end) period = zone.periodAt(period.end);
  return asInstant(Math.max(wall - period.offset, period.start));
}

/** The period that begins with the next clock change after `at`; undefined if there is none within that time. */
export function nextJump(zone: Zone, at: Instant, within: Duration): OffsetPeriod | undefined {
  let period = zone.periodAt(at);
  do {
    if (period.end > at + within) return undefined;
    period = zone.periodAt(period.end);
  } while (period.jump === 0);
  return period;
}

/** The period that begins with the last clock change at or before `at`; undefined if there was none within that time. */
export function lastJump(zone: Zone, at: Instant, within: Duration): OffsetPeriod | undefined {
  let period = zone.periodAt(at);
  while (period.jump === 0) {
    if (period.start < at - within) return undefined;
    period = zone.periodAt(asInstant(period.start - 1));
  }
  return period;
}

// Periods with a constant offset, read from Intl.

/** A period of time during which wall-clock time = instant + offset. */
export interface OffsetPeriod {
  readonly start: Instant;
  /** Exclusive. */
  readonly end: Instant;
  readonly offset: Duration;
  /** The clock change at `start`: above 0 that much is skipped, below 0 that much is repeated, 0 = no change. */
  readonly jump: Duration;
  /** Until then wall-clock times are repeated; `start` or earlier if none are. */
  readonly repeatedUntil: Instant;
}

export type OffsetAt = (at: Instant) => Duration;

/** Two changes have never been less than seven days apart (Recife in 2000), nor are they planned to be (Gaza in 2040). */
const sampling = asDuration(4 * day);

const written = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Reads the offsets of a zone from Intl; undefined if Intl does not know the zone. */
function askIntl(zone: string): { readonly name: string; readonly offsetAt: OffsetAt } | undefined {
  const format = openFormat(zone);
  if (!format) return undefined;
  return {
    name: format.resolvedOptions().timeZone,
    offsetAt: (at) => {
      const [, sign, hours = 0, minutes = 0, seconds = 0] = written.exec(format.format(at)) ?? [];
      const size = Number(hours) * hour + Number(minutes) * minute + Number(seconds) * second;
      return asDuration(sign === '-' ? -size : size);
    },
  };
}

function openFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, hour: 'numeric', timeZoneName: 'longOffset' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The periods between two instants; the first and the last are cut off there. */
export function readPeriods(offsetAt: OffsetAt, from: Instant, to: Instant): OffsetPeriod[] {
  const periods: OffsetPeriod[] = [];
  // The first wall-clock times may repeat those of up to a day earlier.
  let start = before(from, sampling);
  let offset = offsetAt(start);
  let jump = asDuration(0);
  const endAt = (end: Instant): void => {
    const repeatedUntil = before(start, asDuration(Math.min(jump, 0)));
    if (start >= from) periods.push({ start, end, offset, jump, repeatedUntil });
    else if (end > from) periods.push({ start: from, end, offset, jump: asDuration(0), repeatedUntil });
  };
  for (let sample = start; sample < to; sample = after(sample, sampling)) {
    const next = asInstant(Math.min(sample + sampling, to - second));
    const later = offsetAt(next);
    if (later === offset) continue;
    const change = firstInstantWith(later, offsetAt, sample, next);
    endAt(change);
    jump = asDuration(later - offset);
    start = change;
    offset = later;
  }
  endAt(to);
  return periods;
}

/** Clocks change on whole seconds. */
function firstInstantWith(offset: Duration, offsetAt: OffsetAt, early: Instant, late: Instant): Instant {
  let [low, high] = [early, late];
  while (high - low > second) {
    const middle = asInstant(Math.floor((low + high) / 2 / second) * second);
    if (offsetAt(middle) === offset) high = middle;
    else low = middle;
  }
  return high;
}
