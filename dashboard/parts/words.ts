// Formats instants, durations and counts for every page, in the viewer's time zone and in UTC.
export { andList as list } from '../../src/time/lists.ts';

const two = (value: number): string => String(value).padStart(2, '0');
const dayOf = (at: number): string => new Date(at).toDateString();

/** `22:00:05` today, `Sat 22:00` within a week, `24 Dec 22:00` beyond. */
export function clock(at: number, near: number, { seconds = false } = {}): string {
  const date = new Date(at);
  const time = `${two(date.getHours())}:${two(date.getMinutes())}${seconds ? `:${two(date.getSeconds())}` : ''}`;
  return dated(time, at, near, {});
}

export function utcClock(at: number, near: number): string {
  const time = new Date(at).toISOString().slice(11, 16);
  return `${dated(time, at, near, { timeZone: 'UTC' })} UTC`;
}

const week = 6.5 * 86_400_000;

function dated(time: string, at: number, near: number, zone: Intl.DateTimeFormatOptions): string {
  if (dayOf(at) === dayOf(near)) return time;
  const form: Intl.DateTimeFormatOptions =
    Math.abs(at - near) < week ? { weekday: 'short' } : { day: 'numeric', month: 'short' };
  return `${new Intl.DateTimeFormat('en-GB', { ...form, ...zone }).format(at)} ${time}`;
}

/** `4 s`, `12 min`, `3 h 20 min`, `2 d 4 h`: the two largest parts. */
export function span(milliseconds: number): string {
  const total = Math.max(0, Math.round(milliseconds / 1000));
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(total / 86_400), 'd'],
    [Math.floor(total / 3600) % 24, 'h'],
    [Math.floor(total / 60) % 60, 'min'],
    [total % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return '0 s';
  // Hours and days need no seconds.
  const shown = parts.slice(first, first + 2).filter(([count, unit]) => count > 0 && !(unit === 's' && first < 2));
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}

export const count = (number: number, noun: string): string =>
  `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;

export const viewerZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
