// Days, times, durations and hours of the week as text. Days are counted from Monday, times in minutes from midnight.
import { civilFromDays, type Duration, day, hour, type Instant, minute, pad, second } from './instant.ts';
import { andList, groupsOf } from './lists.ts';
import { type WallTime, wallTime, type Zone } from './zone.ts';

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
export function formatDays(days: ReadonlySet<number>): string {
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
export function formatTimeOfDay(minutes: number): string {
  const seconds = Math.round((minutes % 1) * 60);
  const clock = `${pad(Math.floor(minutes / 60))}:${pad(Math.floor(minutes % 60))}`;
  return seconds > 0 ? `${clock}:${pad(seconds)}` : clock;
}

/** Durations of at least this many days, if whole, are given in days. */
const leastDays = 2;

/** `15 s`, `10 min`, `1 h 30 min`, `30 days` */
export function describeDuration(length: Duration): string {
  if (length % day === 0 && length >= leastDays * day) return `${length / day} days`;
  const [hours, minutes] = [Math.floor(length / hour), Math.floor((length % hour) / minute)];
  const seconds = Math.floor((length % minute) / second);
  const parts = [hours && `${hours} h`, minutes && `${minutes} min`, seconds && `${seconds} s`];
  return parts.filter(Boolean).join(' ') || '0 s';
}

/** Regions of the zone database whose zones are named after places; `Etc/GMT+5` and `US/Eastern` are not. */
const places = /^(Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)\//;

/** `Berlin`, `Buenos Aires`, `UTC` */
export const zoneLabel = ({ name }: Zone): string =>
  places.test(name) ? name.slice(name.lastIndexOf('/') + 1).replaceAll('_', ' ') : name;

/** `Sunday 25 October 2026` */
export const formatDate = (wall: WallTime): string => `${weekdayOf(wall)} ${formatPlainDate(wall)}`;

/** `25 October 2026` */
export function formatPlainDate(wall: WallTime): string {
  const { year, month, day: dayOfMonth } = civilFromDays(Math.floor(wall / day));
  return `${dayOfMonth} ${months[month - 1]} ${year}`;
}

/** `4 January 2027 06:00 Berlin` */
export function describeInstant(at: Instant, zone: Zone): string {
  const wall = wallTime(zone, at);
  return `${formatPlainDate(wall)} ${formatTimeOfDay(minuteOfDay(wall))} ${zoneLabel(zone)}`;
}

export const minuteOfDay = (wall: WallTime): number => (((wall % day) + day) % day) / minute;

/** 5 January 1970 was a Monday. */
const weekdayOf = (wall: WallTime): string =>
  weekdays[(((Math.floor(wall / day) - 4) % daysAWeek) + daysAWeek) % daysAWeek] ?? '';

/** In minutes since Monday 00:00; hours that continue past Sunday 24:00 end beyond the week. */
export interface WeekHours {
  readonly from: number;
  readonly to: number;
}

export interface HoursText {
  readonly text: string;
  /** The number of pieces in the text; fewer are easier to read. */
  readonly pieces: number;
  /** The hours cover more than six days without a break, so that the text names the hours left out. */
  readonly most?: true;
}

export const atAllTimes = 'at all times';
/** The prefix of a text that names the hours left out. */
export const allWeekBut = 'all week except ';

const minutesADay = 1440;
const minutesAWeek = 7 * minutesADay;

/** Times that can be given once for several days: `09:00–17:00`. */
interface Daily {
  readonly times: string;
  readonly from: number;
  readonly days: readonly number[];
}

export function describeHours(hours: readonly WeekHours[]): HoursText {
  if (hours.some(({ from, to }) => to - from >= minutesAWeek)) return { text: atAllTimes, pieces: 0 };
  if (hours.some(({ from, to }) => to - from > minutesAWeek - minutesADay)) {
    const { text, pieces } = describeHours(othersThan(hours));
    return { text: `${allWeekBut}${text}`, pieces, most: true };
  }
  const lone = hours.filter((it) => isLone(it, hours));
  const daily = hours.filter((it) => !lone.includes(it)).map(dailyOf);
  const byTimes = groupsOf(daily, ({ times }) => times).map((its) => ({
    ...its[0],
    days: its.flatMap(({ days }) => days),
  }));
  const byDays = groupsOf(byTimes, ({ days }) => days.toSorted().join());
  const pieces = [
    ...byDays.map((its) => ({ from: firstOf(its), text: sayDaily(its) })),
    ...lone.map((it) => ({ from: it.from, text: sayStretch(it) })),
  ];
  pieces.sort((a, b) => a.from - b.from);
  return { text: joinPieces(pieces.map(({ text }) => text)), pieces: pieces.length };
}

/** The rest of the week. */
function othersThan(hours: readonly WeekHours[]): WeekHours[] {
  const sorted = hours.toSorted((a, b) => a.from - b.from);
  const gaps = sorted.map(({ to }, index) => {
    const next = sorted[index + 1]?.from ?? (sorted[0]?.from ?? 0) + minutesAWeek;
    return to < minutesAWeek ? { from: to, to: next } : { from: to - minutesAWeek, to: next - minutesAWeek };
  });
  return gaps.filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from);
}

/** Whether hours are given with the names of both days: they last a day or more, or are the only such ones past midnight. */
function isLone(it: WeekHours, hours: readonly WeekHours[]): boolean {
  const start = it.from % minutesADay;
  const end = start + it.to - it.from;
  if (end <= minutesADay || (start === 0 && end % minutesADay === 0)) return false;
  const isAlike = ({ from, to }: WeekHours): boolean => from % minutesADay === start && to - from === it.to - it.from;
  return it.to - it.from >= minutesADay || hours.filter(isAlike).length === 1;
}

function dailyOf({ from, to }: WeekHours): Daily {
  const first = Math.floor(from / minutesADay);
  const [start, end] = [from - first * minutesADay, to - first * minutesADay];
  if (start === 0 && end % minutesADay === 0) {
    const days = Array.from({ length: end / minutesADay }, (_, index) => (first + index) % 7);
    return { times: 'all day', from, days };
  }
  if (end <= minutesADay) return { times: `${formatTimeOfDay(start)}–${formatTimeOfDay(end)}`, from, days: [first] };
  return {
    times: `from ${formatTimeOfDay(start)} until ${formatTimeOfDay(end - minutesADay)} the next day`,
    from,
    days: [first],
  };
}

const firstOf = (its: readonly Daily[]): number => Math.min(...its.map(({ from }) => from));

function sayDaily(its: readonly Daily[]): string {
  const days = formatDays(new Set(its[0]?.days ?? []));
  return `${days} ${andList(its.map(({ times }) => times))}`;
}

/** `Saturday 09:00 until Monday 17:00` */
function sayStretch({ from, to }: WeekHours): string {
  const [first, last] = [Math.floor(from / minutesADay), Math.ceil(to / minutesADay) - 1];
  const start = `${weekdays[first]} ${formatTimeOfDay(from - first * minutesADay)}`;
  return `${start} until ${weekdays[last % 7]} ${formatTimeOfDay(to - last * minutesADay)}`;
}

/** With a comma before the last `and` where it would be ambiguous without. */
function joinPieces(pieces: readonly string[]): string {
  if (pieces.length < 2) return pieces.join();
  const clear = pieces.length === 2 && !pieces.some((piece) => piece.includes(' and '));
  return `${pieces.slice(0, -1).join(', ')}${clear ? '' : ','} and ${pieces.at(-1)}`;
}

/** Adds the zone: `09:00–17:00 Berlin`, or in brackets after a word: `Sunday all day (UTC)`. */
export function inZone(hours: string, zone: Zone): string {
  if (hours === atAllTimes) return hours;
  return /\d$/.test(hours) ? `${hours} ${zoneLabel(zone)}` : `${hours} (${zoneLabel(zone)})`;
}
