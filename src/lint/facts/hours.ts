// How long is a window open or closed at a stretch, and do several ever open together?
import { after, asDuration, type Duration, day, type Instant } from '../../time/instant.ts';
import { firstMeeting } from '../../time/meet.ts';
import type { Window } from '../../time/window.ts';

/** Weekly, monthly and yearly windows all show themselves in it. */
const year = asDuration(366 * day);
/** What changes more often is looked at for less than a year. */
const mostChanges = 4000;

/** A stretch between two changes. No end = it stays so. */
interface Stretch {
  readonly open: boolean;
  readonly from: Instant;
  readonly to?: Instant;
}

/** From now on for a year; the first one begins now. */
function* stretches(window: Window, now: Instant): Generator<Stretch> {
  const end = after(now, year);
  let from: Instant | undefined = now;
  for (let changes = 0; from !== undefined && from < end && changes < mostChanges; changes++) {
    const to = window.nextChange(from);
    yield { open: window.isOpen(from), from, ...(to !== undefined && { to }) };
    from = to;
  }
}

const endless = asDuration(Infinity);

/** Many pools and pods hang on one window. */
interface Known {
  readonly now: Instant;
  readonly lengths: Map<boolean, Duration>;
}

const known = new WeakMap<Window, Known>();

function longest(window: Window, now: Instant, open: boolean): Duration {
  const last = known.get(window);
  const { lengths } = last?.now === now ? last : { lengths: new Map<boolean, Duration>() };
  known.set(window, { now, lengths });
  const length = lengths.get(open) ?? measure(window, now, open);
  lengths.set(open, length);
  return length;
}

function measure(window: Window, now: Instant, open: boolean): Duration {
  let most = 0;
  for (const stretch of stretches(window, now)) {
    if (stretch.open !== open) continue;
    if (stretch.to === undefined) return endless;
    // Whatever is so now has been so for a while.
    const since = stretch.from === now ? (window.lastChange(now) ?? now) : stretch.from;
    most = Math.max(most, stretch.to - since);
  }
  return asDuration(most);
}

/** Of all openings within a year; infinite where one of them does not end. */
export const longestOpening = (window: Window, now: Instant): Duration => longest(window, now, true);

/** Of all times between them; infinite where it does not open again. */
export const longestClosing = (window: Window, now: Instant): Duration => longest(window, now, false);

/** Whether all are open together at some instant within 400 days; true as well where that could not be worked out. */
export const everOpen = (windows: readonly Window[], now: Instant): boolean =>
  firstMeeting(
    windows.map((window) => ({ window })),
    now,
  ) !== 'never';
