// When is a window open that opens at every hit of its schedules? Overlapping and touching openings are one (B4).
import { formatDuration } from './duration.ts';
import { asInstant, earliest, type Instant } from './instant.ts';
import { remembered } from './remembered.ts';
import {
  type CompiledSchedule,
  compileSchedule,
  endOfLast,
  type Schedule,
  staysOpenUntil,
  wasOpenSince,
} from './schedule.ts';
import { horizon, never, type Window } from './window.ts';

/** Minute by minute for more than a year. A run of more openings than that is taken for endless. */
const mostSteps = 600_000;

/** Open while at least one of the schedules is; one that never fires adds nothing. */
export function scheduleWindow(schedules: readonly Schedule[]): Window {
  const compiled = schedules.map(compileSchedule).filter((schedule) => schedule !== undefined);
  if (compiled.length === 0) return never;
  const lastEnd = (at: Instant) => greatest(compiled, (schedule) => endOfLast(schedule, at));
  return remembered({
    text: compiled.map(describe).join(' or '),
    isOpen: (at) => at < lastEnd(at),
    nextChange: (at) => (at < lastEnd(at) ? endOfRun(compiled, at) : nextHit(compiled, at)),
    lastChange: (at) => (at < lastEnd(at) ? startOfRun(compiled, at) : lastEnd(at)),
  });
}

function describe({ cron, duration }: Schedule): string {
  const zone = cron.zone.name === 'UTC' || cron.prefix !== undefined ? '' : ` (${cron.zone.name})`;
  return `${cron.text} for ${formatDuration(duration)}${zone}`;
}

const nextHit = (schedules: readonly Schedule[], at: Instant): Instant | undefined =>
  schedules.map(({ cron }) => cron.next(at)).reduce(earliest);

function endOfRun(schedules: readonly CompiledSchedule[], at: Instant): Instant | undefined {
  let end = at;
  for (let steps = 0; steps < mostSteps && end - at < horizon; steps++) {
    const further = greatest(schedules, (schedule) => staysOpenUntil(schedule, end));
    if (further <= end) return end;
    end = further;
  }
  return undefined;
}

function startOfRun(schedules: readonly CompiledSchedule[], at: Instant): Instant | undefined {
  let start = at;
  for (let steps = 0; steps < mostSteps && at - start < horizon; steps++) {
    const earlier = least(schedules, (schedule) => wasOpenSince(schedule, start));
    if (earlier >= start) return start;
    start = earlier;
  }
  return undefined;
}

type InstantOf = (schedule: CompiledSchedule) => Instant;

const greatest = (schedules: readonly CompiledSchedule[], instantOf: InstantOf): Instant =>
  schedules.reduce((most, schedule) => asInstant(Math.max(most, instantOf(schedule))), asInstant(-Infinity));

const least = (schedules: readonly CompiledSchedule[], instantOf: InstantOf): Instant =>
  schedules.reduce((fewest, schedule) => asInstant(Math.min(fewest, instantOf(schedule))), asInstant(Infinity));
