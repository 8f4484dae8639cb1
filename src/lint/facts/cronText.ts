// Cron schedules written from hours of a week, and questions about the fields of a cron.

import { type CronFields, readFields } from '../../time/cronFields.ts';
import { withoutZone } from '../../time/describeCron.ts';
import { asDuration, type Duration, minute } from '../../time/instant.ts';
import { fieldAlone } from '../../time/upstreamCron.ts';
import type { WeeklyHours } from './weeklyPattern.ts';

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const sunday = 6;

/** A cron that fires at the start of these weekly hours, in a form that Karpenter accepts too. */
export const cronOf = ({ days, start }: WeeklyHours): string =>
  `${start % 60} ${Math.floor(start / 60)} * * ${daysText(days)}`;

function daysText(days: readonly number[]): string {
  if (days.length === 7) return '*';
  // Sunday is the first day of a cron's week: a range up to it would wrap.
  const workdays = days.filter((weekday) => weekday < sunday);
  const [first = 0, last = 0] = [workdays[0], workdays.at(-1)];
  const isRun = workdays.length > 2 && last - first === workdays.length - 1;
  const names = isRun ? [`${weekdays[first]}-${weekdays[last]}`] : workdays.map((weekday) => weekdays[weekday]);
  return [...names, ...(days.includes(sunday) ? [weekdays[sunday]] : [])].join();
}

export const lengthOf = ({ length }: WeeklyHours): Duration => asDuration(length * minute);

/**
 * The cron that an attempt at "the first Monday of the month" is meant as: the first, second … seven days and one weekday (R1).
 * Undefined for other days.
 */
export function meantAsNth(text: string): string | undefined {
  const fields = fieldsOf(text);
  if (!fields || fields.lastDay || fields.nthWeekdays.length > 0) return undefined;
  const [dates, [weekday, ...others]] = [[...fields['day-of-month'].values], fields['day-of-week'].values];
  const first = Math.min(...dates);
  if (weekday === undefined || others.length > 0 || dates.length !== 7 || first % 7 !== 1) return undefined;
  if (Math.max(...dates) !== first + 6) return undefined;
  const [minute, hour, , month] = withoutZone(text).split(/\s+/);
  return `${minute} ${hour} * ${month} ${weekdays[(weekday + 6) % 7]}#${(first + 6) / 7}`;
}

/** The fields of a cron text that is known to be valid. */
export function fieldsOf(text: string): CronFields | undefined {
  const fields = readFields(withoutZone(text));
  return 'fault' in fields ? undefined : fields;
}

const fieldNames = ['minute', 'hour', 'day-of-month', 'month', 'day-of-week'] as const;

export interface LargeStep {
  readonly field: (typeof fieldNames)[number];
  /** The item of the list as written. */
  readonly item: string;
  /** The number of values in its range. */
  readonly size: number;
  /** The only value that matches. */
  readonly value: number;
}

/** Steps that are larger than their range. A step of exactly its size, such as every 60 minutes, matches once too, but is written on purpose. */
export function largeStepsIn(text: string): LargeStep[] {
  const parts = withoutZone(text).split(/\s+/);
  return fieldNames.flatMap((field, place) =>
    (parts[place] ?? '').split(',').flatMap((item) => {
      const [range = '', step] = item.split('/');
      if (step === undefined) return [];
      // `5/15` counts from 5 to the end of the field.
      const isOpen = !/^[*?]|-/.test(range);
      const size = valuesAt(place, isOpen ? `${range}-${Math.max(...valuesAt(place, '*'))}` : range).length;
      const [value, ...others] = valuesAt(place, item);
      return value !== undefined && others.length === 0 && Number(step) > size ? [{ field, item, size, value }] : [];
    }),
  );
}

/** The values of one field by itself. */
function valuesAt(place: number, item: string): readonly number[] {
  const [name, alone] = [fieldNames[place], fieldAlone(place, item)];
  return name === undefined || !alone ? [] : [...alone[name].values];
}
