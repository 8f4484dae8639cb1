// What does the loop know of time? What is now, and a call later. Virtual or real: whoever starts the loop brings one.
import type { Duration, Instant } from '../time/instant.ts';

export interface Clock {
  readonly now: Instant;
  /** Once, after this long. */
  in(delay: Duration, run: () => void): Timer;
}

export interface Timer {
  cancel(): void;
}
