// Which times of a day does a cron name? Minutes since midnight, found by bit sets of hours and minutes.
import { atLeast, below, bitsOf, highest, lowest } from './bits.ts';
import type { CronFields } from './cronFields.ts';
import { addBits, type MinuteSet } from './minuteSet.ts';

/** The minutes of an hour, in two halves of 32 bits. Which hours is asked for apart: it varies (B3). */
export interface MatchingMinutes {
  readonly to31: number;
  readonly from32: number;
}

export const compileMinutes = (fields: CronFields): MatchingMinutes => ({
  to31: bitsOf(fields.minute.values, 0),
  from32: bitsOf(fields.minute.values, 32),
});

export const firstTime = (minutes: MatchingMinutes, hours: number): number => lowest(hours) * 60 + firstMinute(minutes);
export const lastTime = (minutes: MatchingMinutes, hours: number): number => highest(hours) * 60 + lastMinute(minutes);

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
export function timeAtOrBefore(minutes: MatchingMinutes, hours: number, time: number): number {
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

/** Adds the times of a day that match to a set of minutes, `shift` minutes later; what falls out of the set is left out. */
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
