// Which of the wanted requests are sent now, and which are better left for a while? A server that said no is asked again, later and later (G6).
// This is no memory that a restart may not lose: whoever forgets it asks once too often, and is told no once more.
import type { Action } from '../engine/commands/action.ts';
import { after, asDuration, type Duration, earliest, type Instant, second } from '../time/instant.ts';
import type { Answer } from './port.ts';

/** G6: 429 is retried after 100 ms … 10 s. */
const firstDelay = asDuration(100);
const longestDelay: Duration = asDuration(10 * second);

interface Tried {
  readonly delay: Duration;
  readonly until: Instant;
}

export class Outbox {
  #tried = new Map<string, Tried>();

  /** What may be sent now. What is no longer wanted is forgotten, with all that was tried. */
  ready(wanted: readonly Action[], now: Instant): readonly Action[] {
    if (this.#tried.size === 0) return wanted;
    const kept = new Map<string, Tried>();
    const ready = wanted.filter((action) => {
      const key = keyOf(action);
      const tried = this.#tried.get(key);
      if (tried) kept.set(key, tried);
      return !tried || tried.until <= now;
    });
    this.#tried = kept;
    return ready;
  }

  /** After a yes as well: what was done and is wanted still is not to be asked for without end. */
  note(action: Action, answer: Answer, now: Instant): void {
    const key = keyOf(action);
    const before = this.#tried.get(key);
    const delay = before ? asDuration(Math.min(before.delay * 2, longestDelay)) : firstDelay;
    this.#tried.set(key, { delay, until: answer.status === 'done' && !before ? now : after(now, delay) });
  }

  /** When the next of them may be tried again. */
  nextAt(now: Instant): Instant | undefined {
    let next: Instant | undefined;
    for (const { until } of this.#tried.values()) if (until > now) next = earliest(next, until);
    return next;
  }
}

const keyOf = ({ verb, kind, namespace, name, preconditions }: Action): string =>
  `${verb} ${kind} ${namespace ?? ''}/${name} ${preconditions?.uid ?? ''}`;
