// Which hours come back every week, and which only now and then? By the clock on the wall of a zone.
import { day, minute } from '../../time/instant.ts';
import { wallTime, type Zone } from '../../time/zone.ts';
import type { Span } from './year.ts';

/** A stretch that begins at the same time on some days of every week. */
export interface WeekStretch {
  /** 0 is Monday; in order. */
  readonly days: readonly number[];
  /** In minutes since midnight. */
  readonly start: number;
  /** In minutes, by the clock on the wall. */
  readonly length: number;
  /** One such stretch of this year. */
  readonly sample: Span;
}

export interface Habit {
  /** By their first day, then by time. */
  readonly weekly: readonly WeekStretch[];
  /** Those that are not part of it: on the first of a month, or when clocks change. */
  readonly odd: readonly Span[];
}

export const minutesADay = 1440;
const daysAWeek = 7;
/** What happens in most weeks counts as weekly: holidays, first days of months and changed clocks may interrupt it. */
const mostOf = 0.6;
/** Twice is no habit, however short the time that was looked at. */
const fewest = 3;

/** Spans in order and apart; those cut off by the borders of the year are left out. */
export function habitOf(spans: readonly Span[], zone: Zone, year: Span): Habit {
  const whole = spans.filter(({ from, to }) => from > year.from && to < year.to);
  const alike = Map.groupBy(whole, (span) => placeOf(span, zone).join());
  const weeks = Math.ceil(((whole.at(-1)?.to ?? 0) - (whole[0]?.from ?? 0)) / day / daysAWeek);
  const [weekly, odd]: [Span[], Span[]] = [[], []];
  for (const its of alike.values()) {
    if (its.length >= fewest && its.length >= weeks * mostOf) weekly.push(its[0] as Span);
    else odd.push(...its);
  }
  return { weekly: gather(weekly, zone), odd: odd.sort((a, b) => a.from - b.from) };
}

/** Weekday, minutes since midnight, length in minutes. */
type Place = readonly [weekday: number, start: number, length: number];

function placeOf({ from, to }: Span, zone: Zone): Place {
  const [start, end] = [wallTime(zone, from), wallTime(zone, to)];
  return [weekdayOf(start), Math.floor((start % day) / minute), Math.round((end - start) / minute)];
}

/** 1 January 1970 was a Thursday. */
export const weekdayOf = (wall: number): number => (((Math.floor(wall / day) + 3) % 7) + 7) % 7;

/** Stretches that differ in nothing but the day are one. */
function gather(samples: readonly Span[], zone: Zone): WeekStretch[] {
  const places = samples.map((sample) => ({ sample, place: placeOf(sample, zone) }));
  const alike = Map.groupBy(places, ({ place: [, start, length] }) => `${start} ${length}`);
  return [...alike.values()]
    .map((its) => {
      const [{ sample, place }] = its as [(typeof its)[number]];
      const days = its.map(({ place: [weekday] }) => weekday).sort((a, b) => a - b);
      return { days, start: place[1], length: place[2], sample };
    })
    .sort((a, b) => (a.days[0] ?? 0) - (b.days[0] ?? 0) || a.start - b.start);
}
