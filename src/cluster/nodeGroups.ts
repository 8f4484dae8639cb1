// Which nodes belong together? Those of one pool: what is worked out from all of them is remembered with them until one of them changes.
import type { Memory } from './memory.ts';
import { NodeList } from './nodeList.ts';
import { compareText, type NodeView } from './nodeView.ts';

/** Replaced, never changed, like the views in it: as long as it is the same object, nothing in it has changed. */
export interface NodeGroup {
  /** Whether Karpenter manages them; those that it does not are one group. */
  readonly managed: boolean;
  /** Absent where no label says so. */
  readonly poolName?: string;
  /** By name. */
  readonly nodes: readonly NodeView[];
  readonly memory: Memory;
}

/** The managed nodes of a pool, or of none; false = all that are not managed. */
type Place = string | undefined | false;

const placeOf = ({ managed, poolName }: NodeView): Place => managed && poolName;

export class NodeGroups {
  readonly #lists = new Map<Place, NodeList>();
  /** Those of which nothing has changed since they were made. */
  readonly #groups = new Map<Place, NodeGroup>();
  #sorted: readonly NodeGroup[] | undefined;

  /** In the order of their pools. */
  get all(): readonly NodeGroup[] {
    this.#sorted ??= [...this.#lists.keys()].map((place) => this.#group(place)).sort(byPool);
    return this.#sorted;
  }

  /** The managed nodes of a pool. */
  ofPool(name: string): NodeGroup {
    return this.#group(name);
  }

  put(view: NodeView, was: NodeView | undefined): void {
    const place = placeOf(view);
    if (was && placeOf(was) !== place) this.delete(was);
    const list = this.#lists.get(place) ?? new NodeList();
    this.#lists.set(place, list);
    list.put(view);
    this.#touch(place);
  }

  delete(view: NodeView): void {
    const place = placeOf(view);
    const list = this.#lists.get(place);
    list?.delete(view.node.name);
    if (list?.size === 0) this.#lists.delete(place);
    this.#touch(place);
  }

  #touch(place: Place): void {
    this.#groups.delete(place);
    this.#sorted = undefined;
  }

  #group(place: Place): NodeGroup {
    const known = this.#groups.get(place);
    if (known) return known;
    // A copy: the list goes on changing.
    const nodes = [...(this.#lists.get(place)?.sorted ?? [])];
    const group = {
      managed: place !== false,
      ...(typeof place === 'string' && { poolName: place }),
      nodes,
      memory: [],
    };
    this.#groups.set(place, group);
    return group;
  }
}

/** Those of no pool first, those that are not managed last. */
const byPool = (a: NodeGroup, b: NodeGroup): number =>
  Number(b.managed) - Number(a.managed) ||
  Number(a.poolName !== undefined) - Number(b.poolName !== undefined) ||
  compareText(a.poolName ?? '', b.poolName ?? '');
