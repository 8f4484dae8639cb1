// Is it open, since when and until when? A window is a set of instants that can be asked forwards and backwards.
import { asDuration, day, formatInstant, type Instant, minute } from './instant.ts';
import { addOpening, allMinutes, emptySet, type Minutes, noMinutes } from './minutes.ts';

export interface Window {
  /** As a person would say it, e.g. `0 9 * * mon-fri for 8h (Europe/Berlin)`. */
  readonly text: string;
  isOpen(at: Instant): boolean;
  /**
   * The first instant after `at` at which isOpen becomes other than it is at `at`; undefined = it stays so for ever, or for longer
   * than is looked for, which is 400 days at least. Where that difference is told, ask `staysForEver`.
   */
  nextChange(at: Instant): Instant | undefined;
  /** The last instant not after `at` at which isOpen became what it is at `at`; undefined = it has always been so. */
  lastChange(at: Instant): Instant | undefined;
  /** The minutes of a block of days in which it is open; undefined where that cannot be worked out. */
  minutes?(block: number): Minutes | undefined;
  /** The window of which it is the opposite. */
  readonly opposite?: Window;
  /** Whether nothing after `at` changes it: asked only where nextChange knows of no change. Without it, that is so. */
  isEndless?(at: Instant): boolean;
}

/** A stretch during which a window is open: start in, end out. No start or end = it has none. */
export interface Opening {
  readonly from?: Instant;
  readonly to?: Instant;
}

/** A change further away than this is not looked for: nodes, clusters and zone rules are younger. */
export const horizon = asDuration(30 * 366 * day);

export const always: Window = {
  text: 'always',
  isOpen: () => true,
  nextChange: () => undefined,
  lastChange: () => undefined,
  minutes: () => allMinutes,
};

export const never: Window = { ...always, text: 'never', isOpen: () => false, minutes: () => noMinutes };

/** Open from `notBefore` on until just before `notAfter`; either may be left out (D4). */
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

/** Whether it is certain that it stays as it is at `at`; false where it might change after more than 400 days. */
export const staysForEver = (window: Window, at: Instant): boolean =>
  window.nextChange(at) === undefined && (window.isEndless?.(at) ?? true);

/** When it opens: at once if it is open, undefined if it never does. */
export function opensAt(window: Window, at: Instant): Instant | undefined {
  return window.isOpen(at) ? at : window.nextChange(at);
}

/** When it closes: at once if it is closed, undefined if it never does. */
export function closesAt(window: Window, at: Instant): Instant | undefined {
  return window.isOpen(at) ? window.nextChange(at) : at;
}

/** All openings that end after `from`; one that is open at `from` has its true start. */
export function* openings(window: Window, from: Instant): Generator<Opening, void> {
  let at = opensAt(window, from);
  while (at !== undefined) {
    const start = window.lastChange(at);
    const end = window.nextChange(at);
    yield { ...(start !== undefined && { from: start }), ...(end !== undefined && { to: end }) };
    at = end === undefined ? undefined : window.nextChange(end);
  }
}
