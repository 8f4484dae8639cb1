// Windows that open at every hit of their schedules. Overlapping and touching openings are one (B4).
//
// Most questions are answered by the schedules themselves. A run of openings that they do not carry to its end within a few steps is
// looked up in the minutes of the days ahead, 401 from the beginning of the UTC day, so that no schedule costs more than that, however
// it is written.
import { findChoruses } from './chorus.ts';
import { formatDuration } from './duration.ts';
import { after, asInstant, before, earliest, type Instant, minute } from './instant.ts';
import { gapAtOrAfter, gapAtOrBefore } from './minuteSet.ts';
import { blockOf, instantOf, lookahead, minuteOf, minutesPerBlock, startOfDay } from './minutes.ts';
import { remembered } from './remembered.ts';
import { type CompiledSchedule, compileSchedule, endOfLast, type Schedule } from './schedule.ts';
import { scheduleMinutes } from './scheduleMinutes.ts';
import { solo, type Voice } from './voice.ts';
import { horizon, never, type Window } from './window.ts';
import { minutesOf } from './windowMinutes.ts';

/** Questions to schedules about the end of a run, before the minutes are looked at. Four for each schedule, at least. */
const mostAsked = 200;
/** Questions after which a run is no longer said to be endless: enough for thirty years of days, some 15 milliseconds. */
const mostAskedForEver = 30_000;

/** Open while at least one of the schedules is; one that never fires adds nothing. */
export function scheduleWindow(schedules: readonly Schedule[]): Window {
  const compiled = schedules.map(compileSchedule).filter((schedule) => schedule !== undefined);
  if (compiled.length === 0) return never;
  let known: readonly Voice[] | undefined;
  const voices = (): readonly Voice[] => (known ??= [...findChoruses(compiled), ...compiled.map(solo)]);
  const isOpen = (at: Instant): boolean => at < lastEnd(compiled, at);
  const most = Math.max(mostAsked, 4 * compiled.length);
  const window: Window = remembered({
    text: compiled.map(describe).join(' or '),
    isOpen,
    nextChange: (at) => {
      if (!isOpen(at)) return nextHit(compiled, at);
      const end = endOfRun(voices(), { at, most }) ?? endByMinutes(window, compiled, at);
      return end === beyond ? undefined : end;
    },
    lastChange: (at) => {
      const end = lastEnd(compiled, at);
      if (at >= end) return end;
      const start = startOfRun(voices(), { at, most }) ?? startByMinutes(window, at);
      return start === asInstant(-Infinity) ? undefined : start;
    },
    minutes: (block) => scheduleMinutes(compiled, block),
    isEndless: (at) => isOpen(at) && endOfRun(voices(), { at, most: mostAskedForEver }) === beyond,
  });
  return window;
}

function lastEnd(schedules: readonly CompiledSchedule[], at: Instant): Instant {
  let last = -Infinity;
  for (const schedule of schedules) last = Math.max(last, endOfLast(schedule, at));
  return asInstant(last);
}

/** The text of the window that these schedules would make. */
export const scheduleText = (schedules: readonly Schedule[]): string =>
  schedules
    .map(compileSchedule)
    .filter((schedule) => schedule !== undefined)
    .map(describe)
    .join(' or ');

function describe({ cron, duration }: Schedule): string {
  const zone = cron.zone.name === 'UTC' || cron.prefix !== undefined ? '' : ` (${cron.zone.name})`;
  return `${cron.text} for ${formatDuration(duration)}${zone}`;
}

const nextHit = (schedules: readonly Schedule[], at: Instant): Instant | undefined =>
  schedules.map(({ cron }) => cron.next(at)).reduce(earliest);

interface Course {
  readonly at: Instant;
  readonly most: number;
}

/** It goes on for longer than is looked for. */
const beyond = asInstant(Infinity);

/**
 * Goes on with the first voice that carries further: those that carry far stand first, and the others need not be asked. Undefined
 * where that takes too many questions.
 */
function endOfRun(voices: readonly Voice[], { at, most }: Course): Instant | undefined {
  // Who has said all it can say up to some instant is not asked before.
  const again = voices.map(() => -Infinity);
  let end = at;
  for (let [index, asked] = [0, 0]; index < voices.length; index++) {
    if (end - at >= horizon) return beyond;
    if (asked > most) return undefined;
    if ((again[index] as number) > end) continue;
    const said = (voices[index] as Voice).forwards(end);
    asked++;
    again[index] = said.again;
    if (said.reach > end) [end, index] = [said.reach, -1];
  }
  return end;
}

/** The same, backwards. */
function startOfRun(voices: readonly Voice[], { at, most }: Course): Instant | undefined {
  const again = voices.map(() => Infinity);
  let start = at;
  for (let [index, asked] = [0, 0]; index < voices.length; index++) {
    if (at - start >= horizon) return asInstant(-Infinity);
    if (asked > most) return undefined;
    if ((again[index] as number) < start) continue;
    const said = (voices[index] as Voice).backwards(start);
    asked++;
    again[index] = said.again;
    if (said.reach < start) [start, index] = [said.reach, -1];
  }
  return start;
}

/** The first minute that is not open throughout is the one in which the run ends: openings begin on whole minutes. */
function endByMinutes(window: Window, schedules: readonly CompiledSchedule[], at: Instant): Instant {
  const limit = after(startOfDay(at), lookahead);
  let from = minuteOf(at);
  for (let block = blockOf(at); block <= blockOf(limit); block++) {
    const minutes = minutesOf(window, block);
    if (!minutes) return beyond;
    const gap = gapAtOrAfter(minutes.whole, from);
    if (gap >= 0) {
      const start = instantOf(block, gap);
      return asInstant(Math.max(start, lastEnd(schedules, start)));
    }
    from = 0;
  }
  return beyond;
}

function startByMinutes(window: Window, at: Instant): Instant {
  const limit = before(startOfDay(at), lookahead);
  let until = minuteOf(at);
  for (let block = blockOf(at); block >= blockOf(limit); block--) {
    const minutes = minutesOf(window, block);
    if (!minutes) break;
    const isNow = block === blockOf(at);
    const gap = until > 0 || !isNow ? gapAtOrBefore(minutes.whole, isNow ? until - 1 : until) : -1;
    if (gap >= 0) return after(instantOf(block, gap), minute);
    until = minutesPerBlock - 1;
  }
  return asInstant(-Infinity);
}
