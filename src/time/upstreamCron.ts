// The same cron in the form that Karpenter reads, where there is one (B2, R1).
import { type CronFields, readFields } from './cronFields.ts';
import { withoutZone } from './describeCron.ts';

const fieldNames = ['minute', 'hour', 'day-of-month', 'month', 'day-of-week'] as const;

/**
 * Weekday 7 and ranges that wrap are written out, `L` becomes the date where all months of the schedule have the same length.
 * Undefined where Karpenter cannot express it. The time zone is left out: Karpenter has none.
 */
export function asUpstream(text: string): string | undefined {
  const plain = withoutZone(text);
  const fields = readFields(plain);
  if ('fault' in fields) return undefined;
  const parts = plain.split(/\s+/);
  if (parts.length < fieldNames.length) return plain;
  const written = parts.map((part, place) => fieldAsUpstream(part, place, fields));
  return written.every((part) => part !== undefined) ? written.join(' ') : undefined;
}

function fieldAsUpstream(part: string, place: number, fields: CronFields): string | undefined {
  const items = part.split(',').map((item) => itemAsUpstream(item, place, fields));
  return items.every((item) => item !== undefined) ? [...new Set(items)].join() : undefined;
}

function itemAsUpstream(item: string, place: number, fields: CronFields): string | undefined {
  const alone = fieldAlone(place, item);
  const name = fieldNames[place];
  if (!alone || name === undefined || alone.beyondUpstream.length === 0) return item;
  const [nth] = alone.nthWeekdays;
  if (nth) return hasAllOf(nth.weekday, fields) ? String(nth.weekday) : undefined;
  if (alone.lastDay) return lastDate(fields);
  return [...alone[name].values].toSorted((a, b) => a - b).join();
}

/** The fields of a cron with this item in one field and a star in the others; undefined if it is not valid. */
export function fieldAlone(place: number, item: string): CronFields | undefined {
  const alone = readFields(fieldNames.map((_, other) => (other === place ? item : '*')).join(' '));
  return 'fault' in alone ? undefined : alone;
}

/** The first to the fifth of a weekday are all of them. */
const hasAllOf = (weekday: number, { nthWeekdays }: CronFields): boolean =>
  [1, 2, 3, 4, 5].every((nth) => nthWeekdays.some((it) => it.weekday === weekday && it.nth === nth));

const longMonths = [1, 3, 5, 7, 8, 10, 12];
const february = 2;

function lastDate({ month: { values } }: CronFields): string | undefined {
  const months = [...values];
  if (months.includes(february)) return undefined;
  if (months.every((month) => longMonths.includes(month))) return '31';
  return months.some((month) => longMonths.includes(month)) ? undefined : '30';
}
