// What does a node cost, as far as is known (F5)?
import { label } from '../../cluster/names.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { InstanceType, Settings } from '../../cluster/settings.ts';

export interface Prices {
  readonly catalogue: Settings['catalogue'];
  /** Per hour; undefined where neither the catalogue nor a label says. */
  of(view: NodeView): number | undefined;
}

const remembered = new WeakMap<Settings['catalogue'], Prices>();

/** For many nodes: a catalogue is looked through once. */
export function pricesOf({ catalogue }: Settings): Prices {
  const known = remembered.get(catalogue);
  if (known) return known;
  const prices = lookThrough(catalogue);
  remembered.set(catalogue, prices);
  return prices;
}

function lookThrough(catalogue: Settings['catalogue']): Prices {
  const types = new Map<string, InstanceType>();
  for (const type of catalogue) if (!types.has(type.name)) types.set(type.name, type);
  return { catalogue, of: ({ node }) => priceIn(node.labels, types.get(node.labels[label.instanceType] ?? '')) };
}

/** Per hour; undefined where neither the catalogue nor a label says. */
export const priceOf = (view: NodeView, settings: Settings): number | undefined => pricesOf(settings).of(view);

function priceIn(labels: NodeView['node']['labels'], type: InstanceType | undefined): number | undefined {
  const offering = type?.offerings.find(
    ({ zone, capacityType }) => zone === labels[label.zone] && capacityType === labels[label.capacityType],
  );
  if (offering) return offering.price;
  const written = Number(labels[label.price]);
  return written > 0 ? written : undefined;
}
