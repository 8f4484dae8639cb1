// What has gone wrong in a row, and what follows from it? Since when, how long to wait, and whether what was asked for may be to blame.
import type { Duration, Instant } from '../time/instant.ts';
import { backoff } from './backoff.ts';

export interface Setback {
  readonly fault: string;
  readonly at: Instant;
  /** Nobody answered. */
  readonly isUnreached: boolean;
}

/** So many failures in a row: what is resumed there cannot be, or lists cannot be streamed through what is between. */
const resumeAttempts = 5;
const streamAttempts = 3;
/** K2: no connection at all says nothing about either. */
const nobodyThere = /\b(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)\b/;
/** After some ten minutes of it everything is listed anew all the same. */
const unreachedAttempts = 20;

export class Setbacks {
  #count = 0;
  /** Of them, those that may lie in what was asked for. */
  #doubts = 0;
  #wasUnreached = false;
  #hasExpired = false;
  #fault: string | undefined;
  #since: Instant | undefined;

  /** The last one. */
  get fault(): string | undefined {
    return this.#fault;
  }

  get since(): Instant | undefined {
    return this.#since;
  }

  add({ fault, at, isUnreached }: Setback): void {
    // A server that has just come back says no for a moment more: how long it was away does not count for that.
    this.#count = this.#wasUnreached && !isUnreached ? 1 : this.#count + 1;
    this.#wasUnreached = isUnreached;
    if (!nobodyThere.test(fault)) this.#doubts++;
    this.#fault = fault;
    this.#since ??= at;
  }

  /** Something came through: the next failure is a first one. */
  over(): void {
    this.#count = 0;
    this.#doubts = 0;
    this.#hasExpired = false;
    this.#fault = undefined;
    this.#since = undefined;
  }

  wait(chance: number, retryAfter?: Duration): Duration {
    return backoff(this.#count, chance, retryAfter);
  }

  /** A version that the server cannot go on from, though it does not say so. */
  get doubtsVersion(): boolean {
    return this.#doubts >= resumeAttempts || this.#count >= unreachedAttempts;
  }

  /** Lists that are streamed may not come through, or those in pages. */
  get doubtsStreams(): boolean {
    return this.#doubts > 0 && this.#doubts % streamAttempts === 0;
  }

  /** True = it has expired before, and nothing came in between. */
  expiresAgain(): boolean {
    const wasExpired = this.#hasExpired;
    this.#hasExpired = true;
    return wasExpired;
  }
}
