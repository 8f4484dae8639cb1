// Which days of the calendar does a cron name? Whole months at once, as bit sets. Days are counted from 1970-01-01.
import { atLeast, below, bitsOf, highest, lowest } from './bits.ts';
import type { CronFields } from './cronFields.ts';
import { civilFromDays, daysFromCivil } from './instant.ts';

export interface MatchingDays {
  /** Bit 0 is January. */
  readonly months: number;
  /** The days that match in a month of 31, by the weekday of its first; bit 0 is the 1st. */
  readonly byFirstWeekday: readonly number[];
}

const everyMonth = 2 ** 12 - 1;
const everyDay = 2 ** 31 - 1;
/** After so many the calendar repeats itself, weekdays included. */
const daysOf400Years = 146_097;

const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const daysOfMonth = lengths.map((length) => 2 ** length - 1);
const daysOfLeapFebruary = 2 ** 29 - 1;

export function compileDays(fields: CronFields): MatchingDays {
  return {
    months: bitsOf(fields.month.values, 1),
    byFirstWeekday: [0, 1, 2, 3, 4, 5, 6].map((first) => daysWhenFirstIs(first, fields)),
  };
}

/** Every seventh day of a month, from its first on; shifted for the others. */
const everySeventh = bitsOf([0, 7, 14, 21, 28], 0);

/** Where both day fields are restricted either may match (B1). */
function daysWhenFirstIs(weekday: number, { 'day-of-month': dates, 'day-of-week': weekdays }: CronFields): number {
  const byDate = bitsOf(dates.values, 1);
  let byWeekday = 0;
  for (const named of weekdays.values) byWeekday |= everySeventh << ((named - weekday + 7) % 7);
  byWeekday &= everyDay;
  return dates.star || weekdays.star ? byDate & byWeekday : byDate | byWeekday;
}

/** False for 30 February and its like; 29 February comes. */
export function anyDayMatches({ months, byFirstWeekday }: MatchingDays): boolean {
  const days = byFirstWeekday.reduce((all, some) => all | some, 0);
  const inMonth = (month: number) => days & (month === 1 ? daysOfLeapFebruary : (daysOfMonth[month] as number));
  return lengths.some((_, month) => months & (1 << month) && inMonth(month));
}

/** The most days from one that matches to the next, unless it is above `limit`: then the first found that is. */
export function longestWait(matching: MatchingDays, limit: number): number {
  if (matching.months === everyMonth && matching.byFirstWeekday.every((days) => days === everyDay)) return 1;
  if (limit < shortestMonth) return longestWaitWithinMonths(matching, limit);
  let longest = 1;
  for (let day = dayAtOrAfter(matching, 0), next = day; day < daysOf400Years && longest <= limit; day = next) {
    next = dayAtOrAfter(matching, day + 1);
    longest = Math.max(longest, next - day);
  }
  return longest;
}

const shortestMonth = 28;

/**
 * The same for a limit that no month fits into. Every month begins on every weekday at some time, in leap years too, so each is
 * looked at once with the one after it, instead of 400 years.
 */
function longestWaitWithinMonths(matching: MatchingDays, limit: number): number {
  let longest = 1;
  // Year 1 is not a leap year, year 4 is; from its March on it is like any other.
  for (const month of [...lengths.map((_, index) => 12 + index), 48, 49]) {
    const length = 32 - Math.clz32(everyDayOf(month));
    for (let weekday = 0; weekday < 7; weekday++) {
      const next = (weekday + length) % 7;
      const wait = longestWaitFrom(daysOn(matching, month, weekday), daysOn(matching, month + 1, next), length);
      longest = Math.max(longest, wait);
      if (longest > limit) return longest;
    }
  }
  return longest;
}

/** From a day of a month to the next, which may be the first of the month after it. */
function longestWaitFrom(days: number, later: number, length: number): number {
  if (days === 0 || later === 0) return Infinity;
  let longest = length - highest(days) + lowest(later);
  let day = lowest(days);
  for (let rest = days & (days - 1); rest !== 0; rest &= rest - 1) {
    longest = Math.max(longest, lowest(rest) - day);
    day = lowest(rest);
  }
  return longest;
}

/** Which of `count` days from `from` on match. */
export function matchesFrom(matching: MatchingDays, from: number, count: number): boolean[] {
  const date = civilFromDays(from);
  const matches: boolean[] = [];
  let month = date.year * 12 + date.month - 1;
  let first = from - date.day + 1;
  let days = daysIn(matching, month, first);
  let nextFirst = firstDayOf(month + 1);
  for (let day = from; day < from + count; day++) {
    if (day === nextFirst) {
      first = nextFirst;
      days = daysIn(matching, ++month, first);
      nextFirst = firstDayOf(month + 1);
    }
    matches.push((days & (1 << (day - first))) !== 0);
  }
  return matches;
}

/** The first day that matches, from `from` on. Only for days that match at all. */
export function dayAtOrAfter(matching: MatchingDays, from: number): number {
  const date = civilFromDays(from);
  let month = date.year * 12 + date.month - 1;
  let first = from - date.day + 1;
  let days = atLeast(daysIn(matching, month, first), date.day - 1);
  while (days === 0) {
    month = monthAfter(matching.months, month);
    first = firstDayOf(month);
    days = daysIn(matching, month, first);
  }
  return first + lowest(days);
}

/** The last day that matches, up to `until`. Only for days that match at all. */
export function dayAtOrBefore(matching: MatchingDays, until: number): number {
  const date = civilFromDays(until);
  let month = date.year * 12 + date.month - 1;
  let first = until - date.day + 1;
  let days = below(daysIn(matching, month, first), date.day);
  while (days === 0) {
    month = monthBefore(matching.months, month);
    first = firstDayOf(month);
    days = daysIn(matching, month, first);
  }
  return first + highest(days);
}

/** The first day that does not match, from `from` on; `limit` if there is none before it. */
export function missAtOrAfter(matching: MatchingDays, from: number, limit: number): number {
  const date = civilFromDays(from);
  let month = date.year * 12 + date.month - 1;
  let first = from - date.day + 1;
  let misses = atLeast(missesIn(matching, month, first), date.day - 1);
  while (misses === 0 && first < limit) {
    first = firstDayOf(++month);
    misses = missesIn(matching, month, first);
  }
  return misses === 0 ? limit : Math.min(first + lowest(misses), limit);
}

/** The last day that does not match, up to `until`; `limit` if there is none after it. */
export function missAtOrBefore(matching: MatchingDays, until: number, limit: number): number {
  const date = civilFromDays(until);
  let month = date.year * 12 + date.month - 1;
  let first = until - date.day + 1;
  let misses = below(missesIn(matching, month, first), date.day);
  while (misses === 0 && first > limit) {
    first = firstDayOf(--month);
    misses = missesIn(matching, month, first);
  }
  return misses === 0 ? limit : Math.max(first + highest(misses), limit);
}

/** The matching days of a month, counted from the year 0, that begins on day `first`. */
function daysIn(matching: MatchingDays, month: number, first: number): number {
  // 1970-01-01 was a Thursday.
  return daysOn(matching, month, (((first + 4) % 7) + 7) % 7);
}

/** The same where that first day is a given weekday. */
function daysOn({ months, byFirstWeekday }: MatchingDays, month: number, weekday: number): number {
  const index = month - Math.floor(month / 12) * 12;
  if ((months & (1 << index)) === 0) return 0;
  return (byFirstWeekday[weekday] as number) & everyDayOf(month);
}

const missesIn = (matching: MatchingDays, month: number, first: number): number =>
  everyDayOf(month) & ~daysIn(matching, month, first);

function everyDayOf(month: number): number {
  const year = Math.floor(month / 12);
  const index = month - year * 12;
  const leap = index === 1 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return leap ? daysOfLeapFebruary : (daysOfMonth[index] as number);
}

function firstDayOf(month: number): number {
  const year = Math.floor(month / 12);
  return daysFromCivil(year, month - year * 12 + 1, 1);
}

function monthAfter(months: number, month: number): number {
  const year = Math.floor(month / 12);
  const later = atLeast(months, month - year * 12 + 1);
  return later !== 0 ? year * 12 + lowest(later) : (year + 1) * 12 + lowest(months);
}

function monthBefore(months: number, month: number): number {
  const year = Math.floor(month / 12);
  const earlier = below(months, month - year * 12);
  return earlier !== 0 ? year * 12 + highest(earlier) : (year - 1) * 12 + highest(months);
}
