// How long the main thread has shown no sign of life.
import type { Clock } from '../runtime/clock.ts';
import { asDuration, between, type Duration, type Instant, second } from '../time/instant.ts';

/** A gap between two looks that is longer is not counted: the whole process was stopped, or had no CPU. */
const longestGap = asDuration(2 * second);

export class Silence {
  readonly #beats: () => bigint;
  readonly #clock: Pick<Clock, 'now'>;
  #heard: bigint;
  #lookedAt: Instant;
  #length = 0;

  constructor(beats: () => bigint, clock: Pick<Clock, 'now'>) {
    this.#beats = beats;
    this.#clock = clock;
    this.#heard = beats();
    this.#lookedAt = clock.now;
  }

  /** To be called about once a second. */
  look(): Duration {
    const { now } = this.#clock;
    const gap = Math.min(between(this.#lookedAt, now), longestGap);
    const beats = this.#beats();
    this.#length = beats === this.#heard ? this.#length + gap : 0;
    this.#heard = beats;
    this.#lookedAt = now;
    return this.length;
  }

  /** As of the last look. */
  get length(): Duration {
    return asDuration(this.#length);
  }
}
