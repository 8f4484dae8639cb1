// Which machines would the cloud give for these requirements? Every combination of labels that is allowed, with what it holds and costs.
import { label } from '../../../cluster/names.ts';
import { parseResources, type Resources } from '../../../cluster/quantity.ts';
import { matchesAll, type Requirement } from '../../../cluster/selector.ts';
import type { Json, Texts } from '../../kubeObject.ts';
import type { InstanceType, World } from '../../world.ts';
import type { RawRequirement } from '../manifest.ts';

export interface Offering {
  readonly type: string;
  readonly labels: Texts;
  readonly allocatable: Json;
  readonly room: Resources;
  readonly price: number;
}

const arch = 'kubernetes.io/arch';
const os = 'kubernetes.io/os';

/** A requirement with many values, times others: nobody means more combinations than this. */
const mostCombinations = 2000;

const usualPods = '110';
const usualDisk = '100Gi';

/** Cheapest first; then by type and in the order of the zones. */
export function offeringsOf(requirements: readonly RawRequirement[], world: World): Offering[] {
  const asked = requirements.map(({ key, operator, values = [] }): Requirement => ({ key, operator, values }));
  const choices = choicesOf(asked, world);
  let combinations: Texts[] = [{}];
  for (const [key, values] of choices) {
    const own = asked.filter((requirement) => requirement.key === key);
    const allowed = values.filter((value) => matchesAll(own, { [key]: value }));
    combinations = combinations
      .flatMap((labels) => allowed.map((value) => ({ ...labels, [key]: value })))
      .slice(0, mostCombinations);
  }
  return combinations.flatMap((labels) => offering(labels, world)).sort((a, b) => a.price - b.price);
}

/** What can be chosen from, by label: the cloud's own, and whatever else a list of values names. */
function choicesOf(asked: readonly Requirement[], { instanceTypes, zones }: World): Map<string, readonly string[]> {
  const named = (key: string): string[] =>
    asked.filter((it) => it.key === key && it.operator === 'In').flatMap(({ values }) => values);
  const choices = new Map<string, readonly string[]>([
    [label.instanceType, [...instanceTypes.keys()]],
    [label.zone, [...new Set([...zones, ...named(label.zone)])]],
    // Spot is cheaper, so it is taken wherever it was asked for.
    [label.capacityType, named(label.capacityType).includes('spot') ? ['spot'] : ['on-demand', 'reserved', 'spot']],
    [arch, ['amd64', 'arm64']],
    [os, ['linux', 'windows']],
  ]);
  for (const { key, operator } of asked) if (operator === 'In' && !choices.has(key)) choices.set(key, named(key));
  // Where nothing is asked there is nothing to choose.
  for (const key of [label.capacityType, arch, os]) {
    const [usual = ''] = choices.get(key) ?? [];
    if (!asked.some((requirement) => requirement.key === key)) choices.set(key, [usual]);
  }
  return choices;
}

function offering(labels: Texts, { instanceTypes }: World): Offering[] {
  const type = labels[label.instanceType] ?? '';
  const shape = instanceTypes.get(type);
  if (!shape) return [];
  const { allocatable, room } = amountsOf(shape);
  return [{ type, labels, allocatable, room, price: shape.price ?? 0 }];
}

const amounts = new WeakMap<InstanceType, { allocatable: Json; room: Resources }>();

function amountsOf(shape: InstanceType): { allocatable: Json; room: Resources } {
  const known = amounts.get(shape);
  if (known) return known;
  const { cpu, memory, pods = usualPods } = shape;
  const allocatable = { cpu, 'ephemeral-storage': usualDisk, memory, pods };
  const made = { allocatable, room: parseResources(allocatable) };
  amounts.set(shape, made);
  return made;
}

/** Those of the cheapest type: they differ in where they are. */
export const cheapestOf = (offerings: readonly Offering[]): Offering[] =>
  offerings.filter(({ type, price }) => type === offerings[0]?.type && price === offerings[0].price);

export function holds(room: Resources, wanted: Resources): boolean {
  for (const name in wanted) if ((wanted[name] ?? 0) > (room[name] ?? 0)) return false;
  return true;
}
