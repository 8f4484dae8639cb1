// Instants and durations as text: in UTC or in another zone, with the distance from now.
import type { Until } from '../engine/why/wishWhy.ts';
import {
  asInstant,
  between,
  civilFromDays,
  type Duration,
  day,
  formatClock,
  formatInstant,
  hour,
  type Instant,
  minute,
  pad,
  parseInstant,
  second,
} from '../time/instant.ts';
import { findZone, instantsOf, offsetAt, type WallTime, wallTime, type Zone } from '../time/zone.ts';

/** What distances are measured from, and the zone that times are printed in. */
export interface TimeView {
  readonly now: Instant;
  readonly zone: Zone;
}

export const utc: Zone = findZone('UTC') as Zone;

const weekdays = ['Thu', 'Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed'] as const;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** 1 January 1970 was a Thursday. */
export const weekdayOf = (wall: WallTime): string => weekdays[mod(Math.floor(wall / day), 7)] ?? '';
export const monthOf = (wall: WallTime): string => months[civilFromDays(Math.floor(wall / day)).month - 1] ?? '';
export const yearOf = (wall: WallTime): number => civilFromDays(Math.floor(wall / day)).year;
export const dayOfMonth = (wall: WallTime): number => civilFromDays(Math.floor(wall / day)).day;

const mod = (value: number, by: number): number => ((value % by) + by) % by;

/** `2026-11-15 17:00Z`, in other zones `2026-11-15 18:00`. Seconds and offsets only where they matter. */
export const formatTime = (at: Instant, zone: Zone): string =>
  zone.name === 'UTC' ? `${formatWallTime(at)}Z` : `${formatWallTime(wallTime(zone, at))}${offsetIfRepeated(at, zone)}`;

/** The offset tells the two 02:30s of an autumn night apart. */
const offsetIfRepeated = (at: Instant, zone: Zone): string =>
  instantsOf(zone, wallTime(zone, at)).length > 1 ? ` ${formatOffset(offsetAt(zone, at))}` : '';

/** `2026-11-15 17:00Z (in 3h20m)` */
export const formatMoment = (at: Instant, { now, zone }: TimeView): string =>
  `${formatTime(at, zone)} (${formatDistance(at, now)})`;

/** `Tue 2026-11-17 09:00 +01:00`, always with the offset. */
export const formatWithOffset = (at: Instant, zone: Zone): string => {
  const wall = wallTime(zone, at);
  const offset = zone.name === 'UTC' ? 'Z' : ` ${formatOffset(offsetAt(zone, at))}`;
  return `${weekdayOf(wall)} ${formatWallTime(wall)}${offset}`;
};

/** The end of a span of time: without the date on the day it began, with the weekday within a week. */
export function formatEnd(end: Instant, start: Instant, zone: Zone): string {
  const [from, to] = [wallTime(zone, start), wallTime(zone, end)];
  const days = Math.floor(to / day) - Math.floor(from / day);
  if (offsetAt(zone, start) !== offsetAt(zone, end) || days >= 7) return formatWithOffset(end, zone);
  return `${days === 0 ? '' : `${weekdayOf(to)} `}${formatWallTime(to).slice('2026-11-17 '.length)}`;
}

/** `2026-11-15 17:00`, with seconds where they are not 0. */
function formatWallTime(wall: WallTime): string {
  const { year, month, day: dayOf } = civilFromDays(Math.floor(wall / day));
  const rest = mod(wall, day);
  const seconds = Math.floor((rest % minute) / second);
  const time = `${pad(Math.floor(rest / hour))}:${pad(Math.floor((rest % hour) / minute))}`;
  return `${pad(year, 4)}-${pad(month)}-${pad(dayOf)} ${time}${seconds > 0 ? `:${pad(seconds)}` : ''}`;
}

function formatOffset(offset: Duration): string {
  const size = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(size / hour))}:${pad(Math.floor((size % hour) / minute))}`;
}

/** `in 3h20m`, `12m ago`, `now` */
export function formatDistance(at: Instant, now: Instant): string {
  const distance = between(now, at);
  if (Math.abs(distance) < second) return 'now';
  return distance > 0 ? `in ${formatLength(distance)}` : `${formatLength(distance)} ago`;
}

/** From this many days on, hours are left out. */
const manyDays = 14;

/** The two largest units that are not 0: `15s`, `3h20m`, `2d4h`, `40d`. */
export function formatLength(length: Duration): string {
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

/** `until 2026-11-21 21:00Z (in 4d10h)`, `at least until …`, `until the cluster changes`. */
export function describeUntil(until: Until, view: TimeView): string {
  if (typeof until === 'string') return conditions[until];
  if ('at' in until) return `until ${formatMoment(until.at, view)}`;
  if ('never' in until) return 'never possible under its current rules';
  return `at least until ${formatMoment(until.notBefore, view)}`;
}

const conditions: Readonly<Record<Extract<Until, string>, string>> = {
  'the cluster changes': 'until the cluster changes',
  'someone acts': 'until someone acts',
  'time passes': 'by its schedules',
};

const rfc3339 = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A message with its RFC 3339 instants in another zone. Messages of the engine and of servers are in UTC. */
export function messageInZone(text: string, zone: Zone): string {
  if (zone.name === 'UTC') return text;
  return text.replace(rfc3339, (written) => {
    const at = parseInstant(written);
    return at === undefined ? written : formatTime(at, zone);
  });
}

/** Values below are counts, not instants. */
const year2000 = 946_684_800_000;

/**
 * An answer of the engine with the times in its sentences in another zone. The engine writes `Sat 22:00 UTC`, which alone
 * does not name an instant: the instants come from the answer's fields and from `more`.
 */
export function answerInZone<Answer>(answer: Answer, { now, zone }: TimeView, more: readonly Instant[] = []): Answer {
  if (zone.name === 'UTC') return answer;
  const written = new Map<string, Instant>();
  collectInstants([answer, more], (at) => written.set(formatClock(at, now), at));
  const texts = [...written.keys()].sort((a, b) => b.length - a.length);
  // A time after a dash is the end of a schedule's hours.
  const known = texts.length > 0 ? new RegExp(`(?<![–\\d]|day )(?:${texts.join('|')})`, 'g') : undefined;
  return mapTexts(answer, (text) => {
    const sentence = messageInZone(text, zone);
    return known ? sentence.replace(known, (found) => clockInZone(written.get(found) ?? now, { now, zone })) : sentence;
  }) as Answer;
}

/** `22:00` on the same day, `Sat 22:00` within a week, else with the date. */
function clockInZone(at: Instant, { now, zone }: TimeView): string {
  const [wall, today] = [wallTime(zone, at), wallTime(zone, now)];
  const days = Math.abs(Math.floor(wall / day) - Math.floor(today / day));
  const text = formatTime(at, zone);
  if (days >= 7) return text;
  return `${days === 0 ? '' : `${weekdayOf(wall)} `}${text.slice('2026-11-17 '.length)}`;
}

function collectInstants(value: unknown, add: (at: Instant) => void): void {
  if (typeof value === 'number' && value >= year2000) add(asInstant(value));
  else if (typeof value === 'object' && value !== null)
    for (const inside of Object.values(value)) collectInstants(inside, add);
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, mapTexts(inside, change)]));
}

/** Undefined fields are left out of JSON and YAML. */
export const timeAsJson = (at: Instant | undefined): string | undefined =>
  at === undefined ? undefined : formatInstant(at);

/** An instant, or what has to happen first; `notBefore` where time alone is not enough. */
export function untilAsJson(until: Until): { readonly until: string; readonly notBefore?: string } {
  if (typeof until === 'string') return { until };
  if ('at' in until) return { until: formatInstant(until.at) };
  return 'never' in until ? { until: 'never' } : { until: until.besides, notBefore: formatInstant(until.notBefore) };
}
