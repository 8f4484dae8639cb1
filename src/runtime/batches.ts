// Which of a round's requests may be on their way at the same time: patches of different objects that no command waits for.
import type { Action } from '../engine/commands/action.ts';

/** As many as a pass sends before it looks again. */
export const mostAtOnce = 256;

/**
 * What a command asks for is sent one by one, in its order. Parking (N2) and the like belong to no command: each such patch tests
 * what was seen of its own object, and none waits for another.
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
