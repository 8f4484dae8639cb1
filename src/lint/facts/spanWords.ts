// How are hours said in a finding? In plain words, always with the zone: `Saturday 09:00 to Monday 17:00 UTC`.
import { day, minute } from '../../time/instant.ts';
import { wallTime, type Zone } from '../../time/zone.ts';
import { sayClock, sayDate, sayDays, weekdays } from '../words/clockWords.ts';
import { andList } from '../words/lists.ts';
import { type Habit, minutesADay, type WeekStretch, weekdayOf } from './habit.ts';
import type { Span } from './year.ts';

/** `Monday to Friday 09:00 to 17:00`, `Saturday 09:00 to Monday 17:00`, `every day 22:00 to 06:00 the next day` */
export function sayStretch({ days, start, length }: Omit<WeekStretch, 'sample'>): string {
  const end = start + length;
  const begins = `${sayDays(new Set(days))} ${sayClock(start)}`;
  if (end <= minutesADay) return `${begins} to ${sayClock(end)}`;
  const [later, time] = [Math.floor(end / minutesADay), sayClock(end % minutesADay)];
  const [only] = days;
  if (days.length === 1 && only !== undefined && length > minutesAWeek - minutesADay) {
    // It comes back to its own weekday, so it is told by what it leaves out.
    const gap = { days: [(only + later) % 7], start: end % minutesADay, length: minutesAWeek - length };
    return `all week except ${sayStretch(gap)}`;
  }
  if (days.length === 1 && only !== undefined) return `${begins} to ${weekdays[(only + later) % 7]} ${time}`;
  return `${begins} to ${time} ${later === 1 ? 'the next day' : `${later} days later`}`;
}

const minutesAWeek = 7 * minutesADay;

/** So many stretches are named; who wants them all asks `lull when`. */
const named = 3;

/** All hours of a habit; those of every week if there are any, else the odd ones by date. */
export function sayHabit({ weekly, odd }: Habit, zone: Zone): string {
  const said = weekly.length > 0 ? weekly.map(sayStretch) : odd.map((span) => sayDated(span, zone));
  const rest = said.length - named;
  const shown = rest > 0 ? `${said.slice(0, named).join(', ')} and ${rest} more times` : andList(said);
  return `${shown} ${zone.name}`;
}

/** `Sunday 25 October 2026 08:00 to 09:00`; the day of its end too where that is another. */
function sayDated({ from, to }: Span, zone: Zone): string {
  const [start, end] = [wallTime(zone, from), wallTime(zone, to)];
  const sameDay = Math.floor(start / day) === Math.floor(end / day);
  return `${sayDate(start)} ${clockAt(start)} to ${sameDay ? '' : `${sayDate(end)} `}${clockAt(end)}`;
}

/** One stretch as it would be said of any week, with its zone. */
export function sayWeekday({ from, to }: Span, zone: Zone): string {
  const [start, end] = [wallTime(zone, from), wallTime(zone, to)];
  const sameDay = Math.floor(start / day) === Math.floor(end / day);
  const until = `${sameDay ? '' : `${weekdays[weekdayOf(end)]} `}${clockAt(end)}`;
  return `${weekdays[weekdayOf(start)]} ${clockAt(start)} to ${until} ${zone.name}`;
}

const clockAt = (wall: number): string => sayClock(Math.floor((((wall % day) + day) % day) / minute));
