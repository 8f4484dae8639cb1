// How much room does a pod take (F6)? What the scheduler counts: containers, init containers, sidecars and overhead.
import type { Resources } from '../cluster/quantity.ts';
import { type Given, noneGiven, readGiven, requestsOf } from './givenResources.ts';
import type { Reader } from './reader.ts';

/** A pod that runs takes what it was given, too, while it is being resized in place. */
export function readRequests(spec: Reader, status?: Reader): Resources {
  const total: Record<string, number> = {};
  const given = status ? readGiven(status) : noneGiven;
  for (const container of spec.maps('containers')) add(total, given.over(container));
  if (spec.has('initContainers')) addInitContainers(total, spec, given);
  if (spec.has('resources')) addPodLevel(total, requestsOf(spec));
  if (spec.has('overhead')) add(total, spec.resources('overhead'));
  total.pods = 1;
  return total;
}

/** What the pod asks for as a whole stands before what its containers add up to. */
function addPodLevel(total: Record<string, number>, amounts: Resources): void {
  for (const name in amounts) if (podLevel.test(name)) total[name] = amounts[name] as number;
}

/** Nothing else can be asked for so; the scheduler passes over it. */
const podLevel = /^(cpu|memory|hugepages-.*)$/;

/** Init containers run one after another, each beside the sidecars that were started before it. */
function addInitContainers(total: Record<string, number>, spec: Reader, given: Given): void {
  const sidecars: Record<string, number> = {};
  const peak: Record<string, number> = {};
  for (const container of spec.maps('initContainers')) {
    const isSidecar = container.text('restartPolicy') === 'Always';
    const own: Record<string, number> = { ...(isSidecar ? given.over(container) : requestsOf(container)) };
    if (isSidecar) {
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
