// The machine's time and randomness: the only place where the loop's are real.
import { randomInt } from 'node:crypto';
import type { Clock, Timer } from '../runtime/clock.ts';
import { asInstant, type Duration } from '../time/instant.ts';

/** Node fires longer timeouts at once. A longer wait is interrupted once. */
const longestTimeout = 2 ** 31 - 1;

function callIn(delay: Duration, run: () => void): Timer {
  const timeout = setTimeout(run, Math.min(delay, longestTimeout));
  return { cancel: () => clearTimeout(timeout) };
}

/** The time that people and schedules use. It can be set, forwards and back. */
export const wallClock: Clock = {
  get now() {
    return asInstant(Date.now());
  },
  in: callIn,
};

/** Monotonic, whatever happens to the wall clock: for the duration of leases. */
export const steadyClock: Clock = {
  get now() {
    return asInstant(Math.floor(performance.timeOrigin + performance.now()));
  },
  in: callIn,
};

/** From 0 up to but not including 1. */
export const chance = (): number => randomInt(2 ** 32) / 2 ** 32;
