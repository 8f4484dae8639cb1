// The window of several schedules: open while at least one of them is, and the minutes in which it is.

import { gapAtOrAfter, gapAtOrBefore, lastMinute, lengthen, type MinuteSet } from './bits.ts';
import { admits, type Calendar, formatCalendar } from './calendar.ts';
import { formatDuration } from './duration.ts';
import { after, asInstant, before, day, earliest, type Instant, minute } from './instant.ts';
import { matchesFrom } from './matchingDays.ts';
import {
  addOpening,
  blockOf,
  daysPerBlock,
  emptySet,
  instantOf,
  lookahead,
  type Minutes,
  minuteOf,
  minutesPerBlock,
  startOfBlock,
  startOfDay,
} from './minutes.ts';
import { addTimes } from './pattern.ts';
import { minutesOf, remembered } from './remembered.ts';
import {
  type CompiledSchedule,
  compileSchedule,
  endOf,
  endOfLast,
  findCoveredDays,
  type OpenRun,
  runOfSchedule,
  type Schedule,
} from './schedule.ts';
import { horizon, never, type Window } from './window.ts';
import type { OffsetPeriod } from './zone.ts';

/** Queries to schedules about the end of a run before falling back to minute sets; at least four for each schedule. */
const mostAsked = 200;
/** Queries after which a run is not reported as endless: enough for thirty years of days, about 15 milliseconds. */
const mostAskedForEver = 30_000;

/** Open while at least one of the schedules is; a schedule that never fires has no effect. */
export function scheduleWindow(schedules: readonly Schedule[]): Window {
  const compiled = schedules.map(compileSchedule).filter((schedule) => schedule !== undefined);
  if (compiled.length === 0) return never;
  let known: readonly OpenRun[] | undefined;
  const voices = (): readonly OpenRun[] => (known ??= [...findCoveredDays(compiled), ...compiled.map(runOfSchedule)]);
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
      if (at >= end) return end === asInstant(-Infinity) ? undefined : end;
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

/** The text of the window of these schedules. */
export const scheduleText = (schedules: readonly Schedule[]): string =>
  schedules
    .map(compileSchedule)
    .filter((schedule) => schedule !== undefined)
    .map(describe)
    .join(' or ');

function describe({ cron, duration }: Schedule): string {
  const zone = cron.zone.name === 'UTC' || cron.prefix !== undefined ? '' : ` (${cron.zone.name})`;
  const dates = cron.calendar ? ` ${formatCalendar(cron.calendar)}` : '';
  return `${cron.text} for ${formatDuration(duration)}${zone}${dates}`;
}

const nextHit = (schedules: readonly Schedule[], at: Instant): Instant | undefined =>
  schedules.map(({ cron }) => cron.next(at)).reduce(earliest);

interface RunQuery {
  readonly at: Instant;
  readonly most: number;
}

/** The run lasts beyond the horizon. */
const beyond = asInstant(Infinity);

/**
 * Extends the run with the first source that reaches further. Sources that reach far come first, so that the others are rarely asked.
 * Undefined if that takes too many queries.
 */
function endOfRun(voices: readonly OpenRun[], { at, most }: RunQuery): Instant | undefined {
  // A source is not asked again before the instant from which it may reach further.
  const again = voices.map(() => -Infinity);
  let end = at;
  for (let [index, asked] = [0, 0]; index < voices.length; index++) {
    if (end - at >= horizon) return beyond;
    if (asked > most) return undefined;
    const voice = voices[index];
    if (!voice || (again[index] ?? 0) > end) continue;
    const said = voice.forwards(end);
    asked++;
    again[index] = said.again;
    if (said.reach > end) [end, index] = [said.reach, -1];
  }
  return end;
}

/** The same, backwards. */
function startOfRun(voices: readonly OpenRun[], { at, most }: RunQuery): Instant | undefined {
  const again = voices.map(() => Infinity);
  let start = at;
  for (let [index, asked] = [0, 0]; index < voices.length; index++) {
    if (at - start >= horizon) return asInstant(-Infinity);
    if (asked > most) return undefined;
    const voice = voices[index];
    if (!voice || (again[index] ?? 0) < start) continue;
    const said = voice.backwards(start);
    asked++;
    again[index] = said.again;
    if (said.reach < start) [start, index] = [said.reach, -1];
  }
  return start;
}

/** The run ends in the first minute that is not open throughout, since openings begin on whole minutes. */
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

const minutesPerDay = day / minute;
const wordsPerDay = minutesPerDay / 32;

/** Undefined where the offset of a zone was not a whole number of minutes. */
function scheduleMinutes(schedules: readonly CompiledSchedule[], block: number): Minutes | undefined {
  const some = emptySet();
  const minutes = { some, whole: schedules.every(({ duration }) => duration % minute === 0) ? some : emptySet() };
  for (const schedule of schedules) if (!addSchedule(minutes, schedule, block)) return undefined;
  return minutes;
}

/** The minutes of one UTC day that the hits of one wall-clock day open. */
interface DayPart extends Minutes {
  /** The last hit, as a minute of the UTC day; −1 if there is none. */
  readonly lastHit: number;
}

/** A UTC day with a constant offset: it has the end of one wall-clock day and the beginning of the next. */
interface EvenDay {
  readonly offset: number;
  readonly earlier: DayPart;
  readonly later: DayPart;
}

function addSchedule(minutes: Minutes, schedule: CompiledSchedule, block: number): boolean {
  const { zone, pattern, calendar } = schedule.cron;
  const start = startOfBlock(block);
  // The last hit of a schedule is the one whose opening ends last.
  let end: Instant = endOfLast(schedule, asInstant(start - 1));
  // No zone is more than a day from UTC.
  const firstDay = start / day - 1;
  const matches = matchesFrom(pattern.days, firstDay, daysPerBlock + 3).map(
    (matches, index) => matches && (!calendar || admits(calendar, firstDay + index)),
  );
  let even: EvenDay | undefined;
  for (let index = 0; index < daysPerBlock; index++) {
    const begin = asInstant(start + index * day);
    const period = zone.periodAt(begin);
    const { offset } = period;
    if (offset % minute !== 0) return false;
    addOpening(minutes, block, { from: begin, to: Math.min(end, begin + day) });
    if (!isEven(period, begin) || isCut(calendar, Math.floor((begin + offset) / day))) {
      const last = addHits(minutes, schedule, { block, begin });
      if (last === 'not on a whole minute') return false;
      end = last ?? end;
      continue;
    }
    const wallDay = Math.floor((begin + offset) / day) - firstDay;
    const [today, tomorrow] = [matches[wallDay] === true, matches[wallDay + 1] === true];
    if (!today && !tomorrow) continue;
    if (even?.offset !== offset) even = layOut(schedule, begin, offset);
    const { earlier, later } = even;
    if (today && earlier.lastHit >= 0) {
      add(minutes, earlier, index);
      end = endOf(schedule, asInstant(begin + earlier.lastHit * minute));
    }
    if (tomorrow && later.lastHit >= 0) {
      add(minutes, later, index);
      end = endOf(schedule, asInstant(begin + later.lastHit * minute));
    }
  }
  return true;
}

/** Whether the clock does not change on that UTC day, and no wall-clock time of it is a repetition. */
const isEven = ({ start, end, jump, repeatedUntil }: OffsetPeriod, begin: Instant): boolean =>
  end >= begin + day && repeatedUntil <= begin && (start < begin || jump === 0);

/** Whether openings of a wall-clock day or of the two days before it may be cut short. */
const isCut = (calendar: Calendar | undefined, wallDay: number): boolean =>
  calendar?.cuts === true && calendar.except.some(({ from, to }) => from <= wallDay + 2 && to >= wallDay);

function add({ some, whole }: Minutes, part: Minutes, index: number): void {
  const base = index * wordsPerDay;
  for (let i = 0; i < wordsPerDay; i++) some[base + i] = (some[base + i] ?? 0) | (part.some[i] ?? 0);
  if (some === whole) return;
  for (let i = 0; i < wordsPerDay; i++) whole[base + i] = (whole[base + i] ?? 0) | (part.whole[i] ?? 0);
}

function layOut(schedule: CompiledSchedule, begin: Instant, offset: number): EvenDay {
  const shown = (((begin + offset) % day) + day) % day;
  const begun = shown / minute;
  return { offset, earlier: dayPart(schedule, -begun), later: dayPart(schedule, minutesPerDay - begun) };
}

/** The wall-clock day that begins `shift` minutes after the UTC day does. */
function dayPart({ cron: { pattern }, duration }: CompiledSchedule, shift: number): DayPart {
  const hits: MinuteSet = new Int32Array(wordsPerDay);
  addTimes(hits, pattern, shift);
  const lastHit = lastMinute(hits);
  const isWhole = duration % minute === 0;
  const some = lengthened(hits, Math.ceil(duration / minute));
  return { some, whole: isWhole ? some : lengthened(hits, Math.floor(duration / minute)), lastHit };
}

function lengthened(hits: MinuteSet, length: number): MinuteSet {
  const openings = length < 1 ? new Int32Array(wordsPerDay) : hits.slice();
  lengthen(openings, Math.min(length, minutesPerDay));
  return openings;
}

/** Adds a day with a clock change, hit by hit (B3). Returns the end of its last opening, undefined if there is none. */
function addHits(
  minutes: Minutes,
  schedule: CompiledSchedule,
  { block, begin }: { readonly block: number; readonly begin: Instant },
): Instant | undefined | 'not on a whole minute' {
  const { cron } = schedule;
  let end: Instant | undefined;
  for (let hit = cron.next(asInstant(begin - 1)); hit !== undefined && hit < begin + day; hit = cron.next(hit)) {
    if (hit % minute !== 0) return 'not on a whole minute';
    end = endOf(schedule, hit);
    addOpening(minutes, block, { from: hit, to: Math.min(end, begin + day) });
  }
  return end;
}
