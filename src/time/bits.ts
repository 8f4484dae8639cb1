// Sets of small numbers as the bits of one 32-bit integer, and sets of minutes as words of 32 bits.

// Bit n of an integer is set when n is in the set.

/** The least member of a set that is not empty. */
export const lowest = (bits: number): number => 31 - Math.clz32(bits & -bits);
/** The greatest member of a set that is not empty. */
export const highest = (bits: number): number => 31 - Math.clz32(bits);
/** The members that are not below `least`, which is at most 31. */
export const atLeast = (bits: number, least: number): number => bits & (-1 << least);
/** The members that are below `limit`, which is at most 31. */
export const below = (bits: number, limit: number): number => bits & ((1 << limit) - 1);

/** The set of the values minus `base`, without those that do not fit. */
export function bitsOf(values: Iterable<number>, base: number): number {
  let bits = 0;
  for (const value of values) if (value >= base && value < base + 32) bits |= 1 << (value - base);
  return bits;
}

// Sets of minutes: filling, shifting and merging whole ranges at a time.

/** Bit n of word i is minute 32 i + n. */
export type MinuteSet = Int32Array;

/** Adds the minutes from `from` until just before `to`. */
export function addRange(set: MinuteSet, from: number, to: number): void {
  if (to <= from) return;
  const [first, last] = [from >> 5, (to - 1) >> 5];
  const head = -1 << (from & 31);
  const tail = -1 >>> (31 - ((to - 1) & 31));
  if (first === last) {
    set[first] = (set[first] ?? 0) | (head & tail);
    return;
  }
  set[first] = (set[first] ?? 0) | head;
  set.fill(-1, first + 1, last);
  set[last] = (set[last] ?? 0) | tail;
}

/** Adds the minutes `from` + n for each bit n; minutes outside the set are ignored. */
export function addBits(set: MinuteSet, bits: number, from: number): void {
  const [index, shift] = [from >> 5, from & 31];
  if (index >= 0 && index < set.length) set[index] = (set[index] ?? 0) | (bits << shift);
  if (shift > 0 && index + 1 >= 0 && index + 1 < set.length)
    set[index + 1] = (set[index + 1] ?? 0) | (bits >>> (32 - shift));
}

/** Adds to each minute of the set the `length - 1` minutes after it, as far as the set reaches. */
export function lengthen(set: MinuteSet, length: number): void {
  for (let span = 1; span < length; ) {
    const shift = Math.min(span, length - span);
    const [words, bits] = [shift >> 5, shift & 31];
    for (let i = set.length - 1; i >= words; i--) {
      const near = (set[i - words] ?? 0) << bits;
      const far = bits === 0 || i - words === 0 ? 0 : (set[i - words - 1] ?? 0) >>> (32 - bits);
      set[i] = (set[i] ?? 0) | near | far;
    }
    span += shift;
  }
}

/** Keeps a minute only if the `more` minutes after it are in the set as well; minutes beyond the end are not. */
export function shorten(set: MinuteSet, more: number): void {
  for (let span = 1; span <= more; ) {
    const shift = Math.min(span, more + 1 - span);
    const [words, bits] = [shift >> 5, shift & 31];
    for (let i = 0; i < set.length; i++) {
      const near = (set[i + words] ?? 0) >>> bits;
      const far = bits === 0 ? 0 : (set[i + words + 1] ?? 0) << (32 - bits);
      set[i] = (set[i] ?? 0) & (near | far);
    }
    span += shift;
  }
}

/** The first minute of the set from `from` on; −1 if there is none. */
export function minuteAtOrAfter(set: MinuteSet, from: number): number {
  let index = from >> 5;
  let word = (set[index] ?? 0) & (-1 << (from & 31));
  while (word === 0 && ++index < set.length) word = set[index] ?? 0;
  return word === 0 ? -1 : index * 32 + lowest(word);
}

/** The first minute from `from` on that is not in the set; −1 if there is none. */
export function gapAtOrAfter(set: MinuteSet, from: number): number {
  let index = from >> 5;
  if (index >= set.length) return -1;
  let word = ~(set[index] ?? 0) & (-1 << (from & 31));
  while (word === 0 && ++index < set.length) word = ~(set[index] ?? 0);
  return word === 0 ? -1 : index * 32 + lowest(word);
}

/** The last minute up to `until` that is not in the set; −1 if there is none. */
export function gapAtOrBefore(set: MinuteSet, until: number): number {
  let index = until >> 5;
  let word = ~(set[index] ?? 0) & (-1 >>> (31 - (until & 31)));
  while (word === 0 && --index >= 0) word = ~(set[index] ?? 0);
  return word === 0 ? -1 : index * 32 + highest(word);
}

/** The last minute of the set; −1 if it is empty. */
export function lastMinute(set: MinuteSet): number {
  let index = set.length - 1;
  while (index >= 0 && set[index] === 0) index--;
  return index < 0 ? -1 : index * 32 + highest(set[index] ?? 0);
}
