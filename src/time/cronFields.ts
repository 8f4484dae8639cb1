// The fields of a cron text: the grammar of robfig/cron, which Karpenter uses, with a few extensions (B1, B2, R1).
import { type MonthlyDay, type NthWeekday, readMonthlyDay } from './monthlyDays.ts';

/** The values a field allows. */
interface FieldValues {
  readonly values: ReadonlySet<number>;
  /** `*`, `?` or `*` by steps of 1: the field leaves the choice of days to the other day field. */
  readonly star: boolean;
}

type FieldName = (typeof fieldNames)[number];

export interface CronFields extends Readonly<Record<FieldName, FieldValues>> {
  /** Weekdays counted within the month, such as `sat#1`; besides the values of day-of-week (R1). */
  readonly nthWeekdays: readonly NthWeekday[];
  /** The last day of the month; besides the values of day-of-month (R1). */
  readonly lastDay: boolean;
  /** What upstream Karpenter would reject, as messages. */
  readonly beyondUpstream: readonly string[];
}

export interface CronFault {
  readonly fault: string;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const bounds: Readonly<Record<FieldName, Bounds>> = {
  minute: { min: 0, max: 59, names: [] },
  hour: { min: 0, max: 23, names: [] },
  'day-of-month': { min: 1, max: 31, names: [] },
  month: { min: 1, max: 12, names: months },
  'day-of-week': { min: 0, max: 6, names: weekdays },
};
const fieldNames = ['minute', 'hour', 'day-of-month', 'month', 'day-of-week'] as const;

const none: FieldValues = { values: new Set(), star: false };
const unread: Record<FieldName, FieldValues> = {
  minute: none,
  hour: none,
  'day-of-month': none,
  month: none,
  'day-of-week': none,
};

const shorthands: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

export function readFields(text: string): CronFields | CronFault {
  if (text.startsWith('@') && !shorthands.has(text)) return unknownShorthand(text);
  const parts = (shorthands.get(text) ?? text).split(/\s+/).filter((part) => part !== '');
  if (parts.length !== fieldNames.length) return wrongCount(parts.length);

  const beside: Beside = { beyondUpstream: [], monthly: [] };
  const fields = { ...unread };
  for (const [index, name] of fieldNames.entries()) {
    const field = readField(parts[index] ?? '', name, beside);
    if ('fault' in field) return field;
    fields[name] = field;
  }
  const { beyondUpstream, monthly } = beside;
  const nthWeekdays = monthly.filter((found) => found !== 'last day');
  return { ...fields, nthWeekdays, lastDay: monthly.includes('last day'), beyondUpstream };
}

/** What the fields say besides their values. */
interface Beside {
  readonly beyondUpstream: string[];
  readonly monthly: MonthlyDay[];
}

function readField(text: string, name: FieldName, { beyondUpstream, monthly }: Beside): FieldValues | CronFault {
  const values = new Set<number>();
  let star = false;
  const before = monthly.length;
  // Upstream passes over empty items, as in `1,,2`.
  for (const item of text.split(',').filter((item) => item !== '')) {
    const found = readMonthlyDay(item, name, (weekday) => readValue(weekday, name));
    if (typeof found === 'object' && 'fault' in found) return found;
    if (found !== undefined) {
      beyondUpstream.push(`${name} ${item} is counted within the month; upstream cannot express it`);
      monthly.push(found);
      continue;
    }
    const range = readRange(item, name);
    if ('fault' in range) return range;
    const named = new Set(valuesOf(range, name));
    const beyond = beyondUpstreamIn(range, name);
    if (beyond) beyondUpstream.push(`${name} ${item} ${beyond}; upstream wants ${[...named].join(',')}`);
    for (const value of named) values.add(value);
    star ||= range.star;
  }
  return values.size > 0 || monthly.length > before ? { values, star } : { fault: `${name} ${text} names no value` };
}

interface FieldRange {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly star: boolean;
}

function readRange(item: string, name: FieldName): FieldRange | CronFault {
  const { min, max } = bounds[name];
  const [range = '', stepText, ...slashes] = item.split('/');
  const [low = '', high, ...hyphens] = range.split('-');
  const step = stepText === undefined ? 1 : wholeNumber(stepText);
  if (slashes.length > 0) return { fault: `${name} ${item} has more than one slash` };
  if (step === undefined) return { fault: `${name} ${item} has a step that is not a number` };
  if (step === 0) return { fault: `${name} ${item} has a step of 0: the least is 1` };
  // Upstream ignores what follows the star in `*-5`.
  if (low === '*' || low === '?') return { start: min, end: max, step, star: step === 1 };

  if (hyphens.length > 0) return { fault: `${name} ${item} has more than one hyphen` };
  const start = readValue(low, name);
  if (typeof start !== 'number') return start;
  // `5/15` runs from 5 to the end.
  const end = high !== undefined ? readValue(high, name) : stepText !== undefined ? max : start;
  return typeof end === 'number' ? { start, end, step, star: false } : end;
}

/** Ranges wrap around: 22-6 are the hours 22, 23, 0 … 6, and weekday 7 is weekday 0. */
function valuesOf({ start, end, step }: FieldRange, name: FieldName): number[] {
  const { min, max } = bounds[name];
  const size = max - min + 1;
  const last = start > end ? end + size : end;
  const values: number[] = [];
  for (let value = start; value <= last; value += step) values.push(((value - min) % size) + min);
  return values;
}

function beyondUpstreamIn({ start, end }: FieldRange, name: FieldName): string | undefined {
  if (Math.max(start, end) > bounds[name].max) return 'counts Sunday as 7';
  return start > end ? 'wraps around' : undefined;
}

function readValue(text: string, name: FieldName): number | CronFault {
  const { min, max, names } = bounds[name];
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return min + named;
  const value = wholeNumber(text);
  const most = name === 'day-of-week' ? 7 : max;
  if (value === undefined) return unknownValue(text, name, most);
  if (value < min) return { fault: `${name} ${text} is below ${min}` };
  return value > most ? { fault: `${name} ${text} is above ${most}` } : value;
}

function wholeNumber(text: string): number | undefined {
  return /^\+?\d+$/.test(text) ? Number(text) : undefined;
}

function unknownValue(text: string, name: FieldName, most: number): CronFault {
  const { min, names } = bounds[name];
  const right = `a number from ${min} to ${most}${names.length > 0 ? ` or one of ${names.join(' ')}` : ''}`;
  if (text === '') return { fault: `${name} has a range with an end missing: each end is ${right}` };
  const elsewhere = /^\d*[lw]+$|#/i.test(text) ? ' (L and # are for the day fields)' : '';
  return { fault: `${name} ${text} is not ${right}${elsewhere}` };
}

function unknownShorthand(text: string): CronFault {
  const known = [...shorthands.keys()].join(' ');
  if (text.startsWith('@every')) return { fault: `${text} is not supported: write */15 * * * *, or one of ${known}` };
  return { fault: `${text} is not one of ${known}` };
}

function wrongCount(count: number): CronFault {
  const hint = count > fieldNames.length ? '; there are none for seconds or years' : '';
  return { fault: `five fields are needed (${fieldNames.join(' ')}), not ${count}${hint}` };
}
