// Which instance types does the cluster show by itself (F5)? What nodes of a type carry, and what they cost where that is written on them.
import { label } from '../../cluster/names.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Resources } from '../../cluster/quantity.ts';
import type { TextMap } from '../../cluster/selector.ts';
import type { Offering } from '../../cluster/settings.ts';

export interface SeenType {
  readonly name: string;
  /** Of the labels that are asked for, those that the first node of the type has. */
  readonly labels: TextMap;
  readonly allocatable: Resources;
  /** Where a node bears its price; one for each zone and kind of capacity. */
  readonly offerings: readonly Offering[];
}

/** By name of the first node; `keys`: the labels that somebody asks for. */
export function seenTypes(nodes: readonly NodeView[], keys: ReadonlySet<string>): ReadonlyMap<string, SeenType> {
  const seen = new Map<string, SeenType & { readonly offerings: Offering[] }>();
  for (const { node, managed } of nodes) {
    const name = node.labels[label.instanceType];
    if (name === undefined || !managed) continue;
    const known = seen.get(name) ?? {
      name,
      labels: Object.fromEntries(Object.entries(node.labels).filter(([key]) => keys.has(key))),
      allocatable: node.allocatable,
      offerings: [],
    };
    seen.set(name, known);
    const offering = offeringOf(node.labels);
    if (offering && !known.offerings.some((it) => isSamePlace(it, offering))) known.offerings.push(offering);
  }
  return seen;
}

const isSamePlace = (a: Offering, b: Offering): boolean => a.zone === b.zone && a.capacityType === b.capacityType;

function offeringOf(labels: TextMap): Offering | undefined {
  const price = Number(labels[label.price]);
  const [zone, capacityType] = [labels[label.zone], labels[label.capacityType]];
  if (!(price > 0) || zone === undefined || capacityType === undefined) return undefined;
  return { zone, capacityType, price, available: true };
}
