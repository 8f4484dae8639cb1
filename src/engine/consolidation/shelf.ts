// Which new node would hold pods that fit on no other? The market as a board sees it: first by size, then tried out.
import { label } from '../../cluster/names.ts';
import type { Mark, PodClass } from '../placement/board.ts';
import type { BoardState } from '../placement/boardState.ts';
import type { LaunchType } from './launch.ts';
import type { Leaver } from './leaver.ts';
import type { Market, MarketPool, MarketType, PricedShape } from './market.ts';
import { sizeOf } from './seating.ts';

/** One way to launch a node, with its room by the board's columns. */
export interface ShelfItem {
  readonly pool: MarketPool;
  readonly shape: PricedShape;
  readonly room: Float64Array;
}

/** What a new node is wanted for. */
interface Wanted {
  readonly below: number;
  readonly leaving: readonly Pick<Leaver, 'instanceType' | 'price'>[];
}

/** The same type as one that leaves, and not cheaper: that one could as well stay. */
const isNoBetter = ({ shape }: ShelfItem, { instanceType, price = 0 }: Wanted['leaving'][number]): boolean =>
  shape.instanceType === instanceType && shape.price >= price;

export interface Offered {
  readonly pool: MarketPool;
  readonly types: readonly LaunchType[];
}

export class Shelf {
  readonly #board: BoardState;
  readonly #market: Market;
  /** Cheapest first; one for each size, price and kind of place. */
  readonly #items: readonly ShelfItem[];
  /** One of each pool, type and zone, in the kind of capacity that is cheapest there; the cheapest first. */
  readonly kinds: readonly ShelfItem[];

  constructor(board: BoardState, market: Market) {
    this.#board = board;
    this.#market = market;
    const { resources } = board.tables;
    this.#items = market.pools
      .flatMap((pool) => pool.types.flatMap(({ shapes }) => shapes.map((shape) => ({ pool, shape }))))
      .map((it) => ({ ...it, room: Float64Array.from(resources, (name) => it.shape.room[name] ?? 0) }))
      .sort((a, b) => a.shape.price - b.shape.price);
    const kinds = new Map<string, ShelfItem>();
    for (const item of this.#items) {
      const kind = `${item.pool.name} ${item.shape.instanceType} ${item.shape.labels[label.zone]}`;
      if (!kinds.has(kind)) kinds.set(kind, item);
    }
    this.kinds = [...kinds.values()];
  }

  /** The cheapest of that size, whatever else the pods ask for. */
  cheapest(size: Float64Array): PricedShape | undefined {
    for (const { room, shape } of this.#items) if (holds(room, size)) return shape;
    return undefined;
  }

  /** The cheapest that the pods fit on, as far as a few tries show; undefined = none. */
  probe(pods: readonly PodClass[], size: Float64Array, { below, leaving }: Wanted): ShelfItem | undefined {
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
   * The first pool that makes a node on which all of them fit, and its types, each with where that is so. Types that cost more than `below`
   * wherever they are to be had are not tried out once a cheaper one would do.
   */
  offers(pods: readonly PodClass[], below: number): Offered | undefined {
    const size = sizeOf(pods, this.#board.tables);
    for (const pool of this.#market.pools) {
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
    return this.#board.tables.resources.every((name, column) => !((size[column] as number) > (room[name] ?? 0)));
  }

  #offered({ name, shapes }: MarketType, pods: readonly PodClass[]): LaunchType {
    const offers = shapes.map((shape) => {
      const { [label.zone]: zone = '', [label.capacityType]: capacityType = '' } = shape.labels;
      return { shape, zone, capacityType, price: shape.price, holds: this.#takes(pods, shape) };
    });
    return { name, offers };
  }

  #takes(pods: readonly PodClass[], shape: PricedShape): boolean {
    const board = this.#board;
    const mark: Mark = board.mark();
    const row = board.add(shape);
    const all = pods.every((pod) => {
      const fits = board.fits(pod, row);
      if (fits) board.take(pod, row);
      return fits;
    });
    board.undo(mark);
    return all;
  }
}

const isBelow = ({ shapes }: MarketType, price: number): boolean => shapes.some((it) => it.price < price);

const isHolding = ({ offers }: LaunchType): boolean => offers.some((it) => it.holds);

/** Sizes in the order of price: behind the first few that refuse for their labels, more would hardly take them. */
const mostTries = 8;

function holds(room: Float64Array, size: Float64Array): boolean {
  for (let column = 0; column < size.length; column++) {
    const needed = size[column] as number;
    if (needed > 0 && needed > (room[column] as number)) return false;
  }
  return true;
}
