// Whether the main thread is well, busy or stuck, as the probes and the log say it.
import { lateAfter, sayRoughly } from '../server/lateRounds.ts';
import { type Duration, minute } from '../time/instant.ts';
import type { Log } from './liveLog.ts';
import type { Silence } from './silence.ts';
import { beatEvery, type Probed } from './watchdogState.ts';

export interface VitalsOptions {
  readonly silence: Silence;
  readonly stuckAfter: Duration;
  readonly log: Log;
}

/** A thread that is busy again and again is reported once in this time. */
const remindAfter = 10 * minute;

export class Vitals {
  readonly #options: VitalsOptions;
  /** What the main thread answered last. */
  ready: Probed | undefined;
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
      log({ kind: 'late', text: `${this.#busy()}; the lease is kept and probes are answered meanwhile` });
    }
    const wasStuck = this.#isStuck;
    this.#isStuck = length >= stuckAfter;
    if (this.#isStuck && !wasStuck) log({ kind: 'stuck', text: this.#stuck() });
    if (wasStuck && !this.#isStuck) log({ kind: 'unstuck', text: 'the main thread goes on' });
  }

  isAlive(): boolean {
    return !this.#isStuck;
  }

  health(): Probed {
    return this.#isStuck ? { status: 503, text: `${this.#stuck()}\n` } : { status: 200, text: `ok\n${this.#late()}` };
  }

  readiness(): Probed {
    if (this.#isStuck) return { status: 503, text: `${this.#stuck()}\n` };
    if (this.isLost) return { status: 503, text: 'the lease is no longer held\n' };
    if (!this.ready) return { status: 503, text: 'starting\n' };
    return { status: this.ready.status, text: `${this.ready.text}${this.#late()}` };
  }

  #late(): string {
    return this.#options.silence.length >= lateAfter ? `rounds are late: ${this.#busy()}\n` : '';
  }

  #busy(): string {
    return `the main thread has been busy for ${sayRoughly(this.#options.silence.length)}`;
  }

  #stuck(): string {
    const { stuckAfter } = this.#options;
    return `stuck: ${this.#busy()}, longer than --stuck-after ${sayRoughly(stuckAfter)}; the lease is not renewed, and the process should be restarted`;
  }
}
