// Bins of the provisioner: nodes being launched, with their possible offerings, their pods and DaemonSet overhead.
import { label } from '../../../cluster/names.ts';
import { parseResources, type Resources } from '../../../cluster/quantity.ts';
import type { Texts } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { cheapestOf, leastUsed, offeringsOf, type SimOffering } from '../cloud/offerings.ts';
import {
  isDaemonPod,
  isTerminal,
  type RawClaim,
  type RawPod,
  type RawPool,
  type RawRequirement,
  type RawTaint,
} from '../rawObjects.ts';
import { add, needsOf, requestsOf } from '../scheduler/needs.ts';
import { admits } from '../scheduler/schedulingView.ts';
import { admitsDaemon } from '../workloads/daemonSet.ts';

export function daemonsOn({ metadata, spec }: RawPool, world: World): Resources {
  const { metadata: own, spec: templateSpec } = spec?.template ?? {};
  const single = (templateSpec?.requirements ?? []).flatMap(({ key, operator, values }): [string, string][] =>
    operator === 'In' && values?.length === 1 ? [[key, values[0] ?? '']] : [],
  );
  const labels = { ...Object.fromEntries(single), ...own?.labels, [label.pool]: metadata.name };
  return daemonsAt(labels, templateSpec?.taints ?? [], world);
}

/** The requests of the pods on a claim's node, including DaemonSet pods that are not there yet. */
export function requestsOn(claim: RawClaim, world: World): Resources {
  const total: Record<string, number> = {};
  const { nodeName } = claim.status ?? {};
  const pods = nodeName === undefined ? [] : [...world.objects.podsOn(nodeName)];
  for (const pod of pods) if (!isDaemonPod(pod) && !isTerminal(pod)) add(total, needsOf(pod).requests);
  add(total, daemonsAt(claim.metadata.labels ?? {}, claim.spec?.taints ?? [], world));
  return total;
}

function daemonsAt(labels: Texts, taints: readonly RawTaint[], { objects }: World): Resources {
  const total: Record<string, number> = {};
  const node = { metadata: { name: '', labels }, spec: { taints } };
  for (const set of objects.list('DaemonSet')) {
    const template = set.spec?.template ?? {};
    if (admitsDaemon(node, template, 'start')) add(total, requestsOf(template.spec ?? {}));
  }
  return total;
}

export interface Bin {
  /** The node's name, if it has registered. */
  readonly node?: string;
  readonly pool: RawPool | undefined;
  readonly taints: readonly RawTaint[];
  /** The offerings that admit all pods of the bin and have room for them. */
  offerings: readonly SimOffering[];
  readonly used: Record<string, number>;
  readonly pods: RawPod[];
}

/** The bin's offerings that also have room for the pod and admit it. */
export function offeringsFor({ offerings, used, taints }: Bin, pod: RawPod): readonly SimOffering[] {
  const { requests, rules } = needsOf(pod);
  return offerings.filter(
    ({ labels, room }) => fits(room, used, requests) && admits({ name: '', labels, taints }, rules),
  );
}

function fits(room: Resources, used: Resources, more: Resources): boolean {
  for (const name in more) if ((used[name] ?? 0) + (more[name] ?? 0) > (room[name] ?? 0)) return false;
  return true;
}

/** A bin of a pool, with room reserved for its DaemonSet pods. */
export function binOf(pool: RawPool, daemons: Resources, world: World): Bin {
  const { metadata, spec } = pool.spec?.template ?? {};
  const own = { ...metadata?.labels, [label.pool]: pool.metadata.name };
  const offerings = offeringsOf(spec?.requirements ?? [], world).map((offering) => ({
    ...offering,
    labels: { ...own, ...offering.labels },
  }));
  return { pool, taints: spec?.taints ?? [], offerings, used: { ...daemons }, pods: [] };
}

/** The bin of a claim in flight: its instance if it is launched, otherwise its possible offerings. */
export function binInFlight(claim: RawClaim, used: Resources, world: World): Bin {
  const { labels = {} } = claim.metadata;
  const { allocatable } = claim.status ?? {};
  const offerings = allocatable
    ? [{ type: '', labels, allocatable, room: parseResources(allocatable), price: 0 }]
    : offeringsOf(claim.spec?.requirements ?? [], world).map((it) => ({ ...it, labels: { ...labels, ...it.labels } }));
  const { nodeName } = claim.status ?? {};
  const node = nodeName !== undefined && { node: nodeName };
  return { ...node, pool: undefined, taints: claim.spec?.taints ?? [], offerings, used: { ...used }, pods: [] };
}

/** The cheapest type in the zone with the fewest nodes; larger types in that zone are allowed too. */
export function requirementsOf({ offerings }: Bin, zones: Map<string, number>): RawRequirement[] {
  const chosen = leastUsed(cheapestOf(offerings), zones);
  if (!chosen) return [];
  const zone = chosen.labels[label.zone] ?? '';
  zones.set(zone, (zones.get(zone) ?? 0) + 1);
  const others = Object.keys(chosen.labels).filter((key) => key !== label.instanceType);
  const same = offerings.filter(({ labels }) => others.every((key) => labels[key] === chosen.labels[key]));
  const types = [...new Set(same.map(({ type }) => type))];
  return [
    { key: label.instanceType, operator: 'In', values: types },
    ...[label.zone, label.capacityType].map((key) => ({
      key,
      operator: 'In' as const,
      values: [chosen.labels[key] ?? ''],
    })),
  ];
}
