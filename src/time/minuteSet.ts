// Sets of minutes as words of 32 bits: filling, shifting and merging whole ranges at a time.
import { highest, lowest } from './bits.ts';

/** Bit n of word i is minute 32 i + n. */
export type MinuteSet = Int32Array;

/** Adds the minutes from `from` until just before `to`. */
export function addRange(set: MinuteSet, from: number, to: number): void {
  if (to <= from) return;
  const [first, last] = [from >> 5, (to - 1) >> 5];
  const head = -1 << (from & 31);
  const tail = -1 >>> (31 - ((to - 1) & 31));
  if (first === last) {
    set[first] = (set[first] as number) | (head & tail);
    return;
  }
  set[first] = (set[first] as number) | head;
  set.fill(-1, first + 1, last);
  set[last] = (set[last] as number) | tail;
}

/** Adds 32 minutes at once, those of the bits, counted from `from`; what falls out of the set is left out. */
export function addBits(set: MinuteSet, bits: number, from: number): void {
  const [index, shift] = [from >> 5, from & 31];
  if (index >= 0 && index < set.length) set[index] = (set[index] as number) | (bits << shift);
  if (shift > 0 && index + 1 >= 0 && index + 1 < set.length)
    set[index + 1] = (set[index + 1] as number) | (bits >>> (32 - shift));
}

/** Adds to each minute of the set the `length - 1` minutes after it, as far as the set reaches. */
export function lengthen(set: MinuteSet, length: number): void {
  for (let span = 1; span < length; ) {
    const shift = Math.min(span, length - span);
    const [words, bits] = [shift >> 5, shift & 31];
    for (let i = set.length - 1; i >= words; i--) {
      const near = (set[i - words] as number) << bits;
      const far = bits === 0 || i - words === 0 ? 0 : (set[i - words - 1] as number) >>> (32 - bits);
      set[i] = (set[i] as number) | near | far;
    }
    span += shift;
  }
}

/** Keeps a minute only where the `more` minutes after it are in the set as well. Beyond its end nothing is. */
export function shorten(set: MinuteSet, more: number): void {
  for (let span = 1; span <= more; ) {
    const shift = Math.min(span, more + 1 - span);
    const [words, bits] = [shift >> 5, shift & 31];
    for (let i = 0; i < set.length; i++) {
      const near = (set[i + words] ?? 0) >>> bits;
      const far = bits === 0 ? 0 : (set[i + words + 1] ?? 0) << (32 - bits);
      set[i] = (set[i] as number) & (near | far);
    }
    span += shift;
  }
}

/** The first minute of the set from `from` on; −1 if there is none. */
export function minuteAtOrAfter(set: MinuteSet, from: number): number {
  let index = from >> 5;
  let word = (set[index] ?? 0) & (-1 << (from & 31));
  while (word === 0 && ++index < set.length) word = set[index] as number;
  return word === 0 ? -1 : index * 32 + lowest(word);
}

/** The first minute from `from` on that is not in the set; −1 if there is none. */
export function gapAtOrAfter(set: MinuteSet, from: number): number {
  let index = from >> 5;
  if (index >= set.length) return -1;
  let word = ~(set[index] as number) & (-1 << (from & 31));
  while (word === 0 && ++index < set.length) word = ~(set[index] as number);
  return word === 0 ? -1 : index * 32 + lowest(word);
}

/** The last minute up to `until` that is not in the set; −1 if there is none. */
export function gapAtOrBefore(set: MinuteSet, until: number): number {
  let index = until >> 5;
  let word = ~(set[index] as number) & (-1 >>> (31 - (until & 31)));
  while (word === 0 && --index >= 0) word = ~(set[index] as number);
  return word === 0 ? -1 : index * 32 + highest(word);
}

/** The last minute of the set; −1 if it is empty. */
export function lastMinute(set: MinuteSet): number {
  let index = set.length - 1;
  while (index >= 0 && set[index] === 0) index--;
  return index < 0 ? -1 : index * 32 + highest(set[index] as number);
}
