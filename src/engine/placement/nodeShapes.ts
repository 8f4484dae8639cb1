// Shapes of possible new nodes (F5): like the replaced node under the current template, and the catalogue's instance types.
import type { Pool, Taint } from '../../cluster/model.ts';
import { label } from '../../cluster/names.ts';
import { add, type NodeView, subtract } from '../../cluster/nodeView.ts';
import type { Resources } from '../../cluster/quantity.ts';
import { incompatibleKeys, type TextMap } from '../../cluster/selector.ts';
import type { InstanceType, Settings } from '../../cluster/settings.ts';
import type { Cluster } from '../../cluster/store.ts';
import { isSelected, toleratesAll } from './placementRule.ts';
import { priceOf } from './price.ts';

export interface NodeShape {
  readonly instanceType?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly allocatable: Resources;
  /** Allocatable minus what DaemonSets will use. */
  readonly room: Resources;
  readonly price?: number;
  readonly assumed?: boolean;
}

export interface PricedShape extends NodeShape {
  readonly price: number;
}

export interface ShapeContext {
  readonly settings: Settings;
  readonly cluster: Cluster;
}

/** In its own pool: the node's own shape, then the catalogue by price. In another pool: shapes like that pool's nodes. */
export function shapesFor(view: NodeView, pool: Pool, { settings, cluster }: ShapeContext): readonly NodeShape[] {
  const daemons = daemonsOf(cluster, view);
  const others = settings.catalogue
    .flatMap((type) => catalogueShapes(type, view, { pool, daemons }))
    .sort((a, b) => a.price - b.price);
  const isOwnPool = view.poolName === pool.name;
  const seen = isOwnPool ? [view] : unlikeOnes(cluster.nodesOf(pool.name).nodes);
  const alike = seen
    .map((it) => likeNode(it, { pool, daemons }, settings))
    .filter(({ labels }) => incompatibleKeys(pool.template.requirements, labels).length === 0);
  if (alike.length > 0 || others.length > 0) return [...alike, ...others];
  return isOwnPool ? [assumedShape(likeNode(view, { pool, daemons }, settings), pool)] : [];
}

/** One node for each instance type, zone and capacity type. */
function unlikeOnes(nodes: readonly NodeView[]): readonly NodeView[] {
  const kinds = new Map<string, NodeView>();
  for (const view of nodes) {
    const { labels } = view.node;
    const kind = [label.instanceType, label.zone, label.capacityType].map((key) => labels[key] ?? '').join(' ');
    if (view.managed && !kinds.has(kind)) kinds.set(kind, view);
  }
  return [...kinds.values()];
}

export interface NodeMaker {
  readonly pool: Pool;
  readonly daemons: Daemons;
}

/** A new node of this type with these labels under the pool's current template. */
function shapeOf({ name, allocatable }: InstanceType, labels: TextMap, { pool, daemons }: NodeMaker): NodeShape {
  const { taints } = pool.template;
  return { instanceType: name, labels, taints, allocatable, room: roomFor(allocatable, { labels, taints }, daemons) };
}

function likeNode(view: NodeView, { pool, daemons }: NodeMaker, settings: Settings): NodeShape {
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

function catalogueShapes(type: InstanceType, view: NodeView, maker: NodeMaker): readonly PricedShape[] {
  return offeredShapes(type, maker, (offered) => ({
    ...maker.pool.template.labels,
    ...offered,
    ...systemLabels(view),
    ...type.labels,
  }));
}

/** Volumes name their zone by these labels; the drivers of AWS, Azure and GCP add them to every node, with the zone as the value. */
const volumeZoneKeys = [
  'topology.ebs.csi.aws.com/zone',
  'topology.disk.csi.azure.com/zone',
  'topology.gke.io/zone',
] as const;

/** One shape for each available offering of the type that the pool's template allows. */
export function offeredShapes(
  type: InstanceType,
  maker: NodeMaker,
  labelsOf: (offered: TextMap) => TextMap,
): readonly PricedShape[] {
  const { name, template } = maker.pool;
  return type.offerings.flatMap(({ zone, capacityType, price, available }) => {
    const labels = labelsOf({
      [label.pool]: name,
      [label.instanceType]: type.name,
      [label.zone]: zone,
      [label.capacityType]: capacityType,
      ...Object.fromEntries(volumeZoneKeys.map((key) => [key, zone])),
    });
    if (!available || incompatibleKeys(template.requirements, labels).length > 0) return [];
    return [{ ...shapeOf(type, labels, maker), price }];
  });
}

/** A catalogue has no architecture or OS. Nodes of one pool have the same. */
function systemLabels({ node }: NodeView): Record<string, string> {
  const keys: readonly string[] = [label.arch, label.os];
  return Object.fromEntries(Object.entries(node.labels).filter(([key]) => keys.includes(key)));
}

/** The node's own size with the labels that the current requirements ask for. */
function assumedShape(own: NodeShape, { template }: Pool): NodeShape {
  const labels = { ...own.labels };
  for (const { key, operator, values } of template.requirements) {
    const [first] = values;
    if (operator === 'In' && first !== undefined && !values.includes(labels[key] ?? '')) labels[key] = first;
  }
  const { instanceType: _, price: __, ...rest } = own;
  return { ...rest, labels, assumed: true };
}

function roomFor(allocatable: Resources, place: Pick<NodeShape, 'labels' | 'taints'>, daemons: Daemons): Resources {
  const room: Record<string, number> = { ...allocatable };
  subtract(room, daemons.on(place));
  return room;
}

/** What DaemonSets will use on a new node (F6): those that it admits. Startup taints are removed before pods arrive. */
export interface Daemons {
  on(place: { readonly labels: TextMap; readonly taints: readonly Taint[] }): Resources;
}

/** If no DaemonSet is known, a new node is assumed to run the same daemons as the leaving one. */
export function daemonsOf({ daemonSets }: Cluster, leaving: NodeView | undefined): Daemons {
  if (daemonSets.length === 0) return { on: () => leaving?.daemons ?? {} };
  return {
    on: ({ labels, taints }) => {
      const place = { name: '', labels, taints, unschedulable: false };
      const total: Record<string, number> = {};
      for (const { requests, tolerations, nodeSelector } of daemonSets) {
        if (toleratesAll(tolerations, place) && isSelected(nodeSelector, place)) add(total, requests);
      }
      return total;
    },
  };
}
