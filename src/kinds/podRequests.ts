// How much room does a pod take (F6)? What the scheduler counts: containers, init containers, sidecars and overhead.
import type { Resources } from '../cluster/quantity.ts';
import type { Reader } from './reader.ts';

export function readRequests(spec: Reader): Resources {
  const total: Record<string, number> = {};
  for (const container of spec.maps('containers')) add(total, requestsOf(container));
  if (spec.has('initContainers')) addInitContainers(total, spec);
  // What the pod asks for as a whole stands before what its containers add up to.
  if (spec.has('resources')) Object.assign(total, requestsOf(spec));
  if (spec.has('overhead')) add(total, spec.resources('overhead'));
  total.pods = 1;
  return total;
}

const requestsOf = (holder: Reader): Resources => holder.map('resources').resources('requests');

/** Init containers run one after another, each beside the sidecars that were started before it. */
function addInitContainers(total: Record<string, number>, spec: Reader): void {
  const sidecars: Record<string, number> = {};
  const peak: Record<string, number> = {};
  for (const container of spec.maps('initContainers')) {
    const own: Record<string, number> = { ...requestsOf(container) };
    if (container.text('restartPolicy') === 'Always') {
      add(sidecars, own);
      raise(peak, sidecars);
    } else {
      add(own, sidecars);
      raise(peak, own);
    }
  }
  add(total, sidecars);
  raise(total, peak);
}

function add(total: Record<string, number>, amounts: Resources): void {
  for (const name in amounts) total[name] = (total[name] ?? 0) + (amounts[name] ?? 0);
}

function raise(total: Record<string, number>, amounts: Resources): void {
  for (const name in amounts) total[name] = Math.max(total[name] ?? 0, amounts[name] ?? 0);
}
