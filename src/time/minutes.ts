// Sets of the minutes at which a window is open, 32 days at a time. Combinations of many windows are computed by merging these, at a
// cost that does not depend on how often they open and close.
import { addRange, type MinuteSet } from './bits.ts';
import { asDuration, asInstant, type Duration, day, type Instant, minute } from './instant.ts';

export const daysPerBlock = 32;
const blockLength: Duration = asDuration(daysPerBlock * day);
export const minutesPerBlock = blockLength / minute;
export const wordsPerBlock = minutesPerBlock / 32;

/** The minutes of a block in which a window is open. */
export interface Minutes {
  /** Open for at least part of the minute. May contain minutes in which the window does not open: check with the window. */
  readonly some: MinuteSet;
  /** Open throughout the minute. The same object as `some` if nothing begins or ends within a minute. */
  readonly whole: MinuteSet;
}

export const blockOf = (at: Instant): number => Math.floor(at / blockLength);
export const startOfBlock = (block: number): Instant => asInstant(block * blockLength);
/** The index of the minute of an instant within its block. */
export const minuteOf = (at: Instant): number => Math.floor((at - startOfBlock(blockOf(at))) / minute);
export const instantOf = (block: number, index: number): Instant => asInstant(startOfBlock(block) + index * minute);

export const emptySet = (): MinuteSet => new Int32Array(wordsPerBlock);

const noMinute: MinuteSet = emptySet();
const everyMinute: MinuteSet = emptySet().fill(-1);
export const noMinutes: Minutes = { some: noMinute, whole: noMinute };
export const allMinutes: Minutes = { some: everyMinute, whole: everyMinute };

/** How far searches look ahead from the beginning of a UTC day: at least 400 days from any instant of it (E12). */
export const lookahead: Duration = asDuration(401 * day);
export const startOfDay = (at: Instant): Instant => asInstant(Math.floor(at / day) * day);

/** Adds the part of an opening that lies in the block. */
export function addOpening(
  { some, whole }: Minutes,
  block: number,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  const start = startOfBlock(block);
  const begin = Math.max(0, (from - start) / minute);
  const end = Math.min(minutesPerBlock, (to - start) / minute);
  if (end <= begin) return;
  addRange(whole, Math.ceil(begin), Math.floor(end));
  if (some !== whole) addRange(some, Math.floor(begin), Math.ceil(end));
}
