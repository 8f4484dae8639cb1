// Pods whose terms are not worked out, since their namespace has too many (F6, decision 0008). They are placed nowhere, and keep off
// every pod that one of their terms might forbid: each anti-affinity term counts as the wider one that needs a single label.
import { commonResources, type Excess } from '../../cluster/crowding.ts';
import type { Pod } from '../../cluster/model.ts';
import type { PodTerm, Scheduling } from '../../cluster/scheduling.ts';
import type { Requirement } from '../../cluster/selector.ts';

/** A pod as the placement reads it. */
export interface PlacedPod extends Pod {
  /** It is placed nowhere. */
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

const known = new WeakMap<Scheduling, Scheduling>();

function widened(scheduling: Scheduling): Scheduling {
  const found = known.get(scheduling);
  if (found) return found;
  const { apart, hostPorts, volumeClaims } = scheduling;
  const wider = { spread: [], near: [], apart: apart.map(widerTerm), likes: [], hostPorts, volumeClaims };
  known.set(scheduling, wider);
  return wider;
}

/** Without the terms of domains that there are none of: they keep nothing off, and may be as many as they like. */
export function withinDomains(scheduling: Scheduling, topologyKeys: ReadonlySet<string>): Scheduling {
  const apart = scheduling.apart.filter(({ topologyKey }) => topologyKeys.has(topologyKey));
  return apart.length === scheduling.apart.length ? scheduling : { ...scheduling, apart };
}

/** Every pod that the term means, and perhaps others. */
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
