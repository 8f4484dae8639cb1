// Which cron says these hours, and what do the fields of a cron say? Text in both directions.
import { type CronFields, readFields } from '../../time/cronFields.ts';
import { asDuration, type Duration, minute } from '../../time/instant.ts';
import type { WeekStretch } from './habit.ts';

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const sunday = 6;

/** A cron that fires when the stretch begins, in a form that Karpenter accepts too. */
export const cronOf = ({ days, start }: WeekStretch): string =>
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

export const lengthOf = ({ length }: WeekStretch): Duration => asDuration(length * minute);

const zonePrefix = /^\s*(?:CRON_)?TZ=\S*/;

/** The fields of a cron text that is known to be sound. */
export function fieldsOf(text: string): CronFields | undefined {
  const fields = readFields(text.replace(zonePrefix, '').trim());
  return 'fault' in fields ? undefined : fields;
}

/** The same cron in the words of upstream: weekday 7 and ranges that wrap are written out. A zone cannot be. */
export function asUpstream(text: string): string {
  const parts = text.replace(zonePrefix, '').trim().split(/\s+/);
  if (parts.length < 5) return text;
  return parts
    .map((part, place) =>
      part
        .split(',')
        .map((item) => itemAsUpstream(item, place))
        .join(),
    )
    .join(' ');
}

const fieldNames = ['minute', 'hour', 'day-of-month', 'month', 'day-of-week'] as const;

function itemAsUpstream(item: string, place: number): string {
  const name = fieldNames[place];
  const alone = readFields(fieldNames.map((_, other) => (other === place ? item : '*')).join(' '));
  if (name === undefined || 'fault' in alone || alone.beyondUpstream.length === 0) return item;
  return [...alone[name].values].sort((a, b) => a - b).join();
}

export interface LargeStep {
  readonly field: (typeof fieldNames)[number];
  /** As it was written: one of a list. */
  readonly item: string;
  /** How many values its range has. */
  readonly size: number;
  /** The only one that matches. */
  readonly value: number;
}

/** The steps that are larger than their range. A step of just its size, such as every 60 minutes, matches once as well, and is meant so. */
export function largeStepsIn(text: string): LargeStep[] {
  const parts = text.replace(zonePrefix, '').trim().split(/\s+/);
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

function valuesAt(place: number, item: string): readonly number[] {
  const name = fieldNames[place];
  const alone = readFields(fieldNames.map((_, other) => (other === place ? item : '*')).join(' '));
  return name === undefined || 'fault' in alone ? [] : [...alone[name].values];
}
