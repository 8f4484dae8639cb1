// How many requests may be sent? So many at once, then so many a second: a server is not to be flooded by one client.
import type { Clock } from '../runtime/clock.ts';
import { asDuration, asInstant, between, type Instant, second } from '../time/instant.ts';

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

export class TokenBucket {
  readonly #clock: Clock;
  readonly #rate: Rate;
  /** When the bucket would be full again: every request moves it on by its share of a second. */
  #fullAt: Instant;

  constructor(clock: Clock, rate: Rate) {
    this.#clock = clock;
    this.#rate = rate;
    this.#fullAt = clock.now;
  }

  /** Returns when one more may be sent, in the order in which they asked. */
  async take(): Promise<void> {
    const { perSecond, burst } = this.#rate;
    const { now } = this.#clock;
    const share = second / perSecond;
    this.#fullAt = asInstant(Math.max(this.#fullAt, now) + share);
    const wait = between(now, this.#fullAt) - burst * share;
    if (wait > 0) await new Promise<void>((go) => this.#clock.in(asDuration(Math.ceil(wait)), go));
  }
}
