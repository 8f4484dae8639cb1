// The wall-clock minutes that a cron matches, counted from 1970-01-01T00:00 and found without testing each minute.
import { addBits, atLeast, below, bitsOf, highest, lowest, type MinuteSet } from './bits.ts';
import type { CronFields } from './cronFields.ts';
import {
  anyDayMatches,
  compileDays,
  dayAtOrAfter,
  dayAtOrBefore,
  longestWait,
  type MatchingDays,
} from './matchingDays.ts';

export interface Pattern {
  readonly minutes: MatchingMinutes;
  readonly hours: number;
  /** The hours that have an adjacent hour in the set: they fire again when the clock is set back over them (B3). */
  readonly neighbouredHours: number;
  readonly days: MatchingDays;
  /** False for dates that never occur, such as 30 February. */
  readonly everMatches: boolean;
}

const minutesADay = 1440;

export function compilePattern(fields: CronFields): Pattern {
  const hours = fields.hour.values;
  const neighboured = [...hours].filter((hour) => hours.has((hour + 1) % 24) || hours.has((hour + 23) % 24));
  const days = compileDays(fields);
  return {
    minutes: compileMinutes(fields),
    hours: bitsOf(hours, 0),
    neighbouredHours: bitsOf(neighboured, 0),
    days,
    everMatches: anyDayMatches(days),
  };
}

/** The first match from `minute` on, with `hours` in place of the pattern's own. The pattern must have a match. */
export function matchAtOrAfter({ minutes, days }: Pattern, hours: number, minute: number): number {
  const today = Math.floor(minute / minutesADay);
  let day = dayAtOrAfter(days, today);
  if (day === today) {
    const time = timeAtOrAfter(minutes, hours, minute - today * minutesADay);
    if (time >= 0) return today * minutesADay + time;
    day = dayAtOrAfter(days, today + 1);
  }
  return day * minutesADay + firstTime(minutes, hours);
}

/** The last match up to `minute`, with `hours` in place of the pattern's own. The pattern must have a match. */
export function matchAtOrBefore({ minutes, days }: Pattern, hours: number, minute: number): number {
  const today = Math.floor(minute / minutesADay);
  let day = dayAtOrBefore(days, today);
  if (day === today) {
    const time = timeAtOrBefore(minutes, hours, minute - today * minutesADay);
    if (time >= 0) return today * minutesADay + time;
    day = dayAtOrBefore(days, today - 1);
  }
  return day * minutesADay + lastTime(minutes, hours);
}

/** Whether consecutive matches are never more than `limit` minutes apart. */
export function hasNoGapOver({ minutes, hours, days }: Pattern, limit: number): boolean {
  const first = firstTime(minutes, hours);
  const last = lastTime(minutes, hours);
  for (let time = first; time < last; ) {
    const next = timeAtOrAfter(minutes, hours, time + 1);
    if (next - time > limit) return false;
    time = next;
  }
  const daysAllowed = Math.floor((limit + last - first) / minutesADay);
  return daysAllowed >= 1 && longestWait(days, daysAllowed) <= daysAllowed;
}

// The times of day that a cron matches: minutes since midnight, found with bit sets of hours and minutes.

/** The minutes of an hour, in two words of 32 bits. The hours are passed separately, since they vary (B3). */
export interface MatchingMinutes {
  readonly to31: number;
  readonly from32: number;
}

const compileMinutes = (fields: CronFields): MatchingMinutes => ({
  to31: bitsOf(fields.minute.values, 0),
  from32: bitsOf(fields.minute.values, 32),
});

export const firstTime = (minutes: MatchingMinutes, hours: number): number => lowest(hours) * 60 + firstMinute(minutes);
const lastTime = (minutes: MatchingMinutes, hours: number): number => highest(hours) * 60 + lastMinute(minutes);

/** The first time of the day that matches, from `time` on; −1 if none is left. */
export function timeAtOrAfter(minutes: MatchingMinutes, hours: number, time: number): number {
  const hour = Math.floor(time / 60);
  if (hours & (1 << hour)) {
    const minute = minuteAtOrAfter(minutes, time - hour * 60);
    if (minute >= 0) return hour * 60 + minute;
  }
  const later = atLeast(hours, hour + 1);
  return later === 0 ? -1 : firstTime(minutes, later);
}

/** The last time of the day that matches, up to `time`; −1 if none is left. */
function timeAtOrBefore(minutes: MatchingMinutes, hours: number, time: number): number {
  const hour = Math.floor(time / 60);
  if (hours & (1 << hour)) {
    const minute = minuteAtOrBefore(minutes, time - hour * 60);
    if (minute >= 0) return hour * 60 + minute;
  }
  const earlier = below(hours, hour);
  return earlier === 0 ? -1 : lastTime(minutes, earlier);
}

const firstMinute = ({ to31, from32 }: MatchingMinutes): number => (to31 !== 0 ? lowest(to31) : 32 + lowest(from32));
const lastMinute = ({ to31, from32 }: MatchingMinutes): number => (from32 !== 0 ? 32 + highest(from32) : highest(to31));

function minuteAtOrAfter({ to31, from32 }: MatchingMinutes, from: number): number {
  const early = from < 32 ? atLeast(to31, from) : 0;
  if (early !== 0) return lowest(early);
  const late = from < 32 ? from32 : atLeast(from32, from - 32);
  return late === 0 ? -1 : 32 + lowest(late);
}

function minuteAtOrBefore({ to31, from32 }: MatchingMinutes, until: number): number {
  const late = until < 32 ? 0 : below(from32, until - 31);
  if (late !== 0) return 32 + highest(late);
  const early = until < 31 ? below(to31, until + 1) : to31;
  return early === 0 ? -1 : highest(early);
}

/** Adds the times of a day that match to a set of minutes, `shift` minutes later; minutes outside the set are ignored. */
export function addTimes(
  set: MinuteSet,
  { minutes, hours }: { readonly minutes: MatchingMinutes; readonly hours: number },
  shift: number,
): void {
  for (let rest = hours; rest !== 0; rest &= rest - 1) {
    const start = lowest(rest) * 60 + shift;
    addBits(set, minutes.to31, start);
    addBits(set, minutes.from32, start + 32);
  }
}
