// What does the machine give? Time and chance: the only place of the loop where they are real.
import { randomInt } from 'node:crypto';
import type { Clock, Timer } from '../runtime/clock.ts';
import { asInstant, type Duration } from '../time/instant.ts';

/** Node calls at once what should come later than this. Whoever waits longer is woken once in between. */
const longestTimeout = 2 ** 31 - 1;

function callIn(delay: Duration, run: () => void): Timer {
  const timeout = setTimeout(run, Math.min(delay, longestTimeout));
  return { cancel: () => clearTimeout(timeout) };
}

/** As people read it: schedules are kept by it. It can be set, forwards and back. */
export const wallClock: Clock = {
  get now() {
    return asInstant(Date.now());
  },
  in: callIn,
};

/** Never goes back, whatever is done to the machine's clock: how long a lease was held is counted by it. */
export const steadyClock: Clock = {
  get now() {
    return asInstant(Math.floor(performance.timeOrigin + performance.now()));
  },
  in: callIn,
};

/** From 0 up to but not including 1. */
export const chance = (): number => randomInt(2 ** 32) / 2 ** 32;
