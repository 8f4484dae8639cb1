// What was a running container given? While it is resized in place the scheduler counts the most of what it asks for, was promised and has.
import type { Resources } from '../cluster/quantity.ts';
import { isMap, type Json, type Reader } from './reader.ts';

export interface Given {
  /** What a container counts for. */
  over(container: Reader): Resources;
}

export const requestsOf = (holder: Reader): Resources => holder.map('resources').resources('requests');

export const noneGiven: Given = { over: requestsOf };

/** Every status repeats what was asked for: only where one says something else is there anything to compare. */
export function readGiven(status: Reader): Given {
  if (!status.has('containerStatuses') && !status.has('initContainerStatuses')) return noneGiven;
  nameOdd(status);
  return {
    over: (container) => {
      const given = findStatus(status, container.raw('name'));
      // A kubelet that says nothing of resources has resized nothing.
      if (!given || !isMap(given.resources)) return requestsOf(container);
      const asked = container.raw('resources');
      const requested = isMap(asked) ? asked.requests : undefined;
      const shown = [given.resources.requests, given.allocatedResources];
      if (shown.every((amounts) => isSame(amounts, requested))) return requestsOf(container);
      return most(container, namedStatus(status, container.raw('name')), isInfeasible(status));
    },
  };
}

/** A resize that can never be carried out is not counted. */
function most(container: Reader, given: Reader | undefined, isInfeasible: boolean): Resources {
  const asked = requestsOf(container);
  const total: Record<string, number> = isInfeasible ? {} : { ...asked };
  if (!given) return total;
  for (const amounts of [given.map('resources').resources('requests'), given.resources('allocatedResources')])
    for (const name in amounts) total[name] = Math.max(total[name] ?? 0, amounts[name] ?? 0);
  return total;
}

const lists = ['containerStatuses', 'initContainerStatuses'] as const;

/** What is no status, or tells no resources where it should, is passed over, but not in silence. Readers are made only then. */
function nameOdd(status: Reader): void {
  for (const key of lists) {
    const isOdd = (each: unknown): boolean => !isMap(each) || !isMap(each.resources ?? {});
    if (status.list(key)?.some(isOdd)) for (const each of status.maps(key)) each.map('resources');
  }
}

function findStatus(status: Reader, name: unknown): Json | undefined {
  for (const key of lists) {
    const list = status.raw(key);
    const found: unknown = Array.isArray(list) ? list.find((each) => isMap(each) && each.name === name) : undefined;
    if (isMap(found)) return found;
  }
  return undefined;
}

function namedStatus(status: Reader, name: unknown): Reader | undefined {
  for (const key of lists) {
    const found = status.maps(key).find((each) => each.raw('name') === name);
    if (found) return found;
  }
  return undefined;
}

/** Absent = nothing is said, which is the same as nothing new. */
function isSame(amounts: unknown, requested: unknown): boolean {
  if (!isMap(amounts)) return amounts === undefined || amounts === null;
  const asked = isMap(requested) ? requested : {};
  return Object.keys(amounts).every((name) => amounts[name] === asked[name]);
}

function isInfeasible(status: Reader): boolean {
  const pending = status.maps('conditions').find((condition) => condition.text('type') === 'PodResizePending');
  return pending?.text('reason') === 'Infeasible';
}
