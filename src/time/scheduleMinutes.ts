// The minutes at which schedules are open, for a block of days: each schedule's day is laid out once and added to every day it fires on.
import { asInstant, day, type Instant, minute } from './instant.ts';
import { matchesFrom } from './matchingDays.ts';
import { addTimes } from './matchingTimes.ts';
import { lastMinute, lengthen, type MinuteSet } from './minuteSet.ts';
import { addOpening, daysPerBlock, emptySet, type Minutes, startOfBlock } from './minutes.ts';
import { type CompiledSchedule, endOf, endOfLast } from './schedule.ts';
import type { Stretch } from './stretches.ts';

const minutesPerDay = day / minute;
const wordsPerDay = minutesPerDay / 32;

/** Undefined where the clocks of a zone were not set to whole minutes. */
export function scheduleMinutes(schedules: readonly CompiledSchedule[], block: number): Minutes | undefined {
  const some = emptySet();
  const minutes = { some, whole: schedules.every(({ duration }) => duration % minute === 0) ? some : emptySet() };
  for (const schedule of schedules) if (!addSchedule(minutes, schedule, block)) return undefined;
  return minutes;
}

/** What the hits of one day of the wall clock open within one UTC day. */
interface DayPart extends Minutes {
  /** The last of them, as a minute of the UTC day; −1 if there is none. */
  readonly lastHit: number;
}

/** A UTC day while the wall clock runs evenly: it shows the end of one day and the beginning of the next. */
interface EvenDay {
  readonly offset: number;
  readonly earlier: DayPart;
  readonly later: DayPart;
}

function addSchedule(minutes: Minutes, schedule: CompiledSchedule, block: number): boolean {
  const { zone, pattern } = schedule.cron;
  const start = startOfBlock(block);
  // The last hit of a schedule is the one whose opening ends last.
  let end: Instant = endOfLast(schedule, asInstant(start - 1));
  // No clock is more than a day from UTC.
  const firstDay = start / day - 1;
  const matches = matchesFrom(pattern.days, firstDay, daysPerBlock + 3);
  let even: EvenDay | undefined;
  for (let index = 0; index < daysPerBlock; index++) {
    const begin = asInstant(start + index * day);
    const stretch = zone.stretchAt(begin);
    const { offset } = stretch;
    if (offset % minute !== 0) return false;
    addOpening(minutes, block, { from: begin, to: Math.min(end, begin + day) });
    if (!isEven(stretch, begin)) {
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

/** Whether the clock is not changed on that UTC day, and shows nothing that it has shown before. */
const isEven = ({ start, end, jump, repeatedUntil }: Stretch, begin: Instant): boolean =>
  end >= begin + day && repeatedUntil <= begin && (start < begin || jump === 0);

function add({ some, whole }: Minutes, part: Minutes, index: number): void {
  const base = index * wordsPerDay;
  for (let i = 0; i < wordsPerDay; i++) some[base + i] = (some[base + i] as number) | (part.some[i] as number);
  if (some === whole) return;
  for (let i = 0; i < wordsPerDay; i++) whole[base + i] = (whole[base + i] as number) | (part.whole[i] as number);
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

/** A day on which the clock is changed, hit by hit (B3). The end of its last opening, undefined if there is none. */
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
