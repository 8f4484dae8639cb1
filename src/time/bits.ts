// Which members has a set of small numbers? Sets as the bits of one 32-bit integer: bit n is set when n is in it.

/** The least member of a set that has one. */
export const lowest = (bits: number): number => 31 - Math.clz32(bits & -bits);
/** The greatest member of a set that has one. */
export const highest = (bits: number): number => 31 - Math.clz32(bits);
/** The members that are not below `least`, which is at most 31. */
export const atLeast = (bits: number, least: number): number => bits & (-1 << least);
/** The members that are below `limit`, which is at most 31. */
export const below = (bits: number, limit: number): number => bits & ((1 << limit) - 1);

/** The set of those values, counted from `base`, that fit. */
export function bitsOf(values: Iterable<number>, base: number): number {
  let bits = 0;
  for (const value of values) if (value >= base && value < base + 32) bits |= 1 << (value - base);
  return bits;
}
