// The dates on which openings of a schedule may begin: every n weeks, and not on excepted dates (R2). Dates are counted in days from 1970-01-01.
import { formatPlainDate } from './describeClock.ts';
import { civilFromDays, day, daysFromCivil } from './instant.ts';
import { someOf } from './lists.ts';

/** Both ends included. */
export interface DateRange {
  readonly from: number;
  readonly to: number;
  /** As it was written. */
  readonly text: string;
}

export interface Calendar {
  /** Once in this number of weeks, counted from the week of the anchor; weeks begin on Monday. */
  readonly every?: { readonly weeks: number; readonly anchor: number; readonly text: string };
  readonly except: readonly DateRange[];
  /** An opening that began earlier ends where an excepted date begins: in a window that allows, nothing is allowed on that date. */
  readonly cuts: boolean;
}

const dateForm = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Undefined for a text that is not a date. */
export function parseDate(text: string): number | undefined {
  const [, year = 0, month = 0, dayOfMonth = 0] = (dateForm.exec(text) ?? []).map(Number);
  const date = daysFromCivil(year, month, dayOfMonth);
  const read = civilFromDays(date);
  return dateForm.test(text) && read.month === month && read.day === dayOfMonth ? date : undefined;
}

/** `2026-12-24`, or `2026-12-25..2026-12-26` */
export function parseDates(text: string): DateRange | undefined {
  const [first = '', last = first, ...more] = text.split('..');
  const [from, to] = [parseDate(first), parseDate(last)];
  return from === undefined || to === undefined || more.length > 0 || from > to ? undefined : { from, to, text };
}

const mostWeeks = 52;

/** `2w`: the number of weeks, from 1 to 52. */
export function parseWeeks(text: string): number | undefined {
  const weeks = /^[1-9]\d?w$/.test(text) ? Number.parseInt(text, 10) : 0;
  return weeks >= 1 && weeks <= mostWeeks ? weeks : undefined;
}

/** 1970-01-01 was a Thursday. */
const weekOf = (date: number): number => Math.floor((date + 3) / 7);
const mondayOf = (week: number): number => week * 7 - 3;

/** The number of weeks since the last one that applies. */
function weeksOff({ every }: Calendar, date: number): number {
  if (!every) return 0;
  const weeks = weekOf(date) - weekOf(every.anchor);
  return weeks - Math.floor(weeks / every.weeks) * every.weeks;
}

const exceptionAt = ({ except }: Calendar, date: number): DateRange | undefined =>
  except.find(({ from, to }) => from <= date && date <= to);

export const admits = (calendar: Calendar, date: number): boolean =>
  weeksOff(calendar, date) === 0 && exceptionAt(calendar, date) === undefined;

/** The first date from `date` on that is admitted. */
export function admittedFrom(calendar: Calendar, date: number): number {
  let found = date;
  while (!admits(calendar, found)) {
    const off = weeksOff(calendar, found);
    const exception = exceptionAt(calendar, found);
    if (exception) found = exception.to + 1;
    else found = mondayOf(weekOf(found) + (calendar.every?.weeks ?? 1) - off);
  }
  return found;
}

/** The last date up to `date` that is admitted. */
export function admittedUntil(calendar: Calendar, date: number): number {
  let found = date;
  while (!admits(calendar, found)) {
    const off = weeksOff(calendar, found);
    const exception = exceptionAt(calendar, found);
    if (exception) found = exception.from - 1;
    else found = mondayOf(weekOf(found) - off + 1) - 1;
  }
  return found;
}

/** The first excepted date after `date` that cuts an opening; undefined if there is none. */
export function cutAfter({ except, cuts }: Calendar, date: number): number | undefined {
  if (!cuts) return undefined;
  // An opening that begins within a range is not there to be cut.
  const starts = except.filter(({ to }) => to > date).map(({ from }) => Math.max(from, date + 1));
  return starts.length === 0 ? undefined : Math.min(...starts);
}

/** `every 2w from 2026-11-02 except 2026-12-24,2026-12-25..2026-12-26`; `not on` where exceptions cut. */
export function formatCalendar({ every, except, cuts }: Calendar): string {
  const weeks = every ? `every ${every.weeks}w from ${every.text}` : '';
  const dates = except.length === 0 ? '' : `${cuts ? 'not on' : 'except'} ${except.map(({ text }) => text).join()}`;
  return `${weeks} ${dates}`.trim();
}

const written = /^(?:every (\d+)w from (\S+))?(?: ?(not on|except) (\S+))?$/;

/** The calendar with this text; undefined for any other text. */
export function readCalendar(text: string): Calendar | undefined {
  const [, weeks, anchorText = '', word, dates] = written.exec(text) ?? [];
  const anchor = parseDate(anchorText);
  const except = (dates?.split(',') ?? []).map(parseDates).filter((range) => range !== undefined);
  if (weeks === undefined && except.length === 0) return undefined;
  const every =
    weeks !== undefined && anchor !== undefined ? { weeks: Number(weeks), anchor, text: anchorText } : undefined;
  return { ...(every && { every }), except, cuts: word === 'not on' };
}

/** `every 2 weeks (such as the week of 2 November 2026), except on 24 December 2026` */
export function describeCalendar({ every, except }: Calendar): string {
  const count = every?.weeks === 1 ? 'week' : `${every?.weeks} weeks`;
  const weeks = every ? [`every ${count} (such as the week of ${formatPlainDate(every.anchor * day)})`] : [];
  const dates = except.length === 0 ? [] : [`except on ${someOf(except.map(describeRange))}`];
  return [...weeks, ...dates].join(', ');
}

function describeRange({ from, to }: DateRange): string {
  const last = formatPlainDate(to * day);
  return from === to ? last : `${formatPlainDate(from * day)} to ${last}`;
}
