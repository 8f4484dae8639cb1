// What is being launched, and what could still be put on it? A bin: the machines it may become, and the pods it is to hold.
import { label } from '../../../cluster/names.ts';
import { parseResources, type Resources } from '../../../cluster/quantity.ts';
import type { World } from '../../world.ts';
import { cheapestOf, type Offering, offeringsOf } from '../cloud/offerings.ts';
import { leastUsed } from '../cloud/zones.ts';
import type { Claim, Pod, Pool, RawRequirement, Taint } from '../manifest.ts';
import { admits } from '../scheduler/admits.ts';
import { needsOf } from '../scheduler/needs.ts';

export interface Bin {
  /** Of the node, where it has come already. */
  readonly node?: string;
  readonly pool: Pool | undefined;
  readonly taints: readonly Taint[];
  /** Those that admit all its pods and would hold them. */
  offerings: readonly Offering[];
  readonly used: Record<string, number>;
  readonly pods: Pod[];
}

/** Those that have the room for the pod too, and admit it. */
export function offeringsFor({ offerings, used, taints }: Bin, pod: Pod): readonly Offering[] {
  const { requests, rules } = needsOf(pod);
  return offerings.filter(
    ({ labels, room }) => fits(room, used, requests) && admits({ name: '', labels, taints }, rules),
  );
}

function fits(room: Resources, used: Resources, more: Resources): boolean {
  for (const name in more) if ((used[name] ?? 0) + (more[name] ?? 0) > (room[name] ?? 0)) return false;
  return true;
}

/** What a pool could launch, with room for the daemons that come to every node of it. */
export function binOf(pool: Pool, daemons: Resources, world: World): Bin {
  const { metadata, spec } = pool.spec?.template ?? {};
  const own = { ...metadata?.labels, [label.pool]: pool.metadata.name };
  const offerings = offeringsOf(spec?.requirements ?? [], world).map((offering) => ({
    ...offering,
    labels: { ...own, ...offering.labels },
  }));
  return { pool, taints: spec?.taints ?? [], offerings, used: { ...daemons }, pods: [] };
}

/** A claim that is on its way: what it is, or what it will most likely be. */
export function binInFlight(claim: Claim, used: Resources, world: World): Bin {
  const { labels = {} } = claim.metadata;
  const { allocatable } = claim.status ?? {};
  const offerings = allocatable
    ? [{ type: '', labels, allocatable, room: parseResources(allocatable), price: 0 }]
    : offeringsOf(claim.spec?.requirements ?? [], world).map((it) => ({ ...it, labels: { ...labels, ...it.labels } }));
  const { nodeName } = claim.status ?? {};
  const node = nodeName !== undefined && { node: nodeName };
  return { ...node, pool: undefined, taints: claim.spec?.taints ?? [], offerings, used: { ...used }, pods: [] };
}

/** What it shall be: the cheapest, in the zone that has fewest. Larger machines of that zone will do as well. */
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
