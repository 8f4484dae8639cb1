// Pods that are not evaluated because their namespace has too many terms (F6, decision 0008). They are never placed. To be safe,
// each of their anti-affinity terms is widened to require a single label, so that it excludes every pod it might exclude.
import { commonResources, type Excess } from '../../cluster/crowding.ts';
import { memo } from '../../cluster/memo.ts';
import type { Pod } from '../../cluster/model.ts';
import type { PodTerm, Scheduling } from '../../cluster/scheduling.ts';
import type { Requirement } from '../../cluster/selector.ts';

/** A pod as placement reads it. */
export interface PlacedPod extends Pod {
  /** It is never placed. */
  readonly isUncounted?: true;
}

export function asPlaced(pod: Pod, excessOn: (pod: Pod) => readonly Excess[]): PlacedPod {
  const excess = excessOn(pod);
  if (!excess.includes('terms') && !excess.includes('resources')) return pod;
  const { nodeSelector: _, scheduling, ...rest } = pod;
  return {
    ...rest,
    isUncounted: true,
    tolerations: [],
    ...(scheduling && { scheduling: widened(scheduling) }),
    ...(excess.includes('resources') && { requests: commonOf(pod.requests) }),
  };
}

const widened = memo(
  ({ apart, hostPorts, volumeClaims }: Scheduling): Scheduling => ({
    spread: [],
    near: [],
    apart: apart.map(widerTerm),
    likes: [],
    hostPorts,
    volumeClaims,
  }),
);

/** Drops terms whose topology key no node has: they exclude nothing, and there may be very many of them. */
export function withinDomains(scheduling: Scheduling, topologyKeys: ReadonlySet<string>): Scheduling {
  const apart = scheduling.apart.filter(({ topologyKey }) => topologyKeys.has(topologyKey));
  return apart.length === scheduling.apart.length ? scheduling : { ...scheduling, apart };
}

/** A term that selects every pod the given one selects, and perhaps more. */
export function widerTerm({ topologyKey, selector, namespaces, namespaceSelector }: PodTerm): PodTerm {
  const [first] = selector.requirements.filter(({ operator }) => operator === 'In').sort(bySize);
  const [other] = selector.requirements.filter(({ operator }) => operator === 'Exists').sort(bySize);
  const needed = first ?? other;
  return {
    topologyKey,
    selector: { requirements: needed ? [needed] : [], ...(selector.nothing && { nothing: true }) },
    ...(namespaceSelector ? { namespaces: [], namespaceSelector: { requirements: [] } } : { namespaces }),
  };
}

const bySize = (a: Requirement, b: Requirement): number =>
  a.values.length - b.values.length || (a.key < b.key ? -1 : 1);

const commonOf = (requests: Pod['requests']): Pod['requests'] =>
  Object.fromEntries(Object.entries(requests).filter(([name]) => commonResources.has(name)));
