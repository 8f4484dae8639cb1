// What does each field of a cron text allow? The grammar of robfig/cron, which Karpenter uses, and a little more (B1, B2).

/** The values a field allows. */
interface FieldValues {
  readonly values: ReadonlySet<number>;
  /** `*`, `?` or `*` by steps of 1: the field leaves the choice of days to the other day field. */
  readonly star: boolean;
}

type FieldName = 'minute' | 'hour' | 'day-of-month' | 'month' | 'day-of-week';

export interface CronFields extends Readonly<Record<FieldName, FieldValues>> {
  /** What upstream would reject, in words. */
  readonly beyondUpstream: readonly string[];
}

export interface Fault {
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
const fieldNames = Object.keys(bounds) as FieldName[];

const shorthands: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

export function readFields(text: string): CronFields | Fault {
  if (text.startsWith('@') && !shorthands.has(text)) return unknownShorthand(text);
  const parts = (shorthands.get(text) ?? text).split(/\s+/).filter((part) => part !== '');
  if (parts.length !== fieldNames.length) return wrongCount(parts.length);

  const beyondUpstream: string[] = [];
  const read: Partial<Record<FieldName, FieldValues>> = {};
  for (const [index, name] of fieldNames.entries()) {
    const field = readField(parts[index] as string, name, beyondUpstream);
    if ('fault' in field) return field;
    read[name] = field;
  }
  return { ...(read as Record<FieldName, FieldValues>), beyondUpstream };
}

function readField(text: string, name: FieldName, beyondUpstream: string[]): FieldValues | Fault {
  const values = new Set<number>();
  let star = false;
  // Upstream passes over empty items, as in `1,,2`.
  for (const item of text.split(',').filter((item) => item !== '')) {
    const range = readRange(item, name);
    if ('fault' in range) return range;
    const named = new Set(valuesOf(range, name));
    const beyond = beyondUpstreamIn(range, name);
    if (beyond) beyondUpstream.push(`${name} ${item} ${beyond}; upstream wants ${[...named].join(',')}`);
    for (const value of named) values.add(value);
    star ||= range.star;
  }
  return values.size > 0 ? { values, star } : { fault: `${name} ${text} names no value` };
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly star: boolean;
}

function readRange(item: string, name: FieldName): Range | Fault {
  const { min, max } = bounds[name];
  const [range = '', stepText, ...slashes] = item.split('/');
  const [low = '', high, ...hyphens] = range.split('-');
  const step = stepText === undefined ? 1 : wholeNumber(stepText);
  if (slashes.length > 0) return { fault: `${name} ${item} has more than one slash` };
  if (step === undefined) return { fault: `${name} ${item} has a step that is not a number` };
  if (step === 0) return { fault: `${name} ${item} has a step of 0: the least is 1` };
  // Upstream does not look at what follows the star in `*-5`.
  if (low === '*' || low === '?') return { start: min, end: max, step, star: step === 1 };

  if (hyphens.length > 0) return { fault: `${name} ${item} has more than one hyphen` };
  const start = readValue(low, name);
  if (typeof start !== 'number') return start;
  // `5/15` runs from 5 to the end.
  const end = high !== undefined ? readValue(high, name) : stepText !== undefined ? max : start;
  return typeof end === 'number' ? { start, end, step, star: false } : end;
}

/** Past its end a field begins again: 22-6 are the hours 22, 23, 0 … 6, and weekday 7 is weekday 0. */
function valuesOf({ start, end, step }: Range, name: FieldName): number[] {
  const { min, max } = bounds[name];
  const size = max - min + 1;
  const last = start > end ? end + size : end;
  const values: number[] = [];
  for (let value = start; value <= last; value += step) values.push(((value - min) % size) + min);
  return values;
}

function beyondUpstreamIn({ start, end }: Range, name: FieldName): string | undefined {
  if (Math.max(start, end) > bounds[name].max) return 'counts Sunday as 7';
  return start > end ? 'wraps around' : undefined;
}

function readValue(text: string, name: FieldName): number | Fault {
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

function unknownValue(text: string, name: FieldName, most: number): Fault {
  const { min, names } = bounds[name];
  const right = `a number from ${min} to ${most}${names.length > 0 ? ` or one of ${names.join(' ')}` : ''}`;
  if (text === '') return { fault: `${name} has a range with an end missing: each end is ${right}` };
  const unsupported = /^\d*[lw]+$|#/i.test(text) ? ' (L, W and # are not supported)' : '';
  return { fault: `${name} ${text} is not ${right}${unsupported}` };
}

function unknownShorthand(text: string): Fault {
  const known = [...shorthands.keys()].join(' ');
  if (text.startsWith('@every')) return { fault: `${text} is not supported: write */15 * * * *, or one of ${known}` };
  return { fault: `${text} is not one of ${known}` };
}

function wrongCount(count: number): Fault {
  const hint = count > fieldNames.length ? '; there are none for seconds or years' : '';
  return { fault: `five fields are needed (${fieldNames.join(' ')}), not ${count}${hint}` };
}
