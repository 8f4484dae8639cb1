// What does a node cost, as far as is known (F5)?
import { label } from '../../cluster/names.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Settings } from '../../cluster/settings.ts';

/** Per hour; undefined where neither the catalogue nor a label says. */
export function priceOf({ node }: NodeView, { catalogue }: Settings): number | undefined {
  const type =
    catalogue.length > 0 ? catalogue.find(({ name }) => name === node.labels[label.instanceType]) : undefined;
  const offering = type?.offerings.find(
    ({ zone, capacityType }) => zone === node.labels[label.zone] && capacityType === node.labels[label.capacityType],
  );
  if (offering) return offering.price;
  const written = Number(node.labels[label.price]);
  return written > 0 ? written : undefined;
}
