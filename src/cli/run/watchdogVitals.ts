// Whether the main thread is healthy, busy or stuck, as reported by probes and log.
import type { Clock } from '../../runtime/clock.ts';
import { formatRoughly, lateAfter } from '../../server/lateRounds.ts';
import { asDuration, between, type Duration, type Instant, minute, second } from '../../time/instant.ts';
import type { Log } from './liveLog.ts';
import { beatEvery, type ProbeResponse } from './watchdogState.ts';

/** A longer gap between two checks is not counted: the whole process was stopped, or had no CPU. */
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

  /** As of the last check. */
  get length(): Duration {
    return asDuration(this.#length);
  }
}

interface VitalsOptions {
  readonly silence: Silence;
  readonly stuckAfter: Duration;
  readonly log: Log;
}

/** A thread that is busy repeatedly is reported once in this time. */
const remindAfter = 10 * minute;

export class Vitals {
  readonly #options: VitalsOptions;
  /** The main thread's last readiness. */
  ready: ProbeResponse | undefined;
  /** The lease is lost, and the main thread has not stopped its work yet. */
  isLost = false;
  #isStuck = false;
  /** How long nothing more is logged about a busy thread. */
  #quiet = 0;

  constructor(options: VitalsOptions) {
    this.#options = options;
  }

  /** To be called about once a second. */
  look(): void {
    const { silence, stuckAfter, log } = this.#options;
    const length = silence.look();
    this.#quiet -= beatEvery;
    if (length >= lateAfter && this.#quiet <= 0) {
      this.#quiet = remindAfter;
      log({ kind: 'late', text: `${this.#busy()}; the lease is still renewed and probes are answered` });
    }
    const wasStuck = this.#isStuck;
    this.#isStuck = length >= stuckAfter;
    if (this.#isStuck && !wasStuck) log({ kind: 'stuck', text: this.#stuck() });
    if (wasStuck && !this.#isStuck) log({ kind: 'unstuck', text: 'the main thread responds again' });
  }

  isAlive(): boolean {
    return !this.#isStuck;
  }

  health(): ProbeResponse {
    return this.#isStuck ? { status: 503, text: `${this.#stuck()}\n` } : { status: 200, text: `ok\n${this.#late()}` };
  }

  readiness(): ProbeResponse {
    if (this.#isStuck) return { status: 503, text: `${this.#stuck()}\n` };
    if (this.isLost) return { status: 503, text: 'the lease is no longer held\n' };
    if (!this.ready) return { status: 503, text: 'starting\n' };
    return { status: this.ready.status, text: `${this.ready.text}${this.#late()}` };
  }

  #late(): string {
    return this.#options.silence.length >= lateAfter ? `rounds are late: ${this.#busy()}\n` : '';
  }

  #busy(): string {
    return `the main thread has been busy for ${formatRoughly(this.#options.silence.length)}`;
  }

  #stuck(): string {
    const { stuckAfter } = this.#options;
    return `stuck: ${this.#busy()}, longer than --stuck-after ${formatRoughly(stuckAfter)}; the lease is not renewed, and the process should be restarted`;
  }
}
