// Crons in words: the shapes people write; what is none of them is repeated as it was written.
import { readCalendar } from './calendar.ts';
import { onDates, parseCron } from './cron.ts';
import { type CronFields, readFields } from './cronFields.ts';
import { describeDuration, formatDays, formatTimeOfDay, months } from './describeClock.ts';
import { parseDuration } from './duration.ts';
import { asDuration, type Duration, day, minute } from './instant.ts';
import { andList, ordinal, runsOf } from './lists.ts';
import { describeNth } from './monthlyDays.ts';
import type { Schedule } from './schedule.ts';
import { always, never, type Window } from './window.ts';

/** When it fires: `Monday to Friday at 09:00`; with a duration, when it is open: `Monday to Friday 09:00–17:00`. Without its zone. */
export function describeCron(text: string, duration?: Duration): string {
  const fields = readFields(withoutZone(text));
  const [days, times] = 'fault' in fields ? [] : [cronDays(fields), cronTimes(fields, duration)];
  if (days === undefined || times === undefined) return asWritten(text, duration);
  // "every day every hour" says no more than "every hour".
  return days === 'every day' && times.startsWith('every ') ? times : `${days} ${times}`;
}

const asWritten = (text: string, duration: Duration | undefined): string =>
  `at each hit of “${withoutZone(text)}”${duration === undefined ? '' : ` for ${describeDuration(duration)}`}`;

/** B3: a cron may begin with its zone. */
export const withoutZone = (text: string): string =>
  text
    .trim()
    .replace(/^(?:CRON_)?TZ=\S*/, '')
    .trim();

/** Longer lists are no longer words. */
const mostDates = 6;
/** As many pairs of day and month are said one by one. */
const mostPairs = 4;

/** Undefined where words would say less than the cron itself. */
export function cronDays(fields: CronFields): string | undefined {
  const season = inMonths(fields);
  if (isEveryDay(fields)) return `every day${season}`;
  if (fields['day-of-month'].star) return weekdaysOf(fields, season);
  if (fields['day-of-week'].star) return dates(fields);
  // B1: where both day fields are restricted, either may match.
  const list = dateList(fields);
  return (
    list &&
    `on the ${list} of the month, and also ${weekdaysOf(fields, '').replace(/,$/, '')}${season && `, both only${season}`},`
  );
}

/** `Monday to Friday`, `on the first Saturday of the month`, or both. */
function weekdaysOf(fields: CronFields, season: string): string {
  const { 'day-of-week': weekdays, nthWeekdays } = fields;
  const weekly = formatDays(new Set([...weekdays.values].map((weekday) => (weekday + 6) % 7)));
  if (nthWeekdays.length === 0) return `${weekly}${season}`;
  const monthly = `on ${describeNth(nthWeekdays)} of ${season === '' ? 'the month' : monthList(fields)}`;
  return weekdays.values.size === 0 ? monthly : `${weekly}${season}, and also ${monthly},`;
}

/** Whether dates and months have no say, so that one week is like another. */
export const isWeekly = (fields: CronFields): boolean =>
  fields.month.values.size === 12 &&
  (isEveryDay(fields) || (fields['day-of-month'].star && fields.nthWeekdays.length === 0));

function isEveryDay({ 'day-of-month': dates, 'day-of-week': weekdays }: CronFields): boolean {
  const [anyDate, anyWeekday] = [dates.values.size === 31, weekdays.values.size === 7];
  return dates.star || weekdays.star ? anyDate && anyWeekday : anyDate || anyWeekday;
}

const sorted = (values: ReadonlySet<number>): number[] => [...values].sort((a, b) => a - b);
const monthName = (month: number): string => months[month - 1] ?? '';

const monthList = ({ month }: CronFields): string => andList(runsOf(sorted(month.values), monthName));

const inMonths = (fields: CronFields): string => (fields.month.values.size === 12 ? '' : ` in ${monthList(fields)}`);

function dateList({ 'day-of-month': { values }, lastDay }: CronFields): string | undefined {
  const list = [...runsOf(sorted(values), ordinal), ...(lastDay ? ['last day'] : [])];
  return list.length <= mostDates ? andList(list) : undefined;
}

function dates(fields: CronFields): string | undefined {
  const [days, inYear] = [sorted(fields['day-of-month'].values), sorted(fields.month.values)];
  if (inYear.length === 1 && !fields.lastDay) return `on ${andList(runsOf(days, String))} ${monthName(inYear[0] ?? 1)}`;
  if (days.length * inYear.length <= mostPairs && !fields.lastDay) {
    const pairs = inYear.flatMap((month) => days.map((day) => `${day} ${monthName(month)}`));
    return `on ${andList(pairs)}`;
  }
  const list = dateList(fields);
  if (list === undefined) return undefined;
  return `on the ${list} of ${inYear.length === 12 ? 'the month' : monthList(fields)}`;
}

const minutesADay = 1440;
/** As many times are said one by one. */
const mostTimes = 4;

/** Undefined where words would say less than the cron itself. */
function cronTimes(fields: CronFields, duration: Duration | undefined): string | undefined {
  const [minutes, hours] = [sorted(fields.minute.values), sorted(fields.hour.values)];
  if (minutes.length * hours.length > mostTimes) {
    const often = sayOften(minutes, hours);
    return often && `${often}${duration === undefined ? '' : ` for ${describeDuration(duration)} each`}`;
  }
  const times = hours.flatMap((it) => minutes.map((more) => it * 60 + more));
  return duration === undefined ? `at ${andList(times.map(formatTimeOfDay))}` : sayOpenings(times, duration);
}

function sayOpenings(times: readonly number[], duration: Duration): string {
  const length = duration / minute;
  const apart = times.every((time, index) => time + length <= (times[index + 1] ?? minutesADay * 2));
  if (!apart && times.length > 1)
    return `at ${andList(times.map(formatTimeOfDay))} for ${describeDuration(duration)} each`;
  return andList(times.map((time) => sayOpening(time, length)));
}

function sayOpening(from: number, length: number): string {
  const to = from + length;
  if (from === 0 && length === minutesADay) return 'all day';
  if (to <= minutesADay) return `${formatTimeOfDay(from)}–${formatTimeOfDay(to)}`;
  if (length < minutesADay)
    return `from ${formatTimeOfDay(from)} until ${formatTimeOfDay(to - minutesADay)} the next day`;
  return `from ${formatTimeOfDay(from)} for ${describeDuration(asDuration((length / minutesADay) * day))}`;
}

function sayOften(minutes: readonly number[], hours: readonly number[]): string | undefined {
  const [step, [first = 0]] = [evenStep(minutes, 60), minutes];
  if (hours.length === 24) {
    if (minutes.length === 60) return 'every minute';
    if (minutes.length === 1) return first === 0 ? 'every hour' : `every hour at ${first} min past`;
    return step ? `every ${step} minutes${first === 0 ? '' : ` from ${first} min past the hour`}` : undefined;
  }
  const run = runOf(hours);
  const [start, end] = run ?? [hours[0] ?? 0, hours.at(-1) ?? 0];
  const span = `from ${formatTimeOfDay(start * 60 + first)} to ${formatTimeOfDay(end * 60 + (minutes.at(-1) ?? 0))}`;
  if (minutes.length === 1) {
    const every = run ? 1 : stepOf(hours);
    return every ? `every ${every === 1 ? 'hour' : `${every} hours`} ${span}` : undefined;
  }
  if (!run) return undefined;
  if (minutes.length === 60) return `every minute ${span}`;
  return step ? `every ${step} minutes ${span}` : undefined;
}

/** The ends of hours that follow each other, past midnight too; undefined where there is a gap. */
function runOf(hours: readonly number[]): [number, number] | undefined {
  const starts = hours.filter((it) => !hours.includes((it + 23) % 24));
  const [start = 0] = starts;
  return starts.length === 1 ? [start, (start + hours.length - 1) % 24] : undefined;
}

/** The step from each value to the next; undefined where they differ. */
function stepOf(values: readonly number[]): number | undefined {
  const step = (values[1] ?? 0) - (values[0] ?? 0);
  return values.every((value, index) => value === (values[0] ?? 0) + index * step) ? step : undefined;
}

/** The same where the step from the last value, past the end of the field, to the first is the same. */
function evenStep(values: readonly number[], size: number): number | undefined {
  const step = size / values.length;
  return stepOf(values) === step ? step : undefined;
}

const written = /^(.+) for (\S+?)(?: \((\S+)\))?(?: ((?:every|not on|except) .+))?$/s;

/** None for a window that is always or never open; undefined for one that was not made of schedules alone. */
export function schedulesOf(window: Window): readonly Schedule[] | undefined {
  if (window === always || window === never) return [];
  const schedules = window.text.split(' or ').map(readSchedule);
  return schedules.every((schedule) => schedule !== undefined) ? schedules : undefined;
}

function readSchedule(text: string): Schedule | undefined {
  const [, cronText = '', length = '', zone = '', dates] = written.exec(text) ?? [];
  const parsed = parseCron(cronText, zone);
  const duration = parseDuration(length);
  if ('fault' in parsed || duration === undefined) return undefined;
  const calendar = dates === undefined ? undefined : readCalendar(dates);
  return { cron: calendar ? onDates(parsed.cron, calendar) : parsed.cron, duration };
}
