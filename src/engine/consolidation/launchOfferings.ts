// Finds a new node for pods that fit on no existing one: filters the launch catalogue by size, then tries it on the board.
import { label } from '../../cluster/names.ts';
import type { Board } from '../placement/board.ts';
import type { PricedShape } from '../placement/nodeShapes.ts';
import type { PodClass, Tables } from '../placement/tables.ts';
import type { CandidateNode } from './candidateNode.ts';
import type { LaunchType } from './launch.ts';
import type { CataloguePool, CatalogueType, LaunchCatalogue } from './launchCatalogue.ts';

/** One possible new node, with its room by board column. */
export interface LaunchItem {
  readonly pool: CataloguePool;
  readonly shape: PricedShape;
  readonly room: Float64Array;
}

/** The constraints on a new node: cheaper than `below`, and better than the removed nodes. */
interface LaunchNeed {
  readonly below: number;
  readonly leaving: readonly Pick<CandidateNode, 'instanceType' | 'price'>[];
}

/** The same type as a removed node and not cheaper: keeping that node would do as well. */
const isNoBetter = ({ shape }: LaunchItem, { instanceType, price = 0 }: LaunchNeed['leaving'][number]): boolean =>
  shape.instanceType === instanceType && shape.price >= price;

export interface PoolOffers {
  readonly pool: CataloguePool;
  readonly types: readonly LaunchType[];
}

export class LaunchOfferings {
  readonly #board: Board;
  readonly #catalogue: LaunchCatalogue;
  /** One for each shape, cheapest first. */
  readonly #items: readonly LaunchItem[];
  /** One for each pool, type and zone, with the cheapest capacity type; cheapest first. */
  readonly kinds: readonly LaunchItem[];

  constructor(board: Board, catalogue: LaunchCatalogue) {
    this.#board = board;
    this.#catalogue = catalogue;
    const { resources } = board.tables;
    this.#items = catalogue.pools
      .flatMap((pool) => pool.types.flatMap(({ shapes }) => shapes.map((shape) => ({ pool, shape }))))
      .map((it) => ({ ...it, room: Float64Array.from(resources, (name) => it.shape.room[name] ?? 0) }))
      .sort((a, b) => a.shape.price - b.shape.price);
    const kinds = new Map<string, LaunchItem>();
    for (const item of this.#items) {
      const kind = `${item.pool.name} ${item.shape.instanceType} ${item.shape.labels[label.zone]}`;
      if (!kinds.has(kind)) kinds.set(kind, item);
    }
    this.kinds = [...kinds.values()];
  }

  /** The cheapest shape that is large enough, regardless of other rules. */
  cheapest(size: Float64Array): PricedShape | undefined {
    for (const { room, shape } of this.#items) if (holds(room, size)) return shape;
    return undefined;
  }

  /** The cheapest that the pods fit on, within a few tries; undefined = none. */
  probe(pods: readonly PodClass[], size: Float64Array, { below, leaving }: LaunchNeed): LaunchItem | undefined {
    let tries = 0;
    for (const item of this.#items) {
      if (item.shape.price >= below || tries >= mostTries) return undefined;
      if (!holds(item.room, size) || leaving.some((it) => isNoBetter(item, it))) continue;
      tries++;
      if (this.#takes(pods, item.shape)) return item;
    }
    return undefined;
  }

  /**
   * The first pool that can launch a node on which all pods fit, and its types with the offerings that fit. Types without an offering below
   * `below` are tried only if no cheaper type fits.
   */
  offers(pods: readonly PodClass[], below: number): PoolOffers | undefined {
    const size = sizeOf(pods, this.#board.tables);
    for (const pool of this.#catalogue.pools) {
      const large = pool.types.filter(({ shapes: [shape] }) => shape && this.#isLarge(shape, size));
      const [cheap, dear] = [large.filter((it) => isBelow(it, below)), large.filter((it) => !isBelow(it, below))];
      const types = cheap.map((type) => this.#offered(type, pods));
      if (types.some(isHolding)) return { pool, types };
      for (const type of dear) {
        const offered = this.#offered(type, pods);
        if (isHolding(offered)) return { pool, types: [offered] };
      }
    }
    return undefined;
  }

  #isLarge({ room }: PricedShape, size: Float64Array): boolean {
    return this.#board.tables.resources.every((name, column) => !((size[column] ?? 0) > (room[name] ?? 0)));
  }

  #offered({ name, shapes }: CatalogueType, pods: readonly PodClass[]): LaunchType {
    const offers = shapes.map((shape) => {
      const { [label.zone]: zone = '', [label.capacityType]: capacityType = '' } = shape.labels;
      return { shape, zone, capacityType, price: shape.price, holds: this.#takes(pods, shape) };
    });
    return { name, offers };
  }

  #takes(pods: readonly PodClass[], shape: PricedShape): boolean {
    const board = this.#board;
    const mark = board.mark();
    const row = board.add(shape);
    const all = pods.every((pod) => board.assignTo(pod, row));
    board.undo(mark);
    return all;
  }
}

const isBelow = ({ shapes }: CatalogueType, price: number): boolean => shapes.some((it) => it.price < price);

const isHolding = ({ offers }: LaunchType): boolean => offers.some((it) => it.holds);

/** After this many shapes that are large enough but do not fit because of their labels, more tries rarely succeed. */
const mostTries = 8;

function holds(room: Float64Array, size: Float64Array): boolean {
  for (let column = 0; column < size.length; column++) {
    const needed = size[column] ?? 0;
    if (needed > 0 && needed > (room[column] ?? 0)) return false;
  }
  return true;
}

/** The total requests of these pods, by board column. */
export function sizeOf(pods: readonly PodClass[], { classes, resources }: Tables): Float64Array {
  const size = new Float64Array(resources.length);
  for (const pod of pods) {
    for (const { column, amount } of classes[pod]?.needs ?? []) size[column] = (size[column] ?? 0) + amount;
  }
  return size;
}
