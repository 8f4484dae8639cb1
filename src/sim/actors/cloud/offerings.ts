// The cloud's offerings (instance type, zone, capacity type) that satisfy requirements, and the choice among them.
import { label } from '../../../cluster/names.ts';
import { parseResources, type Resources } from '../../../cluster/quantity.ts';
import { matchesAll, type Requirement } from '../../../cluster/selector.ts';
import { isDeleting, type Json, type Texts } from '../../kubeObject.ts';
import type { SimInstanceType, World } from '../../world.ts';
import type { RawClaim, RawRequirement } from '../rawObjects.ts';

export interface SimOffering {
  readonly type: string;
  readonly labels: Texts;
  readonly allocatable: Json;
  readonly room: Resources;
  readonly price: number;
}

const arch = 'kubernetes.io/arch';
const os = 'kubernetes.io/os';

/** The most combinations of label values to consider. */
const mostCombinations = 2000;

const usualPods = '110';
const usualDisk = '100Gi';

/** Cheapest first; then by type and in the order of the zones. */
export function offeringsOf(requirements: readonly RawRequirement[], world: World): SimOffering[] {
  const required = requirements.map(({ key, operator, values = [] }): Requirement => ({ key, operator, values }));
  const choices = choicesOf(required, world);
  let combinations: Texts[] = [{}];
  for (const [key, values] of choices) {
    const own = required.filter((requirement) => requirement.key === key);
    const allowed = values.filter((value) => matchesAll(own, { [key]: value }));
    combinations = combinations
      .flatMap((labels) => allowed.map((value) => ({ ...labels, [key]: value })))
      .slice(0, mostCombinations);
  }
  return combinations.flatMap((labels) => offering(labels, world)).sort((a, b) => a.price - b.price);
}

/** The possible values by label: those of the cloud, and those that requirements list. */
function choicesOf(required: readonly Requirement[], { instanceTypes, zones }: World): Map<string, readonly string[]> {
  const named = (key: string): string[] =>
    required.filter((it) => it.key === key && it.operator === 'In').flatMap(({ values }) => values);
  const choices = new Map<string, readonly string[]>([
    [label.instanceType, [...instanceTypes.keys()]],
    [label.zone, [...new Set([...zones, ...named(label.zone)])]],
    // Spot is cheaper, so it is chosen wherever it is allowed.
    [label.capacityType, named(label.capacityType).includes('spot') ? ['spot'] : ['on-demand', 'reserved', 'spot']],
    [arch, ['amd64', 'arm64']],
    [os, ['linux', 'windows']],
  ]);
  for (const { key, operator } of required) if (operator === 'In' && !choices.has(key)) choices.set(key, named(key));
  // Without a requirement, use the default.
  for (const key of [label.capacityType, arch, os]) {
    const [usual = ''] = choices.get(key) ?? [];
    if (!required.some((requirement) => requirement.key === key)) choices.set(key, [usual]);
  }
  return choices;
}

function offering(labels: Texts, { instanceTypes }: World): SimOffering[] {
  const type = labels[label.instanceType] ?? '';
  const shape = instanceTypes.get(type);
  if (!shape) return [];
  const { allocatable, room } = amountsOf(shape);
  return [{ type, labels, allocatable, room, price: shape.price ?? 0 }];
}

const amounts = new WeakMap<SimInstanceType, { allocatable: Json; room: Resources }>();

function amountsOf(shape: SimInstanceType): { allocatable: Json; room: Resources } {
  const known = amounts.get(shape);
  if (known) return known;
  const { cpu, memory, pods = usualPods } = shape;
  const allocatable = { cpu, 'ephemeral-storage': usualDisk, memory, pods };
  const made = { allocatable, room: parseResources(allocatable) };
  amounts.set(shape, made);
  return made;
}

/** The offerings of the cheapest type, which differ in their zones. */
export const cheapestOf = (offerings: readonly SimOffering[]): SimOffering[] =>
  offerings.filter(({ type, price }) => type === offerings[0]?.type && price === offerings[0].price);

export function holds(room: Resources, wanted: Resources): boolean {
  for (const name in wanted) if ((wanted[name] ?? 0) > (room[name] ?? 0)) return false;
  return true;
}

/** The number of nodes per zone of a pool, including those being launched. */
export function zonesUsed(pool: string, { claimsByPool }: World): Map<string, number> {
  const used = new Map<string, number>();
  for (const claim of claimsByPool.of(pool).values()) {
    const zone = isDeleting(claim) ? undefined : zoneOf(claim);
    if (zone !== undefined) used.set(zone, (used.get(zone) ?? 0) + 1);
  }
  return used;
}

/** The claim's zone, or the only zone its requirements allow. */
function zoneOf({ metadata, spec }: RawClaim): string | undefined {
  const known = metadata.labels?.[label.zone];
  if (known !== undefined) return known;
  const required = spec?.requirements?.filter(({ key, operator }) => key === label.zone && operator === 'In') ?? [];
  return required.find(({ values }) => values?.length === 1)?.values?.[0];
}

/** The first offering in the zone with the fewest nodes. */
export function leastUsed(
  offerings: readonly SimOffering[],
  used: ReadonlyMap<string, number>,
): SimOffering | undefined {
  const count = ({ labels }: SimOffering): number => used.get(labels[label.zone] ?? '') ?? 0;
  let best: SimOffering | undefined;
  for (const offering of offerings) if (!best || count(offering) < count(best)) best = offering;
  return best;
}
