// Instants and durations in whole milliseconds, as distinct types, and their text forms.

declare const instant: unique symbol;
declare const duration: unique symbol;

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number & { readonly [instant]: true };
/** Elapsed milliseconds. */
export type Duration = number & { readonly [duration]: true };

export const asInstant = (milliseconds: number): Instant => milliseconds as Instant;
export const asDuration = (milliseconds: number): Duration => milliseconds as Duration;

export const second = asDuration(1000);
export const minute = asDuration(60_000);
export const hour = asDuration(3_600_000);
export const day = asDuration(86_400_000);

export const after = (start: Instant, elapsed: Duration): Instant => asInstant(start + elapsed);
export const before = (end: Instant, elapsed: Duration): Instant => asInstant(end - elapsed);
export const between = (start: Instant, end: Instant): Duration => asDuration(end - start);

/** The later of two instants; undefined = unknown. */
export function latest(a: Instant, b: Instant | undefined): Instant;
export function latest(a: Instant | undefined, b: Instant | undefined): Instant | undefined;
export function latest(a: Instant | undefined, b: Instant | undefined): Instant | undefined {
  if (a === undefined) return b;
  return b === undefined || a >= b ? a : b;
}

/** The earlier of two instants; undefined = never. */
export function earliest(a: Instant | undefined, b: Instant | undefined): Instant | undefined {
  if (a === undefined) return b;
  return b === undefined || a <= b ? a : b;
}

/** Rounded up to a whole second, so that a caller that waits for it does not wake too early. */
export const ceilToSecond = (at: Instant): Instant => asInstant(Math.ceil(at / second) * second);

/** Days since 1970-01-01 of a date of the proleptic Gregorian calendar. */
export function daysFromCivil(year: number, month: number, dayOfMonth: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + dayOfMonth - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** The date of a day counted from 1970-01-01. */
export function civilFromDays(days: number): { year: number; month: number; day: number } {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1,
  };
}

/** RFC 3339 has only four-digit years. */
const firstWritten = asInstant(daysFromCivil(0, 1, 1) * day);
const lastWritten = asInstant(daysFromCivil(10_000, 1, 1) * day - 1);
const written = (at: number): Instant => asInstant(Math.min(Math.max(at, firstWritten), lastWritten));

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** Reads RFC 3339 with any offset; undefined if the text is not an instant. */
export function parseInstant(text: string): Instant | undefined {
  const match = rfc3339.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, dayOfMonth = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1, 7).map(Number);
  const days = daysFromCivil(year, month, dayOfMonth);
  const date = civilFromDays(days);
  if (date.month !== month || date.day !== dayOfMonth || hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const fraction = match[7] ? Math.floor(Number(match[7]) * 1000) : 0;
  const offset = parseOffset(match[8] ?? '');
  if (offset === undefined) return undefined;
  // An offset may lead out of the years that RFC 3339 can express.
  return written(days * day + hours * hour + minutes * minute + seconds * second + fraction - offset);
}

function parseOffset(text: string): Duration | undefined {
  if (text === 'Z' || text === 'z') return asDuration(0);
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return asDuration((text[0] === '-' ? -1 : 1) * (hours * hour + minutes * minute));
}

/** RFC 3339 in UTC with whole seconds (L). Instants beyond its years are clamped. */
export function formatInstant(at: Instant): string {
  const near = written(at);
  const days = Math.floor(near / day);
  const { year, month, day: dayOfMonth } = civilFromDays(days);
  const rest = Math.floor((near - days * day) / second);
  const date = [pad(year, 4), pad(month), pad(dayOfMonth)].join('-');
  const time = [pad(Math.floor(rest / 3600)), pad(Math.floor(rest / 60) % 60), pad(rest % 60)].join(':');
  // Joined instead of concatenated: engines keep a concatenated string as a tree of its pieces, at many times the memory.
  return [date, 'T', time, 'Z'].join('');
}

/** The same with milliseconds where there are any, so that parsing returns the same instant. */
export function formatExactly(at: Instant): string {
  const rest = at - Math.floor(at / second) * second;
  return rest === 0 ? formatInstant(at) : formatInstant(at).replace('Z', `.${pad(rest, 3)}Z`);
}

export const pad = (value: number, width = 2): string => String(value).padStart(width, '0');

/** 1 January 1970 was a Thursday. */
const weekdays = ['Thu', 'Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed'] as const;

/** `22:00 UTC` today, `Sat 22:00 UTC` within a week, `2026-12-24 22:00 UTC` beyond it or long ago. */
export function formatClock(at: Instant, now: Instant): string {
  const days = Math.floor(at / day) - Math.floor(now / day);
  const time = formatInstant(at).slice('2026-11-17T'.length, at % (60 * second) < second ? -4 : -1);
  if (days === 0) return `${time} UTC`;
  if (Math.abs(days) < 7) return `${weekdayOf(at)} ${time} UTC`;
  const { year, month, day: dayOfMonth } = civilFromDays(Math.floor(at / day));
  return `${pad(year, 4)}-${pad(month)}-${pad(dayOfMonth)} ${time} UTC`;
}

const weekdayOf = (at: Instant): string => weekdays[((Math.floor(at / day) % 7) + 7) % 7] ?? '';
