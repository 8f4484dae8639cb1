// How long does a hit keep a schedule open, together with the hits it runs into? One schedule, one step at a time.
import type { Cron } from './cron.ts';
import { after, asDuration, asInstant, before, type Duration, day, type Instant } from './instant.ts';
import type { Stretch } from './stretches.ts';
import { horizon } from './window.ts';
import { firstInstantOf, lastJump, nextJump, wallTime, type Zone } from './zone.ts';

/** Open from each hit on, for the duration. */
export interface Schedule {
  readonly cron: Cron;
  readonly duration: Duration;
}

/** A schedule that does open, and what can be said of it without looking at its hits. */
export interface CompiledSchedule extends Schedule {
  /** Openings end at the time of day at which they began (B3). */
  readonly wholeDays: boolean;
  /** By the clock on the wall, each opening lasts until the next begins. */
  readonly gapless: boolean;
}

export function compileSchedule({ cron, duration }: Schedule): CompiledSchedule | undefined {
  const whole = asDuration(Math.floor(duration));
  if (!cron.fires || whole <= 0) return undefined;
  return { cron, duration: whole, wholeDays: whole % day === 0, gapless: cron.hasNoGapOver(whole) };
}

/** When the opening of the last hit up to `at` ends or ended. */
export function endOfLast(schedule: CompiledSchedule, at: Instant): Instant {
  return endOf(schedule, lastHit(schedule, at));
}

/** A compiled schedule fires, so there always was a hit. */
const lastHit = ({ cron }: CompiledSchedule, at: Instant): Instant => cron.previous(at) as Instant;

/** When the opening of a hit ends. */
export function endOf({ cron: { zone }, duration, wholeDays }: CompiledSchedule, hit: Instant): Instant {
  return wholeDays ? firstInstantOf(zone, wallTime(zone, hit) + duration) : after(hit, duration);
}

/** Until when it stays open on account of the hits up to `at`, as far as one step sees; not after `at` if it does not. */
export function staysOpenUntil(schedule: CompiledSchedule, at: Instant): Instant {
  const { zone } = schedule.cron;
  const hit = lastHit(schedule, at);
  const end = endOf(schedule, hit);
  if (end <= at || !schedule.gapless) return end;
  if (schedule.wholeDays) return asInstant(Infinity);
  // Only a clock that is set back can tear such openings apart, so the hits until then need not be walked.
  if (hit < zone.stretchAt(hit).repeatedUntil) return end;
  const setBack = nextSetBack(zone, hit);
  return asInstant(setBack ? Math.max(end, setBack.start) : Infinity);
}

/** Since when it has been open up to `start`, as far as one step sees; `start` itself if it was closed just before. */
export function wasOpenSince(schedule: CompiledSchedule, start: Instant): Instant {
  const last = lastHit(schedule, asInstant(start - 1));
  if (endOf(schedule, last) < start) return start;
  const unbroken = schedule.gapless ? firstHitSinceSetBack(schedule, last) : last;
  if (unbroken < last) return unbroken;
  const first = firstHitReaching(schedule, start);
  return first < last && endOf(schedule, first) >= start ? first : last;
}

const firstHit = ({ cron }: CompiledSchedule, from: Instant): Instant => cron.next(asInstant(from - 1)) as Instant;

function firstHitSinceSetBack(schedule: CompiledSchedule, at: Instant): Instant {
  const setBack = schedule.wholeDays ? undefined : lastSetBack(schedule.cron.zone, at);
  return setBack ? firstHit(schedule, setBack.repeatedUntil) : asInstant(-Infinity);
}

/** The first hit whose opening lasts until `end`, give or take a change of the clock. */
function firstHitReaching(schedule: CompiledSchedule, end: Instant): Instant {
  const { zone } = schedule.cron;
  if (!schedule.wholeDays) return firstHit(schedule, before(end, schedule.duration));
  return firstHit(schedule, firstInstantOf(zone, wallTime(zone, end) - schedule.duration));
}

function nextSetBack(zone: Zone, at: Instant): Stretch | undefined {
  let change = nextJump(zone, at, horizon);
  while (change && change.jump > 0) change = nextJump(zone, change.start, horizon);
  return change;
}

function lastSetBack(zone: Zone, at: Instant): Stretch | undefined {
  let change = lastJump(zone, at, horizon);
  while (change && change.jump > 0) change = lastJump(zone, asInstant(change.start - 1), horizon);
  return change;
}
