// The watch stream of one kind to one watcher: delayed, possibly repeated, in order within the kind.
import { asInstant, type Instant } from '../time/instant.ts';
import type { ObjectChange } from './objects.ts';
import type { Random } from './random.ts';

/** A range in milliseconds. */
export type Lag = readonly [from: number, to: number];

interface QueuedChange {
  readonly change: ObjectChange;
  readonly arrivesAt: Instant;
  readonly isNews: boolean;
}

/** How a change is delivered. */
export interface SendOptions {
  readonly now: Instant;
  readonly lag: Lag;
  /** The probability that an old change is delivered again, as after a broken watch. */
  readonly repeats: number;
  /** Whether its arrival wakes the controller. */
  readonly isNews: boolean;
}

export class WatchStream {
  readonly #random: Random;
  #queue: QueuedChange[] = [];
  /** The index of the first entry not delivered yet. */
  #taken = 0;
  #last: ObjectChange | undefined;
  /** All changes up to this version were delivered. */
  #upTo: number;

  constructor(random: Random, upTo: number) {
    this.#random = random;
    this.#upTo = upTo;
  }

  send(change: ObjectChange, { now, lag, repeats, isNews }: SendOptions): void {
    this.#queue.push({ change, arrivesAt: this.#arrival(now, lag), isNews });
    if (repeats === 0) return;
    const again = this.#last;
    if (again && this.#random.chance(repeats))
      this.#queue.push({ change: again, arrivesAt: this.#arrival(now, lag), isNews: false });
    this.#last = change;
  }

  /** Changes of a kind keep their order. */
  #arrival(now: Instant, [from, to]: Lag): Instant {
    const alone = asInstant(now + Math.ceil(this.#random.between(from, to)));
    return asInstant(Math.max(alone, this.#queue.at(-1)?.arrivesAt ?? alone));
  }

  /** The changes that have arrived since the last call, in order, without repeated ones. */
  *arrived(now: Instant): Generator<ObjectChange> {
    for (let sent = this.#queue[this.#taken]; sent && sent.arrivesAt <= now; sent = this.#queue[++this.#taken]) {
      if (sent.change.version <= this.#upTo) continue;
      this.#upTo = sent.change.version;
      yield sent.change;
    }
    // Shorten the list rarely: removing from its start moves all other entries.
    if (this.#taken === 0 || this.#taken < this.#queue.length / 2) return;
    this.#queue = this.#queue.slice(this.#taken);
    this.#taken = 0;
  }

  /** When the next change that wakes the controller arrives. */
  get nextNewsAt(): Instant | undefined {
    let index = this.#taken;
    while (this.#queue[index]?.isNews === false) index++;
    return this.#queue[index]?.arrivesAt;
  }

  /** The version up to which nothing is missing; `all` is the cluster's version. */
  seenOf(all: number): number {
    let index = this.#taken;
    for (let sent = this.#queue[index]; sent; sent = this.#queue[++index])
      if (sent.change.version > this.#upTo) return sent.change.version - 1;
    return all;
  }
}
