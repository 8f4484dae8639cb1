// When are several windows open together (E12)? Not by the edges of their intersection, which may be years of nothing:
// by jumping to the last of their next openings until none of them moves it further.
import { after, asDuration, type Duration, day, type Instant } from './instant.ts';
import { opensAt, type Window } from './window.ts';

/** Windows that have not met in a year are said never to meet. */
const patience: Duration = asDuration(400 * day);
/** A window that opens every minute against one that opens once a year still ends, and so do hundreds of them. */
const mostAsked = 40_000;

/** The first instant from `at` on at which all are open; undefined = never, as far as one can see. */
export function agreeAt(windows: readonly Window[], at: Instant): Instant | undefined {
  const end = after(at, patience);
  let together = at;
  for (let asked = 0; asked < mostAsked && together <= end; asked += windows.length) {
    let latest: Instant | undefined = together;
    for (const window of windows) {
      latest = opensAt(window, latest);
      if (latest === undefined) return undefined;
    }
    if (latest === together) return together;
    together = latest;
  }
  return undefined;
}
