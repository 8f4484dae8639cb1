// Which minutes of the wall clock does a cron name? Counted from 1970-01-01T00:00 on the wall, found without trying each.
import { bitsOf } from './bits.ts';
import type { CronFields } from './cronFields.ts';
import {
  anyDayMatches,
  compileDays,
  dayAtOrAfter,
  dayAtOrBefore,
  longestWait,
  type MatchingDays,
} from './matchingDays.ts';
import {
  compileMinutes,
  firstTime,
  lastTime,
  type MatchingMinutes,
  timeAtOrAfter,
  timeAtOrBefore,
} from './matchingTimes.ts';

export interface Pattern {
  readonly minutes: MatchingMinutes;
  readonly hours: number;
  /** The hours with a neighbour among them: they fire again when the clock goes back over them (B3). */
  readonly neighbouredHours: number;
  readonly days: MatchingDays;
  /** False for 30 February and its like. */
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

/** The first match from `minute` on, with `hours` in place of the pattern's own. Only for a pattern that ever matches. */
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

/** The last match up to `minute`, with `hours` in place of the pattern's own. Only for a pattern that ever matches. */
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

/** Whether one match is never more than `limit` minutes from the next. */
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
