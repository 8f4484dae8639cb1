// Is anybody still there? Tells when nothing was heard for too long.
import type { Clock, Timer } from '../runtime/clock.ts';
import { asDuration, between, type Duration } from '../time/instant.ts';

/** One timer, however often something is heard. */
export class Pulse {
  readonly #clock: Clock;
  #heardAt;
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#heardAt = clock.now;
  }

  beat(): void {
    this.#heardAt = this.#clock.now;
  }

  expect(within: Duration, onSilence: () => void): void {
    this.beat();
    this.#wait(within, within, onSilence);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #wait(left: Duration, within: Duration, onSilence: () => void): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.in(left, () => {
      const silent = between(this.#heardAt, this.#clock.now);
      if (silent >= within) onSilence();
      else this.#wait(asDuration(within - silent), within, onSilence);
    });
  }
}
