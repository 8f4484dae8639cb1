// Which days, what o'clock, how long, and on whose clock? Days are counted from Monday, times in minutes from midnight.
import { civilFromDays, type Duration, day, hour, type Instant, minute, pad, second } from '../../time/instant.ts';
import { type WallTime, wallTime, type Zone } from '../../time/zone.ts';
import { andList } from './lists.ts';

export const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
export const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

const daysAWeek = 7;

/** `every day`, `Monday to Friday`, `Friday to Monday`, `Saturday and Sunday` */
export function sayDays(days: ReadonlySet<number>): string {
  if (days.size === daysAWeek) return 'every day';
  const firsts = [...days].filter((first) => !days.has((first + daysAWeek - 1) % daysAWeek)).sort((a, b) => a - b);
  return andList(firsts.flatMap((first) => sayRun(first, days)));
}

function sayRun(first: number, days: ReadonlySet<number>): string[] {
  const run = [first];
  while (days.has((first + run.length) % daysAWeek)) run.push((first + run.length) % daysAWeek);
  const names = run.map((weekday) => weekdays[weekday] ?? '');
  return run.length > 2 ? [`${names[0]} to ${names.at(-1)}`] : names;
}

/** `09:00`; `24:00` is the end of a day. Seconds only where there are any. */
export function sayClock(minutes: number): string {
  const seconds = Math.round((minutes % 1) * 60);
  const clock = `${pad(Math.floor(minutes / 60))}:${pad(Math.floor(minutes % 60))}`;
  return seconds > 0 ? `${clock}:${pad(seconds)}` : clock;
}

/** From so many days on, and only whole ones, a length is said in days. */
const leastDays = 2;

/** `15 s`, `10 min`, `1 h 30 min`, `30 days` */
export function sayDuration(length: Duration): string {
  if (length % day === 0 && length >= leastDays * day) return `${length / day} days`;
  const [hours, minutes] = [Math.floor(length / hour), Math.floor((length % hour) / minute)];
  const seconds = Math.floor((length % minute) / second);
  const parts = [hours && `${hours} h`, minutes && `${minutes} min`, seconds && `${seconds} s`];
  return parts.filter(Boolean).join(' ') || '0 s';
}

/** Regions of the zone database whose zones are named after places; `Etc/GMT+5` and `US/Eastern` are not. */
const places = /^(Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)\//;

/** `Berlin`, `Buenos Aires`, `UTC` */
export const sayZone = ({ name }: Zone): string =>
  places.test(name) ? name.slice(name.lastIndexOf('/') + 1).replaceAll('_', ' ') : name;

/** `Sunday 25 October 2026` */
export const sayDate = (wall: WallTime): string => `${weekdayOf(wall)} ${sayPlainDate(wall)}`;

/** `25 October 2026` */
export function sayPlainDate(wall: WallTime): string {
  const { year, month, day: dayOfMonth } = civilFromDays(Math.floor(wall / day));
  return `${dayOfMonth} ${months[month - 1]} ${year}`;
}

/** `4 January 2027 06:00 Berlin` */
export function sayInstant(at: Instant, zone: Zone): string {
  const wall = wallTime(zone, at);
  return `${sayPlainDate(wall)} ${sayClock(minuteOfDay(wall))} ${sayZone(zone)}`;
}

export const minuteOfDay = (wall: WallTime): number => (((wall % day) + day) % day) / minute;

/** 5 January 1970 was a Monday. */
const weekdayOf = (wall: WallTime): string =>
  weekdays[(((Math.floor(wall / day) - 4) % daysAWeek) + daysAWeek) % daysAWeek] ?? '';
