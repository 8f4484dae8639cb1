// The clock that a loop runs by: the current instant, and a call after a delay. Real, or virtual in the simulator.
import type { Duration, Instant } from '../time/instant.ts';

export interface Clock {
  readonly now: Instant;
  /** Calls `run` once, after this delay. */
  in(delay: Duration, run: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}
