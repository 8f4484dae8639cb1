// How is a moment said to a person? In UTC or on the clock of a zone, and how far away it is.
import {
  between,
  civilFromDays,
  type Duration,
  day,
  hour,
  type Instant,
  minute,
  pad,
  second,
} from '../time/instant.ts';
import { offsetAt, type WallTime, wallTime, type Zone } from '../time/zone.ts';

const weekdays = ['Thu', 'Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed'] as const;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** 1 January 1970 was a Thursday. */
export const weekdayOf = (wall: WallTime): string => weekdays[mod(Math.floor(wall / day), 7)] ?? '';
export const monthOf = (wall: WallTime): string => months[civilFromDays(Math.floor(wall / day)).month - 1] ?? '';
export const yearOf = (wall: WallTime): number => civilFromDays(Math.floor(wall / day)).year;
export const dayOfMonth = (wall: WallTime): number => civilFromDays(Math.floor(wall / day)).day;

const mod = (value: number, by: number): number => ((value % by) + by) % by;

/** The end of a stretch, as short as it is clear: the time alone on the day it began, with the weekday within a week. */
export function sayEndInZone(end: Instant, start: Instant, zone: Zone): string {
  const [from, to] = [wallTime(zone, start), wallTime(zone, end)];
  const days = Math.floor(to / day) - Math.floor(from / day);
  if (offsetAt(zone, start) !== offsetAt(zone, end) || days >= 7) return sayInZone(end, zone);
  return `${days === 0 ? '' : `${weekdayOf(to)} `}${sayWall(to).slice('2026-11-17 '.length)}`;
}

/** `2026-11-15 17:00Z`; seconds only where there are any. */
export const sayUtc = (at: Instant): string => `${sayWall(at)}Z`;

/** `2026-11-15 17:00Z (in 3h20m)` */
export const sayMoment = (at: Instant, now: Instant): string => `${sayUtc(at)} (${sayDistance(at, now)})`;

/** `Tue 2026-11-17 09:00 +01:00`: the offset tells the two 02:30s of an autumn night apart. */
export function sayInZone(at: Instant, zone: Zone): string {
  const wall = wallTime(zone, at);
  const offset = offsetAt(zone, at);
  return `${weekdayOf(wall)} ${sayWall(wall)}${zone.name === 'UTC' ? 'Z' : ` ${sayOffset(offset)}`}`;
}

function sayWall(wall: WallTime): string {
  const { year, month, day: dayOf } = civilFromDays(Math.floor(wall / day));
  const rest = mod(wall, day);
  const seconds = Math.floor((rest % minute) / second);
  const time = `${pad(Math.floor(rest / hour))}:${pad(Math.floor((rest % hour) / minute))}`;
  return `${pad(year, 4)}-${pad(month)}-${pad(dayOf)} ${time}${seconds > 0 ? `:${pad(seconds)}` : ''}`;
}

function sayOffset(offset: Duration): string {
  const size = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(size / hour))}:${pad(Math.floor((size % hour) / minute))}`;
}

/** `in 3h20m`, `12m ago`, `now` */
export function sayDistance(at: Instant, now: Instant): string {
  const distance = between(now, at);
  if (Math.abs(distance) < second) return 'now';
  return distance > 0 ? `in ${sayLength(distance)}` : `${sayLength(distance)} ago`;
}

/** From this many days on, hours no longer matter to anyone. */
const manyDays = 14;

/** The two largest units that say something: `15s`, `3h20m`, `2d4h`, `40d`. */
export function sayLength(length: Duration): string {
  const size = Math.abs(length);
  if (size < minute) return `${Math.floor(size / second)}s`;
  const [days, hours, minutes] = [
    Math.floor(size / day),
    Math.floor((size % day) / hour),
    Math.floor((size % hour) / minute),
  ];
  if (days >= manyDays) return `${days}d`;
  if (days > 0) return `${days}d${hours > 0 ? `${hours}h` : ''}`;
  return `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${minutes}m` : ''}`;
}
