// Caches for windows: most queries are about the same period of time, and about the minutes of a few blocks.

import { after, type Duration, day, type Instant } from './instant.ts';
import { keepNewest } from './keepNewest.ts';
import { addOpening, emptySet, type Minutes, startOfBlock, startOfDay } from './minutes.ts';
import type { Window } from './window.ts';

/** How long "never changes" is cached: it may mean "not within the lookahead", which depends on the UTC day. */
const trust: Duration = day;

export function remembered(window: Window): Window {
  // From `from` until just before `to` the state is known; at first that range is empty.
  let [from, to] = [Infinity, -Infinity];
  let open = false;
  let since: Instant | undefined | 'unasked';
  let until: Instant | undefined | 'unasked';
  const turnTo = (at: Instant): void => {
    if (at >= from && at < to) return;
    [from, to] = [at, at + 1];
    open = window.isOpen(at);
    since = until = 'unasked';
  };
  return {
    text: window.text,
    isOpen: (at) => {
      turnTo(at);
      return open;
    },
    nextChange: (at) => {
      turnTo(at);
      if (until !== 'unasked') return until;
      until = window.nextChange(at);
      to = until ?? after(startOfDay(at), trust);
      return until;
    },
    lastChange: (at) => {
      turnTo(at);
      if (since !== 'unasked') return since;
      since = window.lastChange(at);
      from = since ?? startOfDay(at);
      return since;
    },
    ...(window.minutes && { minutes: window.minutes }),
    ...(window.isEndless && { isEndless: window.isEndless }),
  };
}

/** A window that is compiled on first use, since many are read and never queried. */
export function lazily(text: string, make: () => Window): Window {
  let made: Window | undefined;
  const window = (): Window => (made ??= make());
  return {
    text,
    isOpen: (at) => window().isOpen(at),
    nextChange: (at) => window().nextChange(at),
    lastChange: (at) => window().lastChange(at),
    minutes: (block) => minutesOf(window(), block),
    isEndless: (at) => window().isEndless?.(at) ?? true,
  };
}

// The minutes of any window, cached for the most recent blocks.

const known = new Map<string, Minutes | undefined>();
/** About six kilobytes each. */
const blocksKept = 2000;

let ids = 0;
const idsOf = new WeakMap<Window, number>();

/** The same number for the same window. */
export function idOf(window: Window): number {
  const id = idsOf.get(window) ?? ids++;
  idsOf.set(window, id);
  return id;
}

/** Undefined if they cannot be computed: the offset of its zone was not a whole number of minutes then, as in places before 1972. */
export function minutesOf(window: Window, block: number): Minutes | undefined {
  const key = `${idOf(window)} ${block}`;
  if (known.has(key)) return known.get(key);
  return keepNewest(known, blocksKept, key, window.minutes ? window.minutes(block) : walkMinutes(window, block));
}

/** A window that opens and closes more often than this within a block is not evaluated opening by opening. */
const mostWalked = 5000;

function walkMinutes(window: Window, block: number): Minutes | undefined {
  const [start, end] = [startOfBlock(block), startOfBlock(block + 1)];
  const minutes: Minutes = { some: emptySet(), whole: emptySet() };
  let walked = 0;
  for (let at = start; at < end; ) {
    const next = window.nextChange(at) ?? end;
    if (window.isOpen(at)) addOpening(minutes, block, { from: at, to: next });
    at = next;
    if (++walked > mostWalked) return undefined;
  }
  return minutes;
}
