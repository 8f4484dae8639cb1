// The weekly pattern of a window: its open spans over a year, which of them recur every week, and both as text.

import { joined } from '../../explain/week.ts';
import { formatDate, formatDays, formatTimeOfDay, weekdays } from '../../time/describeClock.ts';
import {
  asInstant,
  civilFromDays,
  day,
  daysFromCivil,
  earliest,
  hour,
  type Instant,
  minute,
} from '../../time/instant.ts';
import { andList, groupsOf } from '../../time/lists.ts';
import type { Window } from '../../time/window.ts';
import { wallTime, type Zone } from '../../time/zone.ts';

/** From inclusive, to exclusive. */
export interface TimeSpan {
  readonly from: Instant;
  readonly to: Instant;
}

const daysAside = 7;

/** The calendar year, with both clock changes, and a week on either side so that spans at its borders are whole. */
export function yearAround(now: Instant): TimeSpan {
  const { year } = civilFromDays(Math.floor(now / day));
  return {
    from: asInstant((daysFromCivil(year, 1, 1) - daysAside) * day),
    to: asInstant((daysFromCivil(year + 1, 1, 1) + daysAside) * day),
  };
}

/** Bounds the walk: a window that opens every few minutes is not followed for the whole year. */
const mostCuts = 6000;

/** Spans within which none of the windows opens or closes. */
export function* cutAtChanges(windows: readonly Window[], { from, to }: TimeSpan): Generator<TimeSpan> {
  let at = from;
  for (let cut = 0; at < to && cut < mostCuts; cut++) {
    let next: Instant | undefined;
    for (const window of windows) next = earliest(next, window.nextChange(at));
    const end = next === undefined || next > to ? to : next;
    yield { from: at, to: end };
    at = end;
  }
}

/** The spans of a year in which a window is open. */
const openSpans = (window: Window, year: TimeSpan): TimeSpan[] =>
  joinTouching([...cutAtChanges([window], year)].filter(({ from }) => window.isOpen(from)));

/** Spans in order, touching ones joined. */
export const joinTouching = (spans: readonly TimeSpan[]): TimeSpan[] =>
  joined(
    spans.toSorted((a, b) => a.from - b.from),
    () => true,
  );

/** The rest of the year outside these spans. */
export function otherHours(spans: readonly TimeSpan[], { from, to }: TimeSpan): TimeSpan[] {
  const others: TimeSpan[] = [];
  let at = from;
  for (const span of spans) {
    if (span.from > at) others.push({ from: at, to: span.from });
    at = span.to;
  }
  return at < to ? [...others, { from: at, to }] : others;
}

/** Hours that start at the same time on some days of every week. */
export interface WeeklyHours {
  /** 0 is Monday; in order. */
  readonly days: readonly number[];
  /** In minutes since midnight. */
  readonly start: number;
  /** In minutes of wall-clock time. */
  readonly length: number;
  /** One such span of this year. */
  readonly sample: TimeSpan;
}

export interface WeeklyPattern {
  /** Sorted by first day, then by time. */
  readonly weekly: readonly WeeklyHours[];
  /** Spans outside the pattern, such as the first of a month or a clock change. */
  readonly odd: readonly TimeSpan[];
}

export const minutesADay = 1440;
const daysAWeek = 7;
/** A span that recurs in most weeks counts as weekly: holidays, first days of months and clock changes may interrupt it. */
const mostOf = 0.6;
/** Fewer occurrences are not a pattern, however short the observed time is. */
const fewest = 3;

/** The pattern of ordered, disjoint spans. Spans that the borders of the year cut off are ignored. */
export function weeklyPattern(spans: readonly TimeSpan[], zone: Zone, year: TimeSpan): WeeklyPattern {
  const whole = spans.filter(({ from, to }) => from > year.from && to < year.to);
  const weeks = Math.ceil(((whole.at(-1)?.to ?? 0) - (whole[0]?.from ?? 0)) / day / daysAWeek);
  const [weekly, odd]: [TimeSpan[], TimeSpan[]] = [[], []];
  for (const its of groupsOf(whole, (span) => positionOf(span, zone).join())) {
    if (its.length >= fewest && its.length >= weeks * mostOf) weekly.push(its[0]);
    else odd.push(...its);
  }
  return { weekly: gather(weekly, zone), odd: odd.sort((a, b) => a.from - b.from) };
}

/** The weekly pattern of a window in the year around now. */
export function openPattern(window: Window, zone: Zone, now: Instant): WeeklyPattern {
  const year = yearAround(now);
  return weeklyPattern(openSpans(window, year), zone, year);
}

/** The weekly pattern of the hours at which a window is closed. */
export function closedPattern(window: Window, zone: Zone, now: Instant): WeeklyPattern {
  const year = yearAround(now);
  return weeklyPattern(otherHours(openSpans(window, year), year), zone, year);
}

/** Bounds the check: about a year of nights. */
const mostSpans = 400;
const [workBegins, workEnds] = [8 * hour, 18 * hour];
const saturday = 5;

/** Whether a window never opens within working hours, Monday to Friday 08:00 to 18:00. */
export function isOffHours(window: Window, zone: Zone, now: Instant): boolean {
  const spans = openSpans(window, yearAround(now));
  return spans.length > 0 && spans.slice(0, mostSpans).every((span) => isAtRest(span, zone));
}

function isAtRest({ from, to }: TimeSpan, zone: Zone): boolean {
  const [start, end] = [wallTime(zone, from), wallTime(zone, to)];
  for (let midnight = Math.floor(start / day) * day; midnight < end; midnight += day) {
    const works = weekdayOf(midnight) < saturday;
    if (works && start < midnight + workEnds && midnight + workBegins < end) return false;
  }
  return true;
}

/** Weekday, minutes since midnight, length in minutes. */
type WeekPosition = readonly [weekday: number, start: number, length: number];

function positionOf({ from, to }: TimeSpan, zone: Zone): WeekPosition {
  const [start, end] = [wallTime(zone, from), wallTime(zone, to)];
  return [weekdayOf(start), Math.floor((start % day) / minute), Math.round((end - start) / minute)];
}

/** 1 January 1970 was a Thursday. */
const weekdayOf = (wall: number): number => (((Math.floor(wall / day) + 3) % 7) + 7) % 7;

/** Joins hours that differ only in the day. */
function gather(samples: readonly TimeSpan[], zone: Zone): WeeklyHours[] {
  const positions = samples.map((sample) => ({ sample, position: positionOf(sample, zone) }));
  return groupsOf(positions, ({ position: [, start, length] }) => `${start} ${length}`)
    .map((its) => {
      const [{ sample, position }] = its;
      const days = its.map(({ position: [weekday] }) => weekday).sort((a, b) => a - b);
      return { days, start: position[1], length: position[2], sample };
    })
    .sort((a, b) => (a.days[0] ?? 0) - (b.days[0] ?? 0) || a.start - b.start);
}

/** `Monday to Friday 09:00 to 17:00`, `Saturday 09:00 to Monday 17:00`, `every day 22:00 to 06:00 the next day` */
export function formatWeeklyHours({ days, start, length }: Omit<WeeklyHours, 'sample'>): string {
  const end = start + length;
  const begins = `${formatDays(new Set(days))} ${formatTimeOfDay(start)}`;
  if (end <= minutesADay) return `${begins} to ${formatTimeOfDay(end)}`;
  const [later, time] = [Math.floor(end / minutesADay), formatTimeOfDay(end % minutesADay)];
  const [only] = days;
  if (days.length === 1 && only !== undefined && length > minutesAWeek - minutesADay) {
    // It returns to its own weekday, so describe the gap instead.
    const gap = { days: [(only + later) % 7], start: end % minutesADay, length: minutesAWeek - length };
    return `all week except ${formatWeeklyHours(gap)}`;
  }
  if (days.length === 1 && only !== undefined) return `${begins} to ${weekdays[(only + later) % 7]} ${time}`;
  return `${begins} to ${time} ${later === 1 ? 'the next day' : `${later} days later`}`;
}

const minutesAWeek = 7 * minutesADay;

/** How many hours are listed; `lull when` lists all. */
const named = 3;

/** The weekly hours if there are any; if not, the other spans by date. */
export function formatPattern({ weekly, odd }: WeeklyPattern, zone: Zone): string {
  const texts = weekly.length > 0 ? weekly.map(formatWeeklyHours) : odd.map((span) => formatDatedSpan(span, zone));
  const rest = texts.length - named;
  const shown = rest > 0 ? `${texts.slice(0, named).join(', ')} and ${rest} more times` : andList(texts);
  return `${shown} ${zone.name}`;
}

/** `Sunday 25 October 2026 08:00 to 09:00`; with the end date if that differs. */
function formatDatedSpan({ from, to }: TimeSpan, zone: Zone): string {
  const [start, end] = [wallTime(zone, from), wallTime(zone, to)];
  const sameDay = Math.floor(start / day) === Math.floor(end / day);
  return `${formatDate(start)} ${clockAt(start)} to ${sameDay ? '' : `${formatDate(end)} `}${clockAt(end)}`;
}

/** `Saturday 09:00 to Monday 17:00 UTC` */
export function formatSpan({ from, to }: TimeSpan, zone: Zone): string {
  const [start, end] = [wallTime(zone, from), wallTime(zone, to)];
  const sameDay = Math.floor(start / day) === Math.floor(end / day);
  const until = `${sameDay ? '' : `${weekdays[weekdayOf(end)]} `}${clockAt(end)}`;
  return `${weekdays[weekdayOf(start)]} ${clockAt(start)} to ${until} ${zone.name}`;
}

const clockAt = (wall: number): string => formatTimeOfDay(Math.floor((((wall % day) + day) % day) / minute));
