// What could replace a node (F5)? Its own shape under today's template, and the instance types of the catalogue.
import { incompatibleKeys } from '../../cluster/compatible.ts';
import type { Pool, Taint } from '../../cluster/model.ts';
import { label } from '../../cluster/names.ts';
import { type NodeView, subtract } from '../../cluster/nodeView.ts';
import type { Resources } from '../../cluster/quantity.ts';
import type { TextMap } from '../../cluster/selector.ts';
import type { InstanceType, Settings } from '../../cluster/settings.ts';
import type { Cluster } from '../../cluster/store.ts';
import { type Daemons, daemonsOf } from './daemons.ts';
import { priceOf } from './price.ts';

export type { Daemons } from './daemons.ts';

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

export interface Surroundings {
  readonly settings: Settings;
  readonly cluster: Cluster;
}

/** In its own pool its own shape first, then the cheapest; in another one like the nodes that pool has. */
export function shapesFor(view: NodeView, pool: Pool, { settings, cluster }: Surroundings): readonly Shape[] {
  const daemons = daemonsOf(cluster, view);
  const others = settings.catalogue
    .flatMap((type) => catalogueShapes(type, view, { pool, daemons }))
    .sort((a, b) => (a.price as number) - (b.price as number));
  const isOwnPool = view.poolName === pool.name;
  const seen = isOwnPool ? [view] : unlikeOnes(cluster.nodesOf(pool.name).nodes);
  const alike = seen
    .map((it) => likeNode(it, { pool, daemons }, settings))
    .filter(({ labels }) => incompatibleKeys(pool.template.requirements, labels).length === 0);
  if (alike.length > 0 || others.length > 0) return [...alike, ...others];
  return isOwnPool ? [assumedShape(likeNode(view, { pool, daemons }, settings), pool)] : [];
}

/** One of each instance type, zone and kind of capacity, by name. */
function unlikeOnes(nodes: readonly NodeView[]): readonly NodeView[] {
  const kinds = new Map<string, NodeView>();
  for (const view of nodes) {
    const { labels } = view.node;
    const kind = [label.instanceType, label.zone, label.capacityType].map((key) => labels[key] ?? '').join(' ');
    if (view.managed && !kinds.has(kind)) kinds.set(kind, view);
  }
  return [...kinds.values()];
}

interface Maker {
  readonly pool: Pool;
  readonly daemons: Daemons;
}

/** A new node of this type with these labels, by the pool's template of today. */
export function shapeOf({ name, allocatable }: InstanceType, labels: TextMap, { pool, daemons }: Maker): Shape {
  const { taints } = pool.template;
  return { instanceType: name, labels, taints, allocatable, room: roomFor(allocatable, { labels, taints }, daemons) };
}

function likeNode(view: NodeView, { pool, daemons }: Maker, settings: Settings): Shape {
  const { [label.hostname]: _, ...own } = view.node.labels;
  const instanceType = own[label.instanceType];
  const price = priceOf(view, settings);
  const labels = { ...own, ...pool.template.labels };
  const { taints } = pool.template;
  const { allocatable } = view.node;
  return {
    ...(instanceType !== undefined && { instanceType }),
    labels,
    taints,
    allocatable,
    room: roomFor(allocatable, { labels, taints }, daemons),
    ...(price !== undefined && { price }),
  };
}

function catalogueShapes(type: InstanceType, view: NodeView, maker: Maker): Shape[] {
  const { name, template } = maker.pool;
  return type.offerings.flatMap((offering) => {
    const labels = {
      ...template.labels,
      [label.pool]: name,
      [label.instanceType]: type.name,
      [label.zone]: offering.zone,
      [label.capacityType]: offering.capacityType,
      ...systemLabels(view),
      ...type.labels,
    };
    if (!offering.available || incompatibleKeys(template.requirements, labels).length > 0) return [];
    return [{ ...shapeOf(type, labels, maker), price: offering.price }];
  });
}

/** A catalogue does not say what a type runs; nodes of one pool run the same. */
function systemLabels({ node }: NodeView): Record<string, string> {
  const keys = [label.arch, label.os];
  return Object.fromEntries(
    keys.flatMap((key) => (node.labels[key] === undefined ? [] : [[key, node.labels[key] as string]])),
  );
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

function roomFor(allocatable: Resources, place: Pick<Shape, 'labels' | 'taints'>, daemons: Daemons): Resources {
  const room: Record<string, number> = { ...allocatable };
  subtract(room, daemons.on(place));
  return room;
}
