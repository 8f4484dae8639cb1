// The calendar days that a cron matches, as one bit set per month. Days are counted from 1970-01-01.
import { atLeast, below, bitsOf, highest, lowest } from './bits.ts';
import type { CronFields } from './cronFields.ts';
import { civilFromDays, daysFromCivil } from './instant.ts';

export interface MatchingDays {
  /** Bit 0 is January. */
  readonly months: number;
  /** The days that match, by the length of the month, from 28 to 31, and the weekday of its first; bit 0 is the 1st. */
  readonly byFirstWeekday: readonly number[];
}

const everyMonth = 2 ** 12 - 1;
/** The period of the calendar, weekdays included. */
const daysOf400Years = 146_097;

const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const monthLengths = [28, 29, 30, 31];
const shortestMonth = 28;
const leapFebruary = 29;
const everyDayOf = (length: number): number => 2 ** length - 1;

export function compileDays(fields: CronFields): MatchingDays {
  return {
    months: bitsOf(fields.month.values, 1),
    byFirstWeekday: monthLengths.flatMap((length) =>
      weekdays.map((first) => daysWhenFirstIs(first, fields, length) & everyDayOf(length)),
    ),
  };
}

const weekdays = [0, 1, 2, 3, 4, 5, 6];

/** Every seventh day of a month, from its first on; shifted for the others. */
const everySeventh = bitsOf([0, 7, 14, 21, 28], 0);

/** Where both day fields are restricted either may match (B1). */
function daysWhenFirstIs(first: number, fields: CronFields, length: number): number {
  const { 'day-of-month': dates, 'day-of-week': named, lastDay, nthWeekdays } = fields;
  const byDate = bitsOf(dates.values, 1) | (lastDay ? 1 << (length - 1) : 0);
  let byWeekday = 0;
  for (const weekday of named.values) byWeekday |= everySeventh << ((weekday - first + 7) % 7);
  for (const { weekday, nth } of nthWeekdays) byWeekday |= nthBit((weekday - first + 7) % 7, nth, length);
  return dates.star || named.star ? byDate & byWeekday : byDate | byWeekday;
}

/** The n-th or last of the days that begin with `day` and come every week (R1); none in a month without a fifth. */
function nthBit(day: number, nth: number | 'last', length: number): number {
  const found = nth === 'last' ? day + 7 * Math.floor((length - 1 - day) / 7) : day + 7 * (nth - 1);
  return found < length ? 1 << found : 0;
}

/** False for 30 February and its like; 29 February comes. */
export function anyDayMatches(matching: MatchingDays): boolean {
  const ever = (length: number): boolean => weekdays.some((first) => cellOf(matching, first, length) !== 0);
  return lengths.some(
    (length, month) => matching.months & (1 << month) && (ever(length) || (month === 1 && ever(leapFebruary))),
  );
}

const cellOf = ({ byFirstWeekday }: MatchingDays, first: number, length: number): number =>
  byFirstWeekday[(length - shortestMonth) * 7 + first] ?? 0;

/** The longest gap in days between matching days, or the first gap found that exceeds `limit`. */
export function longestWait(matching: MatchingDays, limit: number): number {
  if (matching.months === everyMonth && isEveryDay(matching)) return 1;
  if (limit < shortestMonth) return longestWaitWithinMonths(matching, limit);
  let longest = 1;
  for (let day = dayAtOrAfter(matching, 0), next = day; day < daysOf400Years && longest <= limit; day = next) {
    next = dayAtOrAfter(matching, day + 1);
    longest = Math.max(longest, next - day);
  }
  return longest;
}

const isEveryDay = (matching: MatchingDays): boolean =>
  monthLengths.every((length) => weekdays.every((first) => cellOf(matching, first, length) === everyDayOf(length)));

/**
 * The same for a limit shorter than any month. Every month begins on every weekday at some time, in leap years too, so each month is
 * checked once with its successor instead of walking through 400 years.
 */
function longestWaitWithinMonths(matching: MatchingDays, limit: number): number {
  let longest = 1;
  // Year 1 is not a leap year, year 4 is; from its March on it is like any other.
  for (const month of [...lengths.map((_, index) => 12 + index), 48, 49]) {
    const length = lengthOf(month);
    for (let weekday = 0; weekday < 7; weekday++) {
      const next = (weekday + length) % 7;
      const wait = longestWaitFrom(daysOn(matching, month, weekday), daysOn(matching, month + 1, next), length);
      longest = Math.max(longest, wait);
      if (longest > limit) return longest;
    }
  }
  return longest;
}

/** The longest gap within a month, including the one to the first match of the next month. */
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
function daysOn(matching: MatchingDays, month: number, weekday: number): number {
  const index = month - Math.floor(month / 12) * 12;
  return (matching.months & (1 << index)) === 0 ? 0 : cellOf(matching, weekday, lengthOf(month));
}

const missesIn = (matching: MatchingDays, month: number, first: number): number =>
  everyDayOf(lengthOf(month)) & ~daysIn(matching, month, first);

function lengthOf(month: number): number {
  const year = Math.floor(month / 12);
  const index = month - year * 12;
  const leap = index === 1 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return leap ? leapFebruary : (lengths[index] ?? 0);
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
