// What could replace a node (F5)? Its own shape under today's template, and the instance types of the catalogue.
import { incompatibleKeys } from '../../cluster/compatible.ts';
import type { Pool, Taint } from '../../cluster/model.ts';
import { label } from '../../cluster/names.ts';
import { type NodeView, subtract } from '../../cluster/nodeView.ts';
import type { Resources } from '../../cluster/quantity.ts';
import type { InstanceType, Settings } from '../../cluster/settings.ts';
import { priceOf } from './price.ts';

export interface Shape {
  readonly instanceType?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly allocatable: Resources;
  /** Allocatable less what DaemonSets will take. */
  readonly room: Resources;
  readonly price?: number;
  readonly assumed?: boolean;
}

/** Its own shape first, then the cheapest. */
export function shapesFor(view: NodeView, pool: Pool, settings: Settings): readonly Shape[] {
  const own = ownShape(view, pool, settings);
  const isAllowed = incompatibleKeys(pool.template.requirements, own.labels).length === 0;
  const others = settings.catalogue
    .flatMap((type) => catalogueShapes(type, view, pool))
    .sort((a, b) => (a.price as number) - (b.price as number));
  if (isAllowed) return [own, ...others];
  return others.length > 0 ? others : [assumedShape(own, pool)];
}

function ownShape(view: NodeView, { template }: Pool, settings: Settings): Shape {
  const { [label.hostname]: _, ...labels } = view.node.labels;
  const instanceType = labels[label.instanceType];
  const price = priceOf(view, settings);
  return {
    ...(instanceType !== undefined && { instanceType }),
    labels: { ...labels, ...template.labels },
    taints: template.taints,
    allocatable: view.node.allocatable,
    room: roomFor(view.node.allocatable, view),
    ...(price !== undefined && { price }),
  };
}

function catalogueShapes(type: InstanceType, view: NodeView, { name, template }: Pool): Shape[] {
  return type.offerings.flatMap((offering) => {
    const labels = {
      ...template.labels,
      [label.pool]: name,
      [label.instanceType]: type.name,
      [label.zone]: offering.zone,
      [label.capacityType]: offering.capacityType,
      ...systemLabels(view),
    };
    if (!offering.available || incompatibleKeys(template.requirements, labels).length > 0) return [];
    const { allocatable } = type;
    return [
      {
        instanceType: type.name,
        labels,
        taints: template.taints,
        allocatable,
        room: roomFor(allocatable, view),
        price: offering.price,
      },
    ];
  });
}

/** A catalogue does not say what a type runs; nodes of one pool run the same. */
function systemLabels({ node }: NodeView): Record<string, string> {
  const keys = ['kubernetes.io/arch', 'kubernetes.io/os'];
  return Object.fromEntries(keys.flatMap((key) => (node.labels[key] === undefined ? [] : [[key, node.labels[key]]])));
}

/** The node's own size with the labels that today's requirements ask for. */
function assumedShape(own: Shape, { template }: Pool): Shape {
  const labels = { ...own.labels };
  for (const { key, operator, values } of template.requirements) {
    if (operator === 'In' && !values.includes(labels[key] ?? '')) labels[key] = values[0] as string;
  }
  const { instanceType: _, price: __, ...rest } = own;
  return { ...rest, labels, assumed: true };
}

function roomFor(allocatable: Resources, { daemons }: NodeView): Resources {
  const room: Record<string, number> = { ...allocatable };
  subtract(room, daemons);
  return room;
}
