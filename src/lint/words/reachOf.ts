// In which hours of a week may a window ever be open? For one that opens on dates: on the 1st of the month from 02:00 to 06:00 on any day.
import { asInstant, type Instant } from '../../time/instant.ts';
import { openings, type Window } from '../../time/window.ts';
import { offsetAt, type Zone } from '../../time/zone.ts';
import { type Segment, sinceMonday, week } from './week.ts';

/** In so many openings a monthly window has met every weekday. What opens more often than that is open at any hour. */
const mostOpenings = 400;
/** In so many weeks a yearly window has opened a few times. */
const ahead = 5 * 53 * week;

const anyHour: readonly Segment<true>[] = [{ from: 0, to: week, state: true }];

export function reachOf(window: Window, zone: Zone, now: Instant): readonly Segment<true>[] {
  const hours: Segment<true>[] = [];
  let seen = 0;
  for (const { from = now, to = asInstant(from + week) } of openings(window, now)) {
    if (from > now + ahead) break;
    if (to - from >= week || ++seen > mostOpenings) return anyHour;
    const begin = sinceMonday(from + offsetAt(zone, from));
    const end = begin + to - from;
    hours.push({ from: begin, to: Math.min(end, week), state: true });
    if (end > week) hours.push({ from: 0, to: end - week, state: true });
  }
  return hours.length === 0 ? anyHour : merged(hours);
}

function merged(hours: Segment<true>[]): Segment<true>[] {
  const whole: Segment<true>[] = [];
  for (const hour of hours.sort((a, b) => a.from - b.from)) {
    const last = whole.at(-1);
    if (last && hour.from <= last.to) whole[whole.length - 1] = { ...last, to: Math.max(last.to, hour.to) };
    else whole.push(hour);
  }
  return whole;
}
