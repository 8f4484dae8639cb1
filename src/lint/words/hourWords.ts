// Which hours of the week are these? `Monday to Friday 06:00–07:00 and 09:00–19:00, and Saturday 09:00 until Monday 17:00`.

import type { Zone } from '../../time/zone.ts';
import { sayClock, sayDays, sayZone, weekdays } from './clockWords.ts';
import { andList } from './lists.ts';

/** In minutes since Monday 00:00; what runs over the end of Sunday ends beyond the week. */
export interface WeekHours {
  readonly from: number;
  readonly to: number;
}

export interface HourWords {
  readonly text: string;
  /** Of how many pieces it is made: what is made of fewer is easier to read. */
  readonly pieces: number;
  /** A stretch of it comes back to the weekday it began on: it is better told by what it leaves out. */
  readonly most?: true;
}

export const atAllTimes = 'at all times';
/** Before the hours that are left out. */
export const allWeekBut = 'all week except ';

const minutesADay = 1440;
const minutesAWeek = 7 * minutesADay;

/** Times that may be said once for several days: `09:00–17:00`. */
interface Daily {
  readonly times: string;
  readonly from: number;
  readonly days: readonly number[];
}

export function sayHours(hours: readonly WeekHours[]): HourWords {
  if (hours.some(({ from, to }) => to - from >= minutesAWeek)) return { text: atAllTimes, pieces: 0 };
  if (hours.some(({ from, to }) => to - from > minutesAWeek - minutesADay)) {
    const { text, pieces } = sayHours(othersThan(hours));
    return { text: `${allWeekBut}${text}`, pieces, most: true };
  }
  const lone = hours.filter((it) => isLone(it, hours));
  const daily = hours.filter((it) => !lone.includes(it)).map(dailyOf);
  const byTimes = [...Map.groupBy(daily, ({ times }) => times).values()].map(joinDays);
  const byDays = [...Map.groupBy(byTimes, ({ days }) => days.toSorted().join()).values()];
  const pieces = [
    ...byDays.map((its) => ({ from: firstOf(its), text: sayDaily(its) })),
    ...lone.map((it) => ({ from: it.from, text: sayStretch(it) })),
  ];
  pieces.sort((a, b) => a.from - b.from);
  return { text: joinPieces(pieces.map(({ text }) => text)), pieces: pieces.length };
}

/** The hours of the week between these. */
function othersThan(hours: readonly WeekHours[]): WeekHours[] {
  const sorted = hours.toSorted((a, b) => a.from - b.from);
  const gaps = sorted.map(({ to }, index) => {
    const next = sorted[index + 1]?.from ?? (sorted[0]?.from ?? 0) + minutesAWeek;
    return to < minutesAWeek ? { from: to, to: next } : { from: to - minutesAWeek, to: next - minutesAWeek };
  });
  return gaps.filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from);
}

/** What lasts longer than to the next day, or is the only one that ends there, is said with the names of both days. */
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
  if (end <= minutesADay) return { times: `${sayClock(start)}–${sayClock(end)}`, from, days: [first] };
  return { times: `from ${sayClock(start)} until ${sayClock(end - minutesADay)} the next day`, from, days: [first] };
}

function joinDays(its: readonly Daily[]): Daily {
  const [{ times, from }] = its as [Daily, ...Daily[]];
  return { times, from, days: its.flatMap(({ days }) => days) };
}

const firstOf = (its: readonly Daily[]): number => Math.min(...its.map(({ from }) => from));

function sayDaily(its: readonly Daily[]): string {
  const days = sayDays(new Set(its[0]?.days ?? []));
  return `${days} ${andList(its.map(({ times }) => times))}`;
}

/** `Saturday 09:00 until Monday 17:00` */
function sayStretch({ from, to }: WeekHours): string {
  const [first, last] = [Math.floor(from / minutesADay), Math.ceil(to / minutesADay) - 1];
  const start = `${weekdays[first]} ${sayClock(from - first * minutesADay)}`;
  return `${start} until ${weekdays[last % 7]} ${sayClock(to - last * minutesADay)}`;
}

/** A comma where `and` alone would be misheard. */
function joinPieces(pieces: readonly string[]): string {
  if (pieces.length < 2) return pieces.join();
  const clear = pieces.length === 2 && !pieces.some((piece) => piece.includes(' and '));
  return `${pieces.slice(0, -1).join(', ')}${clear ? '' : ','} and ${pieces.at(-1)}`;
}

/** On whose clock: `09:00–17:00 Berlin`, and in brackets where a name would run into the words. */
export function inZone(hours: string, zone: Zone): string {
  if (hours === atAllTimes) return hours;
  return /\d$/.test(hours) ? `${hours} ${sayZone(zone)}` : `${hours} (${sayZone(zone)})`;
}
