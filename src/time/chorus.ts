// Which schedules cover whole days between them? They need not be walked hit by hit, only month by month: 48 schedules of
// half an hour that touch are one that is always open.
import { asDuration, asInstant, type Duration, day, type Instant, minute } from './instant.ts';
import { type MatchingDays, missAtOrAfter, missAtOrBefore } from './matchingDays.ts';
import { firstTime, timeAtOrAfter } from './matchingTimes.ts';
import type { CompiledSchedule } from './schedule.ts';
import type { Stretch } from './stretches.ts';
import type { Said, Voice } from './voice.ts';
import { horizon } from './window.ts';
import type { Zone } from './zone.ts';

/** Schedules of the same days in the same zone which leave no hole from the first hit of a day to the next day's. */
interface Chorus {
  readonly zone: Zone;
  readonly days: MatchingDays;
  /** Of the day, by the clock on the wall: here each of its days begins. */
  readonly first: Duration;
}

/** Further than any question goes. */
const daysAhead = Math.ceil(horizon / day) + 1;

/** A schedule without a gap of its own is left out: it knows that without looking at days. */
export function findChoruses(schedules: readonly CompiledSchedule[]): Voice[] {
  const groups = Map.groupBy(
    schedules.filter(({ gapless }) => !gapless),
    ({ cron: { zone, pattern } }) => `${zone.name} ${pattern.days.months} ${pattern.days.byFirstWeekday}`,
  );
  return [...groups.values()].flatMap(sing);
}

function sing(group: readonly CompiledSchedule[]): Voice[] {
  const first = beginOfCoveredDay(group);
  const cron = group[0]?.cron;
  if (first === undefined || !cron) return [];
  const chorus: Chorus = { zone: cron.zone, days: cron.pattern.days, first };
  return [{ forwards: (at) => forwards(chorus, at), backwards: (start) => backwards(chorus, start) }];
}

/** The time of the first hit of a day, if from there on the hits of that day leave no hole for 24 hours. */
function beginOfCoveredDay(group: readonly CompiledSchedule[]): Duration | undefined {
  const openings = group.flatMap(openingsOfDay).sort((a, b) => a.from - b.from);
  const begin = openings[0]?.from ?? 0;
  let reach = begin;
  for (const { from, to } of openings) {
    if (from > reach) return undefined;
    reach = Math.max(reach, to);
  }
  return reach >= begin + day ? asDuration(begin) : undefined;
}

function openingsOfDay({ cron: { pattern }, duration }: CompiledSchedule): { from: number; to: number }[] {
  const { minutes, hours } = pattern;
  const openings: { from: number; to: number }[] = [];
  for (let time = firstTime(minutes, hours); time >= 0; time = timeAtOrAfter(minutes, hours, time + 1)) {
    openings.push({ from: time * minute, to: time * minute + duration });
  }
  return openings;
}

// Days count only where the clock runs evenly: what is shown twice does not fire as it is written (B3).
const evenSince = ({ start, repeatedUntil }: Stretch): Instant => asInstant(Math.max(start, repeatedUntil));
const dayAt = ({ first }: Chorus, { offset }: Stretch, at: Instant): number => Math.floor((at + offset - first) / day);
const beginOf = ({ first }: Chorus, { offset }: Stretch, today: number): Instant =>
  asInstant(today * day + first - offset);

function forwards(chorus: Chorus, at: Instant): Said {
  const stretch = chorus.zone.stretchAt(at);
  const today = dayAt(chorus, stretch, at);
  const again = beginOf(chorus, stretch, today + 1);
  if (beginOf(chorus, stretch, today) < evenSince(stretch)) return { reach: at, again };
  const miss = missAtOrAfter(chorus.days, today, today + daysAhead);
  return { reach: asInstant(Math.min(Math.max(at, beginOf(chorus, stretch, miss)), stretch.end)), again };
}

function backwards(chorus: Chorus, start: Instant): Said {
  const stretch = chorus.zone.stretchAt(asInstant(start - 1));
  const today = dayAt(chorus, stretch, asInstant(start - 1));
  const miss = missAtOrBefore(chorus.days, today, today - daysAhead);
  const lastUneven = dayAt(chorus, stretch, asInstant(evenSince(stretch) - 1));
  const begin = beginOf(chorus, stretch, Math.max(miss, lastUneven) + 1);
  return { reach: asInstant(Math.min(start, begin)), again: beginOf(chorus, stretch, today) };
}
