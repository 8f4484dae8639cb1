// A window's schedules in a few words: `Saturdays 22:00–02:00 Europe/Berlin`.
import { describeCalendar } from './calendar.ts';
import { type CronFields, readFields } from './cronFields.ts';
import { formatTimeOfDay, weekdays } from './describeClock.ts';
import { cronDays, isWeekly, schedulesOf, withoutZone } from './describeCron.ts';
import { formatDuration } from './duration.ts';
import { type Duration, day, minute } from './instant.ts';
import { andList } from './lists.ts';
import type { Schedule } from './schedule.ts';
import type { Window } from './window.ts';

/** Longer texts hold more schedules than fit into one sentence. */
const longestText = 160;
const mostSchedules = 2;
const mostTimes = 2;
const minutesPerDay = day / minute;

const described = new WeakMap<Window, string>();

/** Undefined where the cron text is shorter or clearer than words. Remembered for each window. */
export function describeSchedules(window: Window): string | undefined {
  const known = described.get(window);
  if (known !== undefined) return known === '' ? undefined : known;
  const text = window.text.length > longestText ? undefined : describeAll(schedulesOf(window) ?? []);
  described.set(window, text ?? '');
  return text;
}

function describeAll(schedules: readonly Schedule[]): string | undefined {
  if (schedules.length === 0 || schedules.length > mostSchedules) return undefined;
  const zones = new Set(schedules.map(({ cron }) => cron.zone.name));
  const texts = schedules.map(describeSchedule);
  if (!texts.every((text) => text !== undefined)) return undefined;
  // One zone is named once, after the last of them.
  if (zones.size === 1 && !schedules.some(({ cron }) => cron.calendar)) return `${andList(texts)} ${[...zones].join()}`;
  const dates = schedules.map(({ cron }) => (cron.calendar ? `, ${describeCalendar(cron.calendar)}` : ''));
  return andList(texts.map((text, index) => `${text} ${schedules[index]?.cron.zone.name}${dates[index]}`));
}

function describeSchedule({ cron, duration }: Schedule): string | undefined {
  const fields = readFields(withoutZone(cron.text));
  if ('fault' in fields) return undefined;
  const [days, times] = [describeDays(fields), describeTimes(fields, duration)];
  return days === undefined || times === undefined ? undefined : `${days} ${times}`;
}

/** Days of the week, or dates; where both are restricted either matches (B1), which takes too many words. */
function describeDays(fields: CronFields): string | undefined {
  const { 'day-of-week': named, 'day-of-month': dates } = fields;
  if (!isWeekly(fields)) return dates.star || named.star ? cronDays(fields) : undefined;
  const [only = 0] = named.values;
  return named.values.size === 1 ? `${weekdays[(only + 6) % 7]}s` : cronDays(fields);
}

function describeTimes({ minute: minutes, hour: hours }: CronFields, duration: Duration): string | undefined {
  const times = [...hours.values].flatMap((hour) => [...minutes.values].map((more) => hour * 60 + more));
  if (times.length > mostTimes) return undefined;
  times.sort((a, b) => a - b);
  const length = duration / minute;
  // Openings that run into each other are one opening, which these words would not say.
  const [first = 0, second = first + minutesPerDay] = times;
  if (times.length > 1 && (first + length > second || second + length > first + minutesPerDay)) return undefined;
  if (length < minutesPerDay) return andList(times.map((time) => describeOpening(time, length)));
  if (length === minutesPerDay && first === 0) return 'all day';
  return `from ${formatTimeOfDay(first)} for ${formatDuration(duration)}`;
}

/** `22:00–02:00`; an end at midnight is `24:00`. */
const describeOpening = (from: number, length: number): string => {
  const to = from + length;
  return `${formatTimeOfDay(from)}–${formatTimeOfDay(to > minutesPerDay ? to - minutesPerDay : to)}`;
};
