// How many requests are on their way at once: as many as the server lets through, fewer for a while where it says 429.
import type { Clock } from '../runtime/clock.ts';
import { after, asDuration, between, type Instant } from '../time/instant.ts';
import type { Reply } from './response.ts';
import { messageOf } from './status.ts';
import { type Rate, TokenBucket } from './tokenBucket.ts';

/** A server without priority and fairness protects itself by nothing: as much as a controller takes by custom. */
const usualRate: Rate = { perSecond: 20, burst: 40 };

/** In flight at the start, at least and at most. */
const first = 8;
const least = 1;
const most = 32;

/** Too many requests. An eviction that a PDB forbids is answered with the same code, and is about that pod alone. */
const isThrottled = (reply: Reply): boolean =>
  reply.kind === 'answer' && reply.code === 429 && !/disruption budget/i.test(messageOf(reply.body));

export class Flow {
  readonly #clock: Clock;
  readonly #bucket: TokenBucket;
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;
  #limit = first;
  /** The server asked to be left alone until then. */
  #notBefore: Instant;
  /** As it was answered last. */
  #isFair = false;

  constructor(clock: Clock, rate: Rate = usualRate) {
    this.#clock = clock;
    this.#bucket = new TokenBucket(clock, rate);
    this.#notBefore = clock.now;
  }

  /** Sends it when it may leave; in the order in which they asked. */
  async send(send: () => Promise<Reply>): Promise<Reply> {
    await this.#enter();
    try {
      const reply = await send();
      this.#learn(reply);
      return reply;
    } finally {
      this.#inFlight--;
      this.#next();
    }
  }

  async #enter(): Promise<void> {
    if (this.#inFlight >= this.#limit || this.#waiting.length > 0)
      await new Promise<void>((go) => this.#waiting.push(go));
    else this.#inFlight++;
    if (!this.#isFair) await this.#bucket.take();
    while (this.#clock.now < this.#notBefore) {
      const wait = between(this.#clock.now, this.#notBefore);
      await new Promise<void>((go) => this.#clock.in(asDuration(wait), go));
    }
  }

  /** A place is handed on, so that nobody who comes later takes it. */
  #next(): void {
    while (this.#inFlight < this.#limit) {
      const go = this.#waiting.shift();
      if (!go) return;
      this.#inFlight++;
      go();
    }
  }

  /** One more after each answer, half as many after each 429. */
  #learn(reply: Reply): void {
    if (reply.kind === 'silence') return;
    this.#isFair = reply.isFair === true;
    if (isThrottled(reply)) {
      this.#limit = Math.max(least, Math.floor(this.#limit / 2));
      this.#notBefore = after(this.#clock.now, reply.retryAfter ?? asDuration(0));
    } else this.#limit = Math.min(most, this.#limit + 1);
  }
}
