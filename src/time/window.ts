// Windows: sets of instants, with the changes before and after any instant.
import { asDuration, day, formatInstant, type Instant, minute } from './instant.ts';
import { addOpening, allMinutes, emptySet, type Minutes, noMinutes } from './minutes.ts';

export interface Window {
  /** As it is written, e.g. `0 9 * * mon-fri for 8h (Europe/Berlin)`. */
  readonly text: string;
  isOpen(at: Instant): boolean;
  /**
   * The first instant after `at` at which isOpen changes; undefined = never, or not within the search range of at least 400 days.
   * `staysForEver` tells the two apart.
   */
  nextChange(at: Instant): Instant | undefined;
  /** The last instant up to `at` at which isOpen changed; undefined = never. */
  lastChange(at: Instant): Instant | undefined;
  /** The minutes of a block of days in which it is open; undefined if they cannot be computed. */
  minutes?(block: number): Minutes | undefined;
  /** The window that it negates. */
  readonly opposite?: Window;
  /** Whether it never changes after `at`. Called only if nextChange returns undefined; without this method the answer is yes. */
  isEndless?(at: Instant): boolean;
}

/** An opening of a window, end exclusive. No start or end = unbounded. */
export interface Opening {
  readonly from?: Instant;
  readonly to?: Instant;
}

/** Changes beyond this are not searched for: nodes, clusters and zone rules are younger. */
export const horizon = asDuration(30 * 366 * day);

export const always: Window = {
  text: 'always',
  isOpen: () => true,
  nextChange: () => undefined,
  lastChange: () => undefined,
  minutes: () => allMinutes,
};

export const never: Window = { ...always, text: 'never', isOpen: () => false, minutes: () => noMinutes };

/** Open from `notBefore` until just before `notAfter`; both are optional (D4). */
export function lifetime(notBefore: Instant | undefined, notAfter: Instant | undefined): Window {
  if (notBefore === undefined && notAfter === undefined) return always;
  if (notBefore !== undefined && notAfter !== undefined && notAfter <= notBefore) return never;
  const changes = [notBefore, notAfter].filter((change) => change !== undefined);
  const begin = notBefore === undefined ? '' : `from ${formatInstant(notBefore)}`;
  const end = notAfter === undefined ? '' : `until ${formatInstant(notAfter)}`;
  return {
    text: `${begin} ${end}`.trim(),
    isOpen: (at) => (notBefore === undefined || at >= notBefore) && (notAfter === undefined || at < notAfter),
    nextChange: (at) => changes.find((change) => change > at),
    lastChange: (at) => changes.findLast((change) => change <= at),
    minutes: (block) => {
      const some = emptySet();
      const minutes: Minutes = { some, whole: changes.every((change) => change % minute === 0) ? some : emptySet() };
      addOpening(minutes, block, { from: notBefore ?? -Infinity, to: notAfter ?? Infinity });
      return minutes;
    },
  };
}

/** Whether it certainly never changes after `at`; false if it might change after more than 400 days. */
export const staysForEver = (window: Window, at: Instant): boolean =>
  window.nextChange(at) === undefined && (window.isEndless?.(at) ?? true);

/** When it opens: `at` if it is open, undefined if it never does. */
export function opensAt(window: Window, at: Instant): Instant | undefined {
  return window.isOpen(at) ? at : window.nextChange(at);
}

/** When it closes: `at` if it is closed, undefined if it never does. */
export function closesAt(window: Window, at: Instant): Instant | undefined {
  return window.isOpen(at) ? window.nextChange(at) : at;
}

/** All openings that end after `from`; the one that is open at `from` has its real start. */
export function* openings(window: Window, from: Instant): Generator<Opening, void> {
  let at = opensAt(window, from);
  while (at !== undefined) {
    const start = window.lastChange(at);
    const end = window.nextChange(at);
    yield { ...(start !== undefined && { from: start }), ...(end !== undefined && { to: end }) };
    at = end === undefined ? undefined : window.nextChange(end);
  }
}
