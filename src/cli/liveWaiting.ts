// What keeps Lull from deciding, and for how long already (K2, K3)? Told when it begins, when it lasts, and when it is over; never every time.
import { formatDuration } from '../time/duration.ts';
import { asDuration, between, type Duration, type Instant, minute, second } from '../time/instant.ts';
import type { Log, Told } from './liveLog.ts';

/** Shorter than this it is a hiccup: a watch that is taken up again, a view that is a moment behind. */
const hiccup = asDuration(5 * second);
/** When it is told again. */
const firstReminder: Duration = minute;
const longestReminder = asDuration(30 * minute);

interface Lasting {
  readonly since: Instant;
  readonly told?: { readonly key: string; readonly at: Instant; readonly next: Duration };
}

export interface WaitingWords {
  readonly kind: string;
  readonly over: string;
  /** Told at once, as at the start, where nobody knows yet that all is well. */
  readonly isUrgent?: boolean;
}

/** One thing that lasts. */
export class Waiting {
  readonly #log: Log;
  readonly #words: WaitingWords;
  #lasting: Lasting | undefined;
  #isUrgent: boolean;

  constructor(log: Log, words: WaitingWords) {
    this.#log = log;
    this.#words = words;
    this.#isUrgent = words.isUrgent ?? false;
  }

  /** `key` tells apart what is worth a new line; countdowns in the sentence do not change it. */
  goesOn(now: Instant, key: string, text: string): void {
    this.#lasting ??= { since: now };
    const { since, told } = this.#lasting;
    const lasted = between(since, now);
    if (!this.#isUrgent && lasted < hiccup) return;
    const isDue = told === undefined || told.key !== key || between(told.at, now) >= told.next;
    if (!isDue) return;
    const isReminder = told?.key === key;
    const next = isReminder ? asDuration(Math.min(told.next * 2, longestReminder)) : firstReminder;
    this.#lasting = { since, told: { key, at: now, next } };
    const forLong = lasted < second ? '' : ` (for ${sayLength(lasted)})`;
    this.#log({ kind: this.#words.kind, text: `${text}${forLong}` });
  }

  /** Gives what there is to tell of its end, if anybody was told of it. */
  isOver(now: Instant): readonly Told[] {
    const lasting = this.#lasting;
    this.#lasting = undefined;
    this.#isUrgent = false;
    if (!lasting?.told) return [];
    return [{ kind: this.#words.over, text: `after ${sayLength(between(lasting.since, now))}` }];
  }
}

const sayLength = (length: Duration): string =>
  formatDuration(asDuration(length < 10 * second ? length : Math.round(length / second) * second));
