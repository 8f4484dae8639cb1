// Pauses, backoff and rate limits, so that requests do not flood a server.
import type { Clock } from '../runtime/clock.ts';
import { after, asDuration, asInstant, between, type Duration, type Instant, second } from '../time/instant.ts';
import { type ApiReply, messageOf } from './apiReply.ts';

/** Ends early when the signal aborts. */
export function pause(clock: Clock, delay: Duration, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const done = (): void => {
      timer.cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.in(delay, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}

const firstWait = asDuration(second / 2);
const longestWait = asDuration(30 * second);

/** The delay after this many failures in a row: 0.5 to 1.5 times the base delay, by `chance` from 0 to 1. */
export function backoff(failures: number, chance: number, retryAfter: Duration = asDuration(0)): Duration {
  const base = Math.min(firstWait * 2 ** Math.max(0, failures - 1), longestWait);
  const spread = Math.round(base * (0.5 + chance));
  // The server's Retry-After is the minimum; clients that got the same one must not all return at once.
  return asDuration(retryAfter > spread ? Math.round(retryAfter * (1 + chance / 4)) : spread);
}

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

export class TokenBucket {
  readonly #clock: Clock;
  readonly #rate: Rate;
  /** When the bucket will be full again: every request moves it by its share of a second. */
  #fullAt: Instant;

  constructor(clock: Clock, rate: Rate) {
    this.#clock = clock;
    this.#rate = rate;
    this.#fullAt = clock.now;
  }

  /** Returns when one more may be sent, in the order of the calls. */
  async take(): Promise<void> {
    const { perSecond, burst } = this.#rate;
    const { now } = this.#clock;
    const share = second / perSecond;
    this.#fullAt = asInstant(Math.max(this.#fullAt, now) + share);
    const wait = between(now, this.#fullAt) - burst * share;
    if (wait > 0) await pause(this.#clock, asDuration(Math.ceil(wait)));
  }
}

/** For a server without API priority and fairness, which does not protect itself: the usual rate of a controller. */
const usualRate: Rate = { perSecond: 20, burst: 40 };

/** Requests in flight: at the start, minimum and maximum. */
const firstLimit = 8;
const leastLimit = 1;
const mostLimit = 32;

/** Too many requests. An eviction that a PDB forbids has the same code, but concerns only that pod. */
const isThrottled = (reply: ApiReply): boolean =>
  reply.kind === 'answer' && reply.code === 429 && !/disruption budget/i.test(messageOf(reply.body));

export class Flow {
  readonly #clock: Clock;
  readonly #bucket: TokenBucket;
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;
  #limit = firstLimit;
  /** The server asked for no requests until then. */
  #notBefore: Instant;
  /** Of the last response. */
  #isFair = false;

  constructor(clock: Clock, rate: Rate = usualRate) {
    this.#clock = clock;
    this.#bucket = new TokenBucket(clock, rate);
    this.#notBefore = clock.now;
  }

  /** Sends it when it may be sent, in the order of the calls. */
  async send(send: () => Promise<ApiReply>): Promise<ApiReply> {
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
    while (this.#clock.now < this.#notBefore) await pause(this.#clock, between(this.#clock.now, this.#notBefore));
  }

  /** Passes the free slot to the first in the queue, so that later callers cannot take it. */
  #next(): void {
    while (this.#inFlight < this.#limit) {
      const go = this.#waiting.shift();
      if (!go) return;
      this.#inFlight++;
      go();
    }
  }

  /** One more slot after each response, half as many after each 429. */
  #learn(reply: ApiReply): void {
    if (reply.kind === 'silence') return;
    this.#isFair = reply.isFair === true;
    if (isThrottled(reply)) {
      this.#limit = Math.max(leastLimit, Math.floor(this.#limit / 2));
      this.#notBefore = after(this.#clock.now, reply.retryAfter ?? asDuration(0));
    } else this.#limit = Math.min(mostLimit, this.#limit + 1);
  }
}
