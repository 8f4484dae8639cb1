// Where does this pod go now? Most ask for room, labels and taints alone, and are answered at once; the others are looked at rule by rule.
import type { Instant } from '../../../time/instant.ts';
import type { Pod } from '../manifest.ts';
import type { Around } from './around.ts';
import { firstOf, otherRules } from './feasible.ts';
import { hostPortsOf } from './hostPorts.ts';
import { needsOf } from './needs.ts';
import { likedBest } from './preferences.ts';
import type { Rooms } from './rooms.ts';
import { claimsOf } from './volumeClaims.ts';

export interface Search {
  readonly rooms: Rooms;
  readonly objects: Pick<Around, 'get' | 'list'>;
  /** Nodes that have changed since are not looked at. */
  readonly before: Instant;
}

export function findNode(pod: Pod, search: Search): string | undefined {
  const { rooms, objects, before } = search;
  const needs = needsOf(pod);
  if (isPlain(pod, search)) return rooms.find(needs, before);
  const around: Around = {
    nodes: () => rooms.nodes(),
    podsOn: (node) => rooms.podsOn(node),
    get: (kind, key) => objects.get(kind, key),
    list: (kind) => objects.list(kind),
  };
  const judge = firstOf(otherRules.flatMap((rule) => rule(pod, around) ?? []));
  const fitting = rooms.fitting(needs, before).filter((node) => judge(node) === undefined);
  return likedBest(pod, fitting, around)?.metadata.name;
}

/** Room, labels and taints are all there is to it: what one cannot have, none with the same needs can. */
export const isPlain = (pod: Pod, { rooms, objects }: Search): boolean =>
  !asksMore(pod) && !rooms.guards.mind(pod, objects);

/** More than its rooms know: of other pods, of ports, of volumes; or it would like some nodes better than others. */
export function asksMore(pod: Pod): boolean {
  const { affinity, topologySpreadConstraints } = pod.spec ?? {};
  return (
    (topologySpreadConstraints ?? []).length > 0 ||
    affinity?.podAffinity !== undefined ||
    affinity?.podAntiAffinity !== undefined ||
    affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution !== undefined ||
    claimsOf(pod).length > 0 ||
    hostPortsOf(pod).length > 0
  );
}
