// The launch catalogue (F5): pools in order of preference, with the instance types they can launch and their prices.
import { memo } from '../../cluster/memo.ts';
import type { Pool } from '../../cluster/model.ts';
import { label } from '../../cluster/names.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import type { Resources } from '../../cluster/quantity.ts';
import type { TextMap } from '../../cluster/selector.ts';
import { currentName } from '../../cluster/selector.ts';
import type { InstanceType, Offering } from '../../cluster/settings.ts';
import type { Cluster } from '../../cluster/store.ts';
import { type Daemons, daemonsOf, offeredShapes, type PricedShape } from '../placement/nodeShapes.ts';
import type { Situation } from '../situation.ts';
import type { MinValues } from './launch.ts';

/** Plain data, so that a search can run in a worker. */
export interface LaunchCatalogue {
  /** By weight, then by name. The first pool that can hold the pods is used. */
  readonly pools: readonly CataloguePool[];
  /** False if only the types of existing nodes are known: Karpenter may launch others. */
  readonly hasAllTypes: boolean;
}

export interface CataloguePool {
  readonly name: string;
  readonly minValues: readonly MinValues[];
  /** Cheapest first. */
  readonly types: readonly CatalogueType[];
}

export interface CatalogueType {
  readonly name: string;
  /** One for each offering, all of the same size. */
  readonly shapes: readonly PricedShape[];
}

/** Returns the same object as in the previous round while nothing it depends on has changed. */
export function catalogueOf(situation: Situation): LaunchCatalogue {
  const { cluster, tallies, settings } = situation;
  const pools = [...tallies.values()]
    .map(({ pool }) => pool)
    .filter((pool) => makesNodes(pool, situation))
    .sort((a, b) => b.weight - a.weight || compareText(a.name, b.name));
  const facts = poolFacts(pools, situation);
  const shown = JSON.stringify(facts.map(({ pool: _, ...rest }) => rest));
  const cached = catalogues(cluster, [settings.catalogue, cluster.daemonSets, shown, ...pools]);
  cached.catalogue ??= {
    pools: facts.map((known) => cataloguePool(known, situation)),
    hasAllTypes: hasAllTypes(facts, settings.catalogue),
  };
  return cached.catalogue;
}

/** A cache slot for each combination of inputs. */
const catalogues = memo((_: Cluster, _inputs: readonly unknown[]): { catalogue?: LaunchCatalogue } => ({}));

/** Static pools keep their number of nodes. Pools that are being deleted, not Ready or waiting (F4, F7) launch none. */
const makesNodes = (pool: Pool, { ledger, now, slow }: Situation): boolean =>
  pool.replicas === undefined &&
  !pool.deleting &&
  pool.fault === undefined &&
  !pool.provisioner &&
  pool.conditions.Ready?.status !== 'False' &&
  !slow.refusals.has(pool.name) &&
  !ledger.backoffs.some((it) => it.pool === pool.name && now < it.until);

/** What existing nodes show about a pool, which the catalogue does not contain. */
interface PoolFacts {
  readonly pool: Pool;
  readonly seen: readonly ObservedType[];
  /** Architecture and OS, which all nodes of a pool share. */
  readonly system: TextMap;
  /** Used if no DaemonSet is known. */
  readonly daemons: NodeView['daemons'];
  /** The smallest disk of any node. */
  readonly disk: number | undefined;
}

function poolFacts(pools: readonly Pool[], { cluster, tallies }: Situation): readonly PoolFacts[] {
  const keys = new Set(pools.flatMap(({ template }) => template.requirements.map(({ key }) => key)));
  const seen = [...observedTypes(cluster.nodes, keys.union(systemKeys)).values()];
  const any = cluster.nodes.find(({ managed }) => managed);
  const disks = seen.flatMap(({ allocatable }) => allocatable[diskName] ?? []);
  const disk = disks.length > 0 ? Math.min(...disks) : undefined;
  return pools.map((pool) => {
    const like = tallies.get(pool.name)?.nodes[0] ?? any;
    const system = Object.entries(like?.node.labels ?? {}).filter(([key]) => systemKeys.has(key));
    return { pool, seen, system: Object.fromEntries(system), daemons: like?.daemons ?? {}, disk };
  });
}

const systemKeys: ReadonlySet<string> = new Set([label.arch, label.os]);

function cataloguePool(stock: PoolFacts, { cluster, settings }: Situation): CataloguePool {
  const { pool } = stock;
  const listed = new Set(settings.catalogue.map(({ name }) => name));
  const unlisted = stock.seen.filter(({ name, offerings }) => offerings.length > 0 && !listed.has(name));
  const seen = new Map(stock.seen.map((type) => [type.name, type]));
  const known = daemonsOf(cluster, undefined);
  const daemons: Daemons = cluster.daemonSets.length > 0 ? known : { on: () => stock.daemons };
  const types = [...settings.catalogue.map((type) => sizedAs(type, stock, seen.get(type.name))), ...unlisted]
    .map((type) => {
      const labels = knownLabels(pool, { ...stock.system, ...type.labels, ...seen.get(type.name)?.labels });
      const shapes = offeredShapes(type, { pool, daemons }, (offered) => ({
        ...labels,
        ...type.labels,
        ...pool.template.labels,
        ...offered,
      }));
      return { name: type.name, shapes };
    })
    .filter(({ shapes }) => shapes.length > 0)
    .sort((a, b) => cheapest(a) - cheapest(b) || compareText(a.name, b.name));
  return { name: pool.name, minValues: minValuesOf(pool), types };
}

/** Replaces an estimated size by that of an existing node, or its disk by the smallest one in the cluster. */
function sizedAs(type: InstanceType, { disk }: PoolFacts, seen: ObservedType | undefined): InstanceType {
  if (!type.estimated) return type;
  if (seen) return { ...type, allocatable: seen.allocatable };
  return disk === undefined ? type : { ...type, allocatable: { ...type.allocatable, [diskName]: disk } };
}

const diskName = 'ephemeral-storage';

/**
 * A catalogue from the settings counts as complete. Karpenter's metrics contain all types but not all labels that pools may require: if one
 * is unknown, types that Karpenter may launch are missing.
 */
function hasAllTypes(facts: readonly PoolFacts[], catalogue: readonly InstanceType[]): boolean {
  if (catalogue.some(({ estimated }) => !estimated)) return true;
  if (catalogue.length === 0) return false;
  return facts.every(({ pool: { template }, seen, system }) => {
    const shown = new Map(seen.map(({ name, labels }) => [name, labels]));
    const keys = template.requirements
      .filter(({ operator }) => operator !== 'NotIn' && operator !== 'DoesNotExist')
      .map(({ key }) => currentName(key))
      .filter((key) => !ownKeys.has(key) && template.labels[key] === undefined && system[key] === undefined);
    return catalogue.every(({ name, labels }) =>
      keys.every((key) => labels?.[key] !== undefined || shown.get(name)?.[key] !== undefined),
    );
  });
}

/** Labels that an offering determines. */
const ownKeys: ReadonlySet<string> = new Set([label.pool, label.instanceType, label.zone, label.capacityType]);

const minValuesOf = ({ template }: Pool): readonly MinValues[] =>
  template.requirements.flatMap(({ key, minValues }) => (minValues === undefined ? [] : [{ key, least: minValues }]));

const cheapest = ({ shapes }: CatalogueType): number => Math.min(...shapes.map(({ price }) => price));

/** More labels of a new node: template requirements with a single value, and values seen on nodes of its type and pool. */
function knownLabels({ template }: Pool, seen: TextMap): TextMap {
  const labels: Record<string, string> = {};
  for (const key of systemKeys) if (seen[key] !== undefined) labels[key] = seen[key];
  for (const { key, operator, values } of template.requirements) {
    const [value, ...others] = values;
    if (operator === 'In' && value !== undefined && others.length === 0) labels[key] = value;
    else if (seen[key] !== undefined) labels[key] ??= seen[key];
  }
  return labels;
}

/** An instance type observed on existing nodes: labels, size, and the price if a node has a price label. */
interface ObservedType {
  readonly name: string;
  /** The requested labels that the first node of the type has. */
  readonly labels: TextMap;
  readonly allocatable: Resources;
  /** From nodes with a price label, one for each zone and capacity type. */
  readonly offerings: readonly Offering[];
}

/** In the order of the nodes. `keys`: the labels to collect. */
function observedTypes(nodes: readonly NodeView[], keys: ReadonlySet<string>): ReadonlyMap<string, ObservedType> {
  const seen = new Map<string, ObservedType & { readonly offerings: Offering[] }>();
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
