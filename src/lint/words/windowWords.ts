// When is a window open, in words? By the hours of the week where it has such, else schedule by schedule.
import { readFields } from '../../time/cronFields.ts';
import { asInstant, day, type Instant } from '../../time/instant.ts';
import type { Schedule } from '../../time/schedule.ts';
import { always, never, type Window } from '../../time/window.ts';
import { findZone, type Zone } from '../../time/zone.ts';
import { sayInstant } from './clockWords.ts';
import { isWeekly } from './cronDays.ts';
import { cronWords, withoutZone } from './cronWords.ts';
import { allWeekBut, atAllTimes, inZone, sayHours } from './hourWords.ts';
import { schedulesOf } from './schedulesOf.ts';
import { hoursOf, isTellable } from './week.ts';
import { yearOf } from './year.ts';

export const utc: Zone = findZone('UTC') as Zone;

/** Whether its weeks are all alike, clocks apart, and short to tell. */
export function isUsual(window: Window, now: Instant): boolean {
  const known = usual.get(window);
  if (known?.now === now) return known.is;
  const is = schedulesOf(window)?.every(isOfWeeks) === true && isTellable(window.nextChange, now);
  usual.set(window, { now, is });
  return is;
}

/** A thousand pools may be under one window. */
const usual = new WeakMap<Window, { readonly now: Instant; readonly is: boolean }>();

function isOfWeeks({ cron }: Schedule): boolean {
  const fields = readFields(withoutZone(cron.text));
  return !('fault' in fields) && isWeekly(fields);
}

/** `Monday to Friday 09:00–17:00 Berlin`, `at all times`, `on the 1st of the month all day (UTC)` */
export function sayWindow(window: Window, now: Instant): string {
  const known = said.get(window);
  if (known?.now === now) return known.text;
  const text = workOut(window, now);
  said.set(window, { now, text });
  return text;
}

/** Ten thousand pods may share one window. */
const said = new WeakMap<Window, { readonly now: Instant; readonly text: string }>();

function workOut(window: Window, now: Instant): string {
  if (window === always) return atAllTimes;
  if (window === never) return 'never';
  const schedules = schedulesOf(window);
  if (!schedules) return `while “${window.text}”`;
  const zones = zonesOf(window);
  const [zone = utc] = zones;
  if (zones.length > 1 || !isUsual(window, now)) return schedules.map(saySchedule).join(', and ');
  const changing = { zone, stateAt: (at: Instant) => window.isOpen(at), nextEdge: window.nextChange };
  const open = hoursOf(yearOf(changing, zones, now).usual, true);
  return inZone(sayHours(open).text, zone);
}

/** Times of every day, and nothing else. */
const daily = /^every day ((?:(?!,| and ).)*)$/;

/** `only Saturday 02:00–06:00 UTC`: what an Allow window says. */
export function sayOnly(window: Window, now: Instant): string {
  const hours = sayWindow(window, now);
  if (window === never) return 'never, since its schedule never fires';
  if (hours === atAllTimes) return hours;
  if (hours.startsWith(allWeekBut)) return `at any time except ${hours.slice(allWeekBut.length)}`;
  const [, times] = daily.exec(hours) ?? [];
  return times === undefined ? `only ${hours}` : `every day, but only ${times}`;
}

/** `at any time except Monday to Friday 09:00–17:00 UTC`: what a Block window says. */
export function sayBut(window: Window, now: Instant): string {
  const hours = sayWindow(window, now);
  if (window === never) return 'at any time, since its schedule never fires';
  if (hours.startsWith(allWeekBut)) return `only ${hours.slice(allWeekBut.length)}`;
  return hours === atAllTimes ? 'never, since it is blocked at all times' : `at any time except ${hours}`;
}

const saySchedule = ({ cron, duration }: Schedule): string => inZone(cronWords(cron.text, duration), cron.zone);

/** Each zone once, in the order of the schedules. */
export function zonesOf(window: Window): Zone[] {
  const zones = (schedulesOf(window) ?? []).map(({ cron }) => cron.zone);
  return zones.filter((zone, index) => zones.findIndex(({ name }) => name === zone.name) === index);
}

/** Before anything that anybody plans. */
const longAgo = asInstant(-100_000 * day);

/** D4: `from 20 December 2026 00:00 UTC until 4 January 2027 00:00 UTC`; nothing where it has no bounds. */
export function sayLife(life: Window, now: Instant): string {
  if (life === always) return '';
  const first = life.nextChange(longAgo);
  const [from, to] = life.isOpen(longAgo)
    ? [undefined, first]
    : [first, first === undefined ? undefined : life.nextChange(first)];
  const begin = from === undefined ? '' : ` from ${sayInstant(from, utc)}`;
  const end = to === undefined ? '' : ` until ${sayInstant(to, utc)}`;
  const state = life.isOpen(now) ? 'in force now' : to !== undefined && to <= now ? 'over' : 'not yet';
  return `${begin}${end} (${state})`.trim();
}
