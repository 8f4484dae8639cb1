// At what times of the day does a cron fire, and for how long is it open then? `at 02:00`, `02:00–06:00`, `every 15 minutes for 5 min each`.
import type { CronFields } from '../../time/cronFields.ts';
import { asDuration, type Duration, day, minute } from '../../time/instant.ts';
import { sayClock, sayDuration } from './clockWords.ts';
import { andList } from './lists.ts';

const minutesADay = 1440;
/** As many times are said one by one. */
const mostTimes = 4;

/** Undefined where words would say less than the cron itself. */
export function cronTimes(fields: CronFields, duration: Duration | undefined): string | undefined {
  const [minutes, hours] = [sorted(fields.minute.values), sorted(fields.hour.values)];
  if (minutes.length * hours.length > mostTimes) {
    const often = sayOften(minutes, hours);
    return often && `${often}${duration === undefined ? '' : ` for ${sayDuration(duration)} each`}`;
  }
  const times = hours.flatMap((it) => minutes.map((more) => it * 60 + more));
  return duration === undefined ? `at ${andList(times.map(sayClock))}` : sayOpenings(times, duration);
}

const sorted = (values: ReadonlySet<number>): number[] => [...values].sort((a, b) => a - b);

function sayOpenings(times: readonly number[], duration: Duration): string {
  const length = duration / minute;
  const apart = times.every((time, index) => time + length <= (times[index + 1] ?? minutesADay * 2));
  if (!apart && times.length > 1) return `at ${andList(times.map(sayClock))} for ${sayDuration(duration)} each`;
  return andList(times.map((time) => sayOpening(time, length)));
}

function sayOpening(from: number, length: number): string {
  const to = from + length;
  if (from === 0 && length === minutesADay) return 'all day';
  if (to <= minutesADay) return `${sayClock(from)}–${sayClock(to)}`;
  if (length < minutesADay) return `from ${sayClock(from)} until ${sayClock(to - minutesADay)} the next day`;
  return `from ${sayClock(from)} for ${sayDuration(asDuration((length / minutesADay) * day))}`;
}

function sayOften(minutes: readonly number[], hours: readonly number[]): string | undefined {
  const [step, [first = 0]] = [evenStep(minutes, 60), minutes];
  if (hours.length === 24) {
    if (minutes.length === 60) return 'every minute';
    if (minutes.length === 1) return first === 0 ? 'every hour' : `every hour at ${first} min past`;
    return step ? `every ${step} minutes${first === 0 ? '' : ` from ${first} min past the hour`}` : undefined;
  }
  const run = runOf(hours);
  const [start, end] = run ?? [hours[0] ?? 0, hours.at(-1) ?? 0];
  const span = `from ${sayClock(start * 60 + first)} to ${sayClock(end * 60 + (minutes.at(-1) ?? 0))}`;
  if (minutes.length === 1) {
    const every = run ? 1 : stepOf(hours);
    return every ? `every ${every === 1 ? 'hour' : `${every} hours`} ${span}` : undefined;
  }
  if (!run) return undefined;
  if (minutes.length === 60) return `every minute ${span}`;
  return step ? `every ${step} minutes ${span}` : undefined;
}

/** The ends of hours that follow each other, past midnight too; undefined where there is a gap. */
function runOf(hours: readonly number[]): [number, number] | undefined {
  const starts = hours.filter((it) => !hours.includes((it + 23) % 24));
  const [start = 0] = starts;
  return starts.length === 1 ? [start, (start + hours.length - 1) % 24] : undefined;
}

/** The step from each value to the next; undefined where they differ. */
function stepOf(values: readonly number[]): number | undefined {
  const step = (values[1] ?? 0) - (values[0] ?? 0);
  return values.every((value, index) => value === (values[0] ?? 0) + index * step) ? step : undefined;
}

/** The same where the step from the last value, past the end of the field, to the first is no other. */
function evenStep(values: readonly number[], size: number): number | undefined {
  const step = size / values.length;
  return stepOf(values) === step ? step : undefined;
}
