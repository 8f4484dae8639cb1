// Openings of schedules: how long they last, and runs of openings that overlap, of one schedule or of several.
import { cutAfter } from './calendar.ts';
import { type Cron, dateOf } from './cron.ts';
import { after, asDuration, asInstant, before, type Duration, day, type Instant, minute } from './instant.ts';
import { type MatchingDays, missAtOrAfter, missAtOrBefore } from './matchingDays.ts';
import { firstTime, timeAtOrAfter } from './pattern.ts';
import { horizon } from './window.ts';
import { firstInstantOf, lastJump, nextJump, type OffsetPeriod, wallTime, type Zone } from './zone.ts';

/** Open for the duration from each hit. */
export interface Schedule {
  readonly cron: Cron;
  readonly duration: Duration;
}

/** A schedule that has hits, with properties that do not depend on single hits. */
export interface CompiledSchedule extends Schedule {
  /** The duration is a whole number of days, so that openings end at the time of day at which they began (B3). */
  readonly wholeDays: boolean;
  /** In wall-clock time, each opening lasts until the next begins. */
  readonly gapless: boolean;
}

export function compileSchedule({ cron, duration }: Schedule): CompiledSchedule | undefined {
  const whole = asDuration(Math.floor(duration));
  if (!cron.fires || whole <= 0) return undefined;
  return { cron, duration: whole, wholeDays: whole % day === 0, gapless: cron.hasNoGapOver(whole) };
}

/** When the opening of the last hit up to `at` ends or ended; long ago if there is none. */
export function endOfLast(schedule: CompiledSchedule, at: Instant): Instant {
  const hit = schedule.cron.previous(at);
  return hit === undefined ? asInstant(-Infinity) : endOf(schedule, hit);
}

/** When the opening of a hit ends. */
export function endOf(schedule: CompiledSchedule, hit: Instant): Instant {
  const { cron, duration, wholeDays } = schedule;
  const end = wholeDays ? firstInstantOf(cron.zone, wallTime(cron.zone, hit) + duration) : after(hit, duration);
  const cut = cron.calendar && cutAfter(cron.calendar, dateOf(cron.zone, hit));
  return cut === undefined ? end : asInstant(Math.min(end, firstInstantOf(cron.zone, cut * day)));
}

/** The end of the run that the hits up to `at` keep open, as far as one step can tell; not after `at` if it is closed. */
function staysOpenUntil(schedule: CompiledSchedule, at: Instant): Instant {
  const { zone } = schedule.cron;
  const hit = schedule.cron.previous(at);
  if (hit === undefined) return at;
  const end = endOf(schedule, hit);
  if (end <= at || !schedule.gapless) return end;
  if (schedule.wholeDays) return asInstant(Infinity);
  // Only a clock that is set back can separate such openings, so the hits until then need not be visited.
  if (hit < zone.periodAt(hit).repeatedUntil) return end;
  const setBack = nextSetBack(zone, hit);
  return asInstant(setBack ? Math.max(end, setBack.start) : Infinity);
}

/** The start of the run that lasts until `start`, as far as one step can tell; `start` itself if it was closed just before. */
function wasOpenSince(schedule: CompiledSchedule, start: Instant): Instant {
  const last = schedule.cron.previous(asInstant(start - 1));
  if (last === undefined || endOf(schedule, last) < start) return start;
  const unbroken = schedule.gapless ? firstHitSinceSetBack(schedule, last) : last;
  if (unbroken < last) return unbroken;
  const first = firstHitReaching(schedule, start);
  return first < last && endOf(schedule, first) >= start ? first : last;
}

/** Never undefined without a calendar: a compiled schedule has hits. */
const firstHit = ({ cron }: CompiledSchedule, from: Instant): Instant =>
  cron.next(asInstant(from - 1)) ?? asInstant(Infinity);

function firstHitSinceSetBack(schedule: CompiledSchedule, at: Instant): Instant {
  const setBack = schedule.wholeDays ? undefined : lastSetBack(schedule.cron.zone, at);
  return setBack ? firstHit(schedule, setBack.repeatedUntil) : asInstant(-Infinity);
}

/** The first hit whose opening lasts until `end`, apart from clock changes. */
function firstHitReaching(schedule: CompiledSchedule, end: Instant): Instant {
  const { zone } = schedule.cron;
  if (!schedule.wholeDays) return firstHit(schedule, before(end, schedule.duration));
  return firstHit(schedule, firstInstantOf(zone, wallTime(zone, end) - schedule.duration));
}

function nextSetBack(zone: Zone, at: Instant): OffsetPeriod | undefined {
  let change = nextJump(zone, at, horizon);
  while (change && change.jump > 0) change = nextJump(zone, change.start, horizon);
  return change;
}

function lastSetBack(zone: Zone, at: Instant): OffsetPeriod | undefined {
  let change = lastJump(zone, at, horizon);
  while (change && change.jump > 0) change = lastJump(zone, asInstant(change.start - 1), horizon);
  return change;
}

/** How far a source keeps the run open, and the instant from which asking it again may extend that. */
interface RunReach {
  readonly reach: Instant;
  readonly again: Instant;
}

export interface OpenRun {
  /** Until when this source keeps the run open, as far as one step can tell; not after `at` if it does not. */
  forwards(at: Instant): RunReach;
  /** Since when this source has kept it open until `start`; `start` if it was closed just before. */
  backwards(start: Instant): RunReach;
}

export const runOfSchedule = (schedule: CompiledSchedule): OpenRun => ({
  forwards: (at) => ({
    reach: staysOpenUntil(schedule, at),
    again: schedule.cron.next(at) ?? asInstant(Infinity),
  }),
  backwards: (start) => {
    const reach = wasOpenSince(schedule, start);
    // If closed just before `start`, it matters again only at the end of its last opening; earlier openings end earlier.
    return { reach, again: reach < start ? asInstant(Infinity) : endOfLast(schedule, asInstant(start - 1)) };
  },
});

// Schedules that together cover whole days are followed month by month instead of hit by hit: 48 adjoining schedules of half an hour
// are always open.

/** Schedules on the same days in the same zone that leave no gap from the first hit of a day to that of the next. */
interface CoveredDays {
  readonly zone: Zone;
  readonly days: MatchingDays;
  /** The wall-clock time at which each of its days begins. */
  readonly first: Duration;
}

/** Beyond the horizon of any query. */
const daysAhead = Math.ceil(horizon / day) + 1;

/** Gapless schedules are left out: they need no day-by-day evaluation. So are those with a calendar, which do not cover all of their days. */
export function findCoveredDays(schedules: readonly CompiledSchedule[]): OpenRun[] {
  const groups = Map.groupBy(
    schedules.filter(({ gapless, cron }) => !gapless && !cron.calendar),
    ({ cron: { zone, pattern } }) => `${zone.name} ${pattern.days.months} ${pattern.days.byFirstWeekday}`,
  );
  return [...groups.values()].flatMap(coveredDaysOf);
}

function coveredDaysOf(group: readonly CompiledSchedule[]): OpenRun[] {
  const first = beginOfCoveredDay(group);
  const cron = group[0]?.cron;
  if (first === undefined || !cron) return [];
  const chorus: CoveredDays = { zone: cron.zone, days: cron.pattern.days, first };
  return [{ forwards: (at) => forwards(chorus, at), backwards: (start) => backwards(chorus, start) }];
}

/** The time of the first hit of a day, if the hits of that day leave no gap for 24 hours from there. */
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

// Days are covered only while the offset is constant: repeated times do not fire as written (B3).
const evenSince = ({ start, repeatedUntil }: OffsetPeriod): Instant => asInstant(Math.max(start, repeatedUntil));
const dayAt = ({ first }: CoveredDays, { offset }: OffsetPeriod, at: Instant): number =>
  Math.floor((at + offset - first) / day);
const beginOf = ({ first }: CoveredDays, { offset }: OffsetPeriod, today: number): Instant =>
  asInstant(today * day + first - offset);

function forwards(chorus: CoveredDays, at: Instant): RunReach {
  const period = chorus.zone.periodAt(at);
  const today = dayAt(chorus, period, at);
  const again = beginOf(chorus, period, today + 1);
  if (beginOf(chorus, period, today) < evenSince(period)) return { reach: at, again };
  const miss = missAtOrAfter(chorus.days, today, today + daysAhead);
  return { reach: asInstant(Math.min(Math.max(at, beginOf(chorus, period, miss)), period.end)), again };
}

function backwards(chorus: CoveredDays, start: Instant): RunReach {
  const period = chorus.zone.periodAt(asInstant(start - 1));
  const today = dayAt(chorus, period, asInstant(start - 1));
  const miss = missAtOrBefore(chorus.days, today, today - daysAhead);
  const lastUneven = dayAt(chorus, period, asInstant(evenSince(period) - 1));
  const begin = beginOf(chorus, period, Math.max(miss, lastUneven) + 1);
  return { reach: asInstant(Math.min(start, begin)), again: beginOf(chorus, period, today) };
}
