// On which days does a cron fire? `every day`, `Monday to Friday`, `on the 1st and 15th of the month`, `on 24 December`.
import type { CronFields } from '../../time/cronFields.ts';
import { months, sayDays } from './clockWords.ts';
import { andList, ordinal, runsOf } from './lists.ts';

/** Longer lists are no longer words. */
const mostDates = 6;
/** As many pairs of day and month are said one by one. */
const mostPairs = 4;

/** Undefined where words would say less than the cron itself. */
export function cronDays(fields: CronFields): string | undefined {
  const weekdays = fields['day-of-week'];
  const byWeekday = sayDays(new Set([...weekdays.values].map((weekday) => (weekday + 6) % 7)));
  const season = inMonths(fields);
  if (isEveryDay(fields)) return `every day${season}`;
  if (fields['day-of-month'].star) return `${byWeekday}${season}`;
  if (weekdays.star) return dates(fields);
  // B1: where both day fields are restricted, either may match.
  const list = dateList(fields);
  return list && `on the ${list} of the month, and also ${byWeekday}${season && `, both only${season}`},`;
}

/** Whether dates and months have no say, so that one week is like another. */
export const isWeekly = (fields: CronFields): boolean =>
  fields.month.values.size === 12 && (fields['day-of-month'].star || isEveryDay(fields));

function isEveryDay({ 'day-of-month': dates, 'day-of-week': weekdays }: CronFields): boolean {
  const [anyDate, anyWeekday] = [dates.values.size === 31, weekdays.values.size === 7];
  return dates.star || weekdays.star ? anyDate && anyWeekday : anyDate || anyWeekday;
}

const sorted = (values: ReadonlySet<number>): number[] => [...values].sort((a, b) => a - b);
const monthName = (month: number): string => months[month - 1] ?? '';

const monthList = ({ month }: CronFields): string => andList(runsOf(sorted(month.values), monthName));

const inMonths = (fields: CronFields): string => (fields.month.values.size === 12 ? '' : ` in ${monthList(fields)}`);

function dateList({ 'day-of-month': { values } }: CronFields): string | undefined {
  const list = runsOf(sorted(values), ordinal);
  return list.length <= mostDates ? andList(list) : undefined;
}

function dates(fields: CronFields): string | undefined {
  const [days, inYear] = [sorted(fields['day-of-month'].values), sorted(fields.month.values)];
  if (inYear.length === 1) return `on ${andList(runsOf(days, String))} ${monthName(inYear[0] ?? 1)}`;
  if (days.length * inYear.length <= mostPairs) {
    const pairs = inYear.flatMap((month) => days.map((day) => `${day} ${monthName(month)}`));
    return `on ${andList(pairs)}`;
  }
  const list = dateList(fields);
  if (list === undefined) return undefined;
  return `on the ${list} of ${inYear.length === 12 ? 'the month' : monthList(fields)}`;
}
