// Was that asked before? Most questions are about one and the same stretch of time, so a window keeps its last answers.
import { after, type Duration, day, type Instant } from './instant.ts';
import { startOfDay } from './minutes.ts';
import type { Window } from './window.ts';
import { minutesOf } from './windowMinutes.ts';

/** "It never changes" may mean "not as far as was looked", which depends on the UTC day: for that day it is believed. */
const trust: Duration = day;

export function remembered(window: Window): Window {
  // From `from` until just before `to` it is known to be the same; at first there is no such instant.
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

/** Made when it is first asked: many are read that nobody asks. */
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
