// The requests of a round: which are sent now, which wait since the server refused them before (with growing delays, G6), and which
// may be in flight at the same time. What was tried is not persisted: a restart may lose it.
import type { Action } from '../engine/commands/action.ts';
import { after, asDuration, type Duration, earliest, type Instant, second } from '../time/instant.ts';
import type { ApiResponse } from './port.ts';

/** How many requests a pass sends before it looks at the cluster again. */
export const mostAtOnce = 256;

/**
 * A command's requests are sent one by one, in order. Requests that belong to no command, such as parking (N2), are independent: each
 * such patch tests the state of its own object, and none waits for another.
 */
export function* batchesOf(actions: readonly Action[]): Generator<readonly Action[]> {
  let batch: Action[] = [];
  let places = new Set<string>();
  for (const action of actions) {
    const place = `${action.kind} ${action.namespace ?? ''}/${action.name}`;
    const joins = isIndependent(action) && !places.has(place) && batch.length < mostAtOnce;
    if (batch.length > 0 && !(joins && batch.every(isIndependent))) {
      yield batch;
      batch = [];
      places = new Set();
    }
    batch.push(action);
    places.add(place);
  }
  if (batch.length > 0) yield batch;
}

const isIndependent = ({ verb, command }: Action): boolean => verb === 'patch' && command === undefined;

/** A refused request is retried after 100 ms at first, 10 s at most (G6). */
const firstDelay = asDuration(100);
const longestDelay: Duration = asDuration(10 * second);

interface Tried {
  readonly delay: Duration;
  readonly until: Instant;
}

export class Outbox {
  #tried = new Map<string, Tried>();

  /** The actions that may be sent now. Forgets attempts of actions that are no longer wanted. */
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

  /** Called after successes too: an action that was done and is still wanted must not be repeated endlessly. */
  note(action: Action, answer: ApiResponse, now: Instant): void {
    const key = keyOf(action);
    const before = this.#tried.get(key);
    const delay = before ? asDuration(Math.min(before.delay * 2, longestDelay)) : firstDelay;
    this.#tried.set(key, { delay, until: answer.status === 'done' && !before ? now : after(now, delay) });
  }

  /** When the next action may be tried again. */
  nextAt(now: Instant): Instant | undefined {
    let next: Instant | undefined;
    for (const { until } of this.#tried.values()) if (until > now) next = earliest(next, until);
    return next;
  }
}

const keyOf = ({ verb, kind, namespace, name, preconditions }: Action): string =>
  `${verb} ${kind} ${namespace ?? ''}/${name} ${preconditions?.uid ?? ''}`;
