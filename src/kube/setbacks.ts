// Failures in a row: since when, how long to wait, and whether the request itself may be the cause.
import type { Duration, Instant } from '../time/instant.ts';
import { backoff } from './pacing.ts';

interface Setback {
  readonly fault: string;
  /** The status code of the server's refusal. */
  readonly code?: number | undefined;
  readonly at: Instant;
  /** No answer at all. */
  readonly isUnreached: boolean;
}

/** After this many failures in a row, resuming or streaming lists is given up: something in between may not support it. */
const resumeAttempts = 5;
const streamAttempts = 3;
/** Without a connection, a failure proves nothing about either (K2). */
const nobodyThere = /\b(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)\b/;
/** After about ten minutes everything is listed again anyway. */
const unreachedAttempts = 20;

export class Setbacks {
  #count = 0;
  /** The failures that the request itself may have caused. */
  #doubts = 0;
  #wasUnreached = false;
  #hasExpired = false;
  #fault: string | undefined;
  #code: number | undefined;
  #since: Instant | undefined;

  /** The last failure. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Its status code; undefined if the server did not refuse. */
  get code(): number | undefined {
    return this.#code;
  }

  get since(): Instant | undefined {
    return this.#since;
  }

  add({ fault, code, at, isUnreached }: Setback): void {
    // A server that has just come back refuses for another moment: its absence must not lengthen the delay.
    this.#count = this.#wasUnreached && !isUnreached ? 1 : this.#count + 1;
    this.#wasUnreached = isUnreached;
    if (!nobodyThere.test(fault)) this.#doubts++;
    this.#fault = fault;
    this.#code = code;
    this.#since ??= at;
  }

  /** Something was received: the next failure counts as the first. */
  over(): void {
    this.#count = 0;
    this.#doubts = 0;
    this.#hasExpired = false;
    this.#fault = undefined;
    this.#code = undefined;
    this.#since = undefined;
  }

  wait(chance: number, retryAfter?: Duration): Duration {
    return backoff(this.#count, chance, retryAfter);
  }

  /** The server may be unable to continue from this version without reporting it. */
  get doubtsVersion(): boolean {
    return this.#doubts >= resumeAttempts || this.#count >= unreachedAttempts;
  }

  /** Streamed lists, or paged ones, may not get through. */
  get doubtsStreams(): boolean {
    return this.#doubts > 0 && this.#doubts % streamAttempts === 0;
  }

  /** True = it expired before, and nothing was received in between. */
  expiresAgain(): boolean {
    const wasExpired = this.#hasExpired;
    this.#hasExpired = true;
    return wasExpired;
  }
}
