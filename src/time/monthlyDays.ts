// Days counted within the month: the n-th or the last of a weekday (`sat#1`, `sunL`), and the last day (`L`) (R1).
import { weekdays as weekdayNames } from './describeClock.ts';
import { andList, groupsOf } from './lists.ts';

/** The n-th of a weekday in a month. A month without a fifth has no match. Sunday is 0. */
export interface NthWeekday {
  readonly weekday: number;
  readonly nth: number | 'last';
}

export type MonthlyDay = NthWeekday | 'last day';

interface DayFault {
  readonly fault: string;
}

type ReadWeekday = (text: string) => number | DayFault;

/** Undefined for an item that is not counted within the month. */
export function readMonthlyDay(
  item: string,
  field: string,
  readWeekday: ReadWeekday,
): MonthlyDay | DayFault | undefined {
  if (field === 'day-of-month') return /[lw#]/i.test(item) ? readLastDay(item) : undefined;
  if (field !== 'day-of-week' || !/#|l$|l[-/]/i.test(item)) return undefined;
  return readNth(item, readWeekday);
}

function readLastDay(item: string): MonthlyDay | DayFault {
  if (/^l$/i.test(item)) return 'last day';
  const start = /^(\d+)-l$/i.exec(item)?.[1];
  if (start !== undefined)
    return wrongDate(item, `is written ${start}-31: days that a month does not have are skipped`);
  if (item.includes('#')) return wrongDate(item, 'counts weekdays: write it in the day-of-week field, such as sat#2');
  if (/w/i.test(item)) return wrongDate(item, 'is not supported: write a date such as 15, or a weekday such as mon#3');
  return wrongDate(item, 'is not supported: write L alone, the last day of the month, or a date such as 28');
}

const wrongDate = (item: string, what: string): DayFault => ({ fault: `day-of-month ${item} ${what}` });
const wrongWeekday = (item: string, what: string): DayFault => ({ fault: `day-of-week ${item} ${what}` });

const counted = /^([^#]*?)(?:#([^#]*)|(l))$/is;
const names = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

function readNth(item: string, readWeekday: ReadWeekday): NthWeekday | DayFault {
  const [, day = '', count, last] = counted.exec(item) ?? [];
  const suffix = last === undefined ? `#${count}` : 'L';
  if (item.includes('/')) return wrongWeekday(item, 'has a step: list the weekdays, such as sat#1,sat#3');
  if (day === '' || day === '*' || day === '?')
    return wrongWeekday(
      item,
      'names no weekday: write sat#1 for the first Saturday of the month, satL for the last one, or L as the day of the month for its last day',
    );
  if (day.includes('-')) return countedRange(item, day.split('-'), suffix, readWeekday);
  const weekday = readWeekday(day);
  if (typeof weekday !== 'number') return weekday;
  if (last !== undefined) return { weekday: weekday % 7, nth: 'last' };
  if (/^[1-5]$/.test(count ?? '')) return { weekday: weekday % 7, nth: Number(count) };
  return wrongCount(item, day, count ?? '');
}

/** A range would leave open whether each weekday is counted or the whole range. */
function countedRange(item: string, ends: readonly string[], suffix: string, readWeekday: ReadWeekday): DayFault {
  const [first, last] = ends.map(readWeekday);
  if (typeof first !== 'number' || typeof last !== 'number' || ends.length !== 2)
    return wrongWeekday(item, 'counts a range: list the weekdays, such as mon#1,tue#1');
  const size = (((last - first) % 7) + 7) % 7;
  const each = Array.from({ length: size + 1 }, (_, index) => `${names[(first + index) % 7]}${suffix}`);
  return wrongWeekday(item, `counts a range: list the weekdays, ${each.join()}`);
}

function wrongCount(item: string, day: string, count: string): DayFault {
  const [, from, to] = /^([1-5])-([1-5])$/.exec(count) ?? [];
  if (from !== undefined && to !== undefined && from < to) {
    const each = Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => `${day}#${Number(from) + index}`);
    return wrongWeekday(item, `counts a range: write ${each.join()}`);
  }
  if (/^(l|last|-1)$/i.test(count)) return wrongWeekday(item, `is written ${day}L: the last one of the month`);
  return wrongWeekday(item, `is not from ${day}#1 to ${day}#5; for the last one of the month, write ${day}L`);
}

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth'];

/** `the first and third Saturday and the last Sunday` */
export function describeNth(days: readonly NthWeekday[]): string {
  const byWeekday = groupsOf(days, ({ weekday }) => weekday);
  return andList(byWeekday.map((its) => `the ${andList(ordinalsOf(its))} ${weekdayNames[(its[0].weekday + 6) % 7]}`));
}

function ordinalsOf(days: readonly NthWeekday[]): string[] {
  const counts = new Set(days.map(({ nth }) => (nth === 'last' ? Infinity : nth)));
  return [...counts].sort((a, b) => a - b).map((nth) => ordinals[nth - 1] ?? 'last');
}
