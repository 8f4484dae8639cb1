// F4: how long does a pool wait whose replacements keep failing? A minute, doubled each time, up to ten.
import type { Backoff } from '../../cluster/ledger.ts';
import type { Settings } from '../../cluster/settings.ts';
import { after, asDuration, type Duration, type Instant, minute } from '../../time/instant.ts';
import type { Situation } from '../situation.ts';

const firstDelay = minute;
const longestDelay = asDuration(10 * minute);

const quiet = asDuration(10 * minute);

export interface Trials {
  readonly failed: ReadonlySet<string>;
  readonly arrived: ReadonlySet<string>;
}

/** Ten minutes without a failure, after the time in which another try would have shown one. */
export const forgottenAt = ({ until }: Backoff, { replacementTimeout }: Settings): Instant =>
  after(until, asDuration(replacementTimeout + quiet));

/** The same list where nothing changes. */
export function nextBackoffs({ ledger, now, settings }: Situation, { failed, arrived }: Trials): readonly Backoff[] {
  const known = ledger.backoffs;
  const kept = known.filter((it) => !failed.has(it.pool) && !arrived.has(it.pool) && now < forgottenAt(it, settings));
  if (kept.length === known.length && failed.size === 0) return known;
  const lastOf = (pool: string): Backoff | undefined =>
    known.find((it) => it.pool === pool && now < forgottenAt(it, settings));
  return [...kept, ...[...failed].sort().map((pool) => failedAgain(pool, lastOf(pool), now))];
}

function failedAgain(pool: string, last: Backoff | undefined, now: Instant): Backoff {
  const delay = nextDelay(last, now);
  return { pool, delay, until: after(now, delay) };
}

/** What fails while the pool waits was begun before that: it is the same failure, not one more. */
function nextDelay(last: Backoff | undefined, now: Instant): Duration {
  if (!last) return firstDelay;
  return now < last.until ? last.delay : asDuration(Math.min(2 * last.delay, longestDelay));
}
