// The threshold for late rounds, and how their duration is formatted.
import { formatDuration } from '../time/duration.ts';
import { asDuration, type Duration, second } from '../time/instant.ts';

/** A round that takes at least this long is late: as long as a lease can go without renewal. */
export const lateAfter = asDuration(10 * second);

export const formatRoughly = (length: Duration): string =>
  formatDuration(asDuration(Math.max(1, Math.round(length / second)) * second));
