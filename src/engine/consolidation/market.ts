// What could be launched instead (F5)? By pool, the preferred one first: instance types with what they cost where.
import { currentName, incompatibleKeys } from '../../cluster/compatible.ts';
import { openSlot } from '../../cluster/memory.ts';
import type { Pool } from '../../cluster/model.ts';
import { label } from '../../cluster/names.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import type { TextMap } from '../../cluster/selector.ts';
import type { InstanceType } from '../../cluster/settings.ts';
import { type Daemons, daemonsOf } from '../placement/daemons.ts';
import { type Shape, shapeOf } from '../placement/shapes.ts';
import type { Situation } from '../situation.ts';
import type { MinValues } from './launch.ts';
import { type SeenType, seenTypes } from './seenTypes.ts';

/** Plain data, for a search in a worker. */
export interface Market {
  /** Heaviest first, then by name: the first that can hold what has to move is the one that is asked. */
  readonly pools: readonly MarketPool[];
  /** False where only the types seen on nodes are known: Karpenter may launch others. */
  readonly hasAllTypes: boolean;
}

export interface MarketPool {
  readonly name: string;
  readonly minValues: readonly MinValues[];
  /** The cheapest first. */
  readonly types: readonly MarketType[];
}

export interface MarketType {
  readonly name: string;
  /** One for each way it can be had; the same size each. */
  readonly shapes: readonly PricedShape[];
}

export interface PricedShape extends Shape {
  readonly price: number;
}

interface Remembered {
  readonly market: Market;
  readonly pools: readonly Pool[];
  /** Everything else that it was made from. */
  readonly from: readonly unknown[];
}

const remembered = openSlot<Remembered>();

/** The same object as in the round before, as long as nothing it rests on has changed. */
export function marketOf(situation: Situation): Market {
  const { cluster, tallies, settings } = situation;
  const pools = [...tallies.values()]
    .map(({ pool }) => pool)
    .filter((pool) => makesNodes(pool, situation))
    .sort((a, b) => b.weight - a.weight || compareText(a.name, b.name));
  const stocks = stocksOf(pools, situation);
  const from = [settings.catalogue, cluster.daemonSets, JSON.stringify(stocks)];
  const known = remembered.recall(cluster);
  if (known && isSame(known.pools, pools) && isSame(known.from, from)) return known.market;
  const market = {
    pools: pools.map((pool, index) => marketPool(pool, stocks[index] as Stock, situation)),
    hasAllTypes: hasAllTypes(pools, stocks, settings.catalogue),
  };
  return remembered.keep(cluster, { market, pools, from }).market;
}

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((it, index) => it === b[index]);

/** A static pool keeps its number; one that is deleted, not Ready or waiting (F4, F7) makes none. */
const makesNodes = (pool: Pool, { ledger, now, slow }: Situation): boolean =>
  pool.replicas === undefined &&
  !pool.deleting &&
  pool.fault === undefined &&
  !pool.provisioner &&
  pool.conditions.Ready?.status !== 'False' &&
  !slow.refusals.has(pool.name) &&
  !ledger.backoffs.some((it) => it.pool === pool.name && now < it.until);

/** What a catalogue does not say of a pool's nodes. */
interface Stock {
  readonly seen: readonly SeenType[];
  /** Nodes of one pool run the same. */
  readonly system: TextMap;
  /** Where no DaemonSet is known. */
  readonly daemons: NodeView['daemons'];
  /** The smallest that a node has. */
  readonly disk: number | undefined;
}

function stocksOf(pools: readonly Pool[], { cluster, tallies }: Situation): readonly Stock[] {
  const keys = new Set(pools.flatMap(({ template }) => template.requirements.map(({ key }) => key)));
  const seen = [...seenTypes(cluster.nodes, keys.union(systemKeys)).values()];
  const any = cluster.nodes.find(({ managed }) => managed);
  const disks = seen.flatMap(({ allocatable }) => allocatable[diskName] ?? []);
  const disk = disks.length > 0 ? Math.min(...disks) : undefined;
  return pools.map((pool) => {
    const like = tallies.get(pool.name)?.nodes[0] ?? any;
    const system = Object.entries(like?.node.labels ?? {}).filter(([key]) => systemKeys.has(key));
    return { seen, system: Object.fromEntries(system), daemons: like?.daemons ?? {}, disk };
  });
}

const systemKeys: ReadonlySet<string> = new Set([label.arch, label.os]);

function marketPool(pool: Pool, stock: Stock, { cluster, settings }: Situation): MarketPool {
  const listed = new Set(settings.catalogue.map(({ name }) => name));
  const unlisted = stock.seen.filter(({ name, offerings }) => offerings.length > 0 && !listed.has(name));
  const seen = new Map(stock.seen.map((type) => [type.name, type]));
  const known = daemonsOf(cluster, undefined);
  const daemons: Daemons = cluster.daemonSets.length > 0 ? known : { on: () => stock.daemons };
  const types = [...settings.catalogue.map((type) => sizedAs(type, stock, seen.get(type.name))), ...unlisted]
    .map((type) => {
      const labels = knownLabels(pool, { ...stock.system, ...type.labels, ...seen.get(type.name)?.labels });
      return { name: type.name, shapes: shapesOf(type, labels, { pool, daemons }) };
    })
    .filter(({ shapes }) => shapes.length > 0)
    .sort((a, b) => cheapest(a) - cheapest(b) || compareText(a.name, b.name));
  return { name: pool.name, minValues: minValuesOf(pool), types };
}

/** What nodes of a type show is truer than an estimate; a disk is as small as any that was seen. */
function sizedAs(type: InstanceType, { disk }: Stock, seen: SeenType | undefined): InstanceType {
  if (!type.estimated) return type;
  if (seen) return { ...type, allocatable: seen.allocatable };
  return disk === undefined ? type : { ...type, allocatable: { ...type.allocatable, [diskName]: disk } };
}

const diskName = 'ephemeral-storage';

/**
 * A catalogue is taken to be complete. Metrics name all types, but not all labels that a pool may ask for: where one is not known, types are
 * left out that Karpenter may launch.
 */
function hasAllTypes(pools: readonly Pool[], stocks: readonly Stock[], catalogue: readonly InstanceType[]): boolean {
  if (catalogue.some(({ estimated }) => !estimated)) return true;
  if (catalogue.length === 0) return false;
  return pools.every(({ template }, index) => {
    const { seen, system } = stocks[index] as Stock;
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

/** What an offering itself says. */
const ownKeys: ReadonlySet<string> = new Set([label.pool, label.instanceType, label.zone, label.capacityType]);

const minValuesOf = ({ template }: Pool): readonly MinValues[] =>
  template.requirements.flatMap(({ key, minValues }) => (minValues === undefined ? [] : [{ key, least: minValues }]));

const cheapest = ({ shapes }: MarketType): number => Math.min(...shapes.map(({ price }) => price));

function shapesOf(
  type: InstanceType,
  known: TextMap,
  maker: { readonly pool: Pool; readonly daemons: Daemons },
): readonly PricedShape[] {
  const { name, template } = maker.pool;
  return type.offerings.flatMap((offering) => {
    const labels = {
      ...known,
      ...type.labels,
      ...template.labels,
      [label.pool]: name,
      [label.instanceType]: type.name,
      [label.zone]: offering.zone,
      [label.capacityType]: offering.capacityType,
    };
    if (!offering.available || incompatibleKeys(template.requirements, labels).length > 0) return [];
    return [{ ...shapeOf(type, labels, maker), price: offering.price }];
  });
}

/** What a new node carries besides: what the template asks for in one word, and what nodes of its type and pool have of all that. */
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
