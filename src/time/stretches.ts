// When do the clocks of a zone change? Asked of Intl, the only place where the rules are written, by sampling and bisection.
import {
  after,
  asDuration,
  asInstant,
  before,
  type Duration,
  day,
  hour,
  type Instant,
  minute,
  second,
} from './instant.ts';

/** A stretch of time during which wall-clock time = instant + offset. */
export interface Stretch {
  readonly start: Instant;
  /** Exclusive. */
  readonly end: Instant;
  readonly offset: Duration;
  /** What the clock is changed by at `start`: above 0 it skips so much, below 0 it shows it again, 0 = it is not changed. */
  readonly jump: Duration;
  /** Until then the clock shows what it has shown before; `start` or earlier if it does not. */
  readonly repeatedUntil: Instant;
}

export type OffsetAt = (at: Instant) => Duration;

/** Two changes have never been less than seven days apart (Recife in 2000), nor are they planned to be (Gaza in 2040). */
const sampling = asDuration(4 * day);

const written = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Asks Intl for offsets of a zone; undefined if Intl does not know it. */
export function askIntl(zone: string): { readonly name: string; readonly offsetAt: OffsetAt } | undefined {
  const format = openFormat(zone);
  if (!format) return undefined;
  return {
    name: format.resolvedOptions().timeZone,
    offsetAt: (at) => {
      const [, sign, hours = 0, minutes = 0, seconds = 0] = written.exec(format.format(at)) ?? [];
      const size = Number(hours) * hour + Number(minutes) * minute + Number(seconds) * second;
      return asDuration(sign === '-' ? -size : size);
    },
  };
}

function openFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, hour: 'numeric', timeZoneName: 'longOffset' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The stretches between two instants; the first and the last are cut off there. */
export function readStretches(offsetAt: OffsetAt, from: Instant, to: Instant): Stretch[] {
  const stretches: Stretch[] = [];
  // What the clock shows at first may be a repetition of what it showed up to a day earlier.
  let start = before(from, sampling);
  let offset = offsetAt(start);
  let jump = asDuration(0);
  const endAt = (end: Instant): void => {
    const repeatedUntil = before(start, asDuration(Math.min(jump, 0)));
    if (start >= from) stretches.push({ start, end, offset, jump, repeatedUntil });
    else if (end > from) stretches.push({ start: from, end, offset, jump: asDuration(0), repeatedUntil });
  };
  for (let sample = start; sample < to; sample = after(sample, sampling)) {
    const next = asInstant(Math.min(sample + sampling, to - second));
    const later = offsetAt(next);
    if (later === offset) continue;
    const change = firstInstantWith(later, offsetAt, sample, next);
    endAt(change);
    jump = asDuration(later - offset);
    start = change;
    offset = later;
  }
  endAt(to);
  return stretches;
}

/** Clocks change on whole seconds. */
function firstInstantWith(offset: Duration, offsetAt: OffsetAt, early: Instant, late: Instant): Instant {
  let [low, high] = [early, late];
  while (high - low > second) {
    const middle = asInstant(Math.floor((low + high) / 2 / second) * second);
    if (offsetAt(middle) === offset) high = middle;
    else low = middle;
  }
  return high;
}
