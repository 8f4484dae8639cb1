// What has arrived of a kind? Changes on their way to one watcher: late, perhaps repeated, in order within the kind.
import { asInstant, type Instant } from '../time/instant.ts';
import type { Changed } from './objects.ts';
import type { Random } from './random.ts';

/** Milliseconds, from and to. */
export type Lag = readonly [from: number, to: number];

interface Sent {
  readonly change: Changed;
  readonly arrivesAt: Instant;
  readonly isNews: boolean;
}

/** How a change is sent. */
export interface Sending {
  readonly now: Instant;
  readonly lag: Lag;
  /** How likely an old change is sent once more, as after a watch that broke off. */
  readonly repeats: number;
  /** Whether its arrival is worth waking up for. */
  readonly isNews: boolean;
}

export class WatchStream {
  readonly #random: Random;
  #queue: Sent[] = [];
  /** What was taken out of the queue so far is still in its beginning. */
  #taken = 0;
  #last: Changed | undefined;
  /** Everything up to here has been handed on. */
  #upTo: number;

  constructor(random: Random, upTo: number) {
    this.#random = random;
    this.#upTo = upTo;
  }

  send(change: Changed, { now, lag, repeats, isNews }: Sending): void {
    this.#queue.push({ change, arrivesAt: this.#arrival(now, lag), isNews });
    if (repeats === 0) return;
    const again = this.#last;
    if (again && this.#random.chance(repeats))
      this.#queue.push({ change: again, arrivesAt: this.#arrival(now, lag), isNews: false });
    this.#last = change;
  }

  /** Nothing overtakes within a kind. */
  #arrival(now: Instant, [from, to]: Lag): Instant {
    const alone = asInstant(now + Math.ceil(this.#random.between(from, to)));
    return asInstant(Math.max(alone, this.#queue.at(-1)?.arrivesAt ?? alone));
  }

  /** What has arrived by now and was not there before, in order. A repeated change is an old one, and nothing new. */
  *arrived(now: Instant): Generator<Changed> {
    for (; this.#taken < this.#queue.length; this.#taken++) {
      const { change, arrivesAt } = this.#queue[this.#taken] as Sent;
      if (arrivesAt > now) break;
      if (change.version <= this.#upTo) continue;
      this.#upTo = change.version;
      yield change;
    }
    // One cut for many: taking out of the beginning of a list moves all the rest.
    if (this.#taken === 0 || this.#taken < this.#queue.length / 2) return;
    this.#queue = this.#queue.slice(this.#taken);
    this.#taken = 0;
  }

  /** When the next change comes that is worth waking up for. */
  get nextNewsAt(): Instant | undefined {
    for (let index = this.#taken; index < this.#queue.length; index++) {
      const { isNews, arrivesAt } = this.#queue[index] as Sent;
      if (isNews) return arrivesAt;
    }
    return undefined;
  }

  /** The version up to which nothing is missing, where `all` is that of the cluster. */
  seenOf(all: number): number {
    for (let index = this.#taken; index < this.#queue.length; index++) {
      const { version } = (this.#queue[index] as Sent).change;
      if (version > this.#upTo) return version - 1;
    }
    return all;
  }
}
