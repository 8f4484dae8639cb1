// Nodes sorted by name, and grouped by pool. Memoized values of a group are kept until one of its nodes changes.
import type { Memory } from './memo.ts';
import { compareText, type NodeView } from './nodeView.ts';

/** Immutable, like the views in it: the same object means that nothing has changed. */
export interface NodeGroup {
  /** Whether Karpenter manages the nodes. All unmanaged nodes are one group. */
  readonly managed: boolean;
  /** Absent for nodes without a pool label. */
  readonly poolName?: string;
  /** Sorted by name. */
  readonly nodes: readonly NodeView[];
  readonly memory: Memory;
}

/** A pool name; undefined = managed nodes without a pool; false = unmanaged nodes. */
type GroupKey = string | undefined | false;

const groupKeyOf = ({ managed, poolName }: NodeView): GroupKey => managed && poolName;

export class NodeGroups {
  readonly #lists = new Map<GroupKey, NodeList>();
  /** Groups that are still up to date. */
  readonly #groups = new Map<GroupKey, NodeGroup>();
  #sorted: readonly NodeGroup[] | undefined;

  /** Sorted by pool name. */
  get all(): readonly NodeGroup[] {
    this.#sorted ??= [...this.#lists.keys()].map((key) => this.#group(key)).sort(byPool);
    return this.#sorted;
  }

  /** The managed nodes of a pool. */
  ofPool(name: string): NodeGroup {
    return this.#group(name);
  }

  put(view: NodeView, was: NodeView | undefined): void {
    const key = groupKeyOf(view);
    if (was && groupKeyOf(was) !== key) this.delete(was);
    const list = this.#lists.get(key) ?? new NodeList();
    this.#lists.set(key, list);
    list.put(view);
    this.#touch(key);
  }

  delete(view: NodeView): void {
    const key = groupKeyOf(view);
    const list = this.#lists.get(key);
    list?.delete(view.node.name);
    if (list?.size === 0) this.#lists.delete(key);
    this.#touch(key);
  }

  #touch(key: GroupKey): void {
    this.#groups.delete(key);
    this.#sorted = undefined;
  }

  #group(key: GroupKey): NodeGroup {
    const known = this.#groups.get(key);
    if (known) return known;
    // A copy, because the list is mutable.
    const nodes = [...(this.#lists.get(key)?.sorted ?? [])];
    const group = {
      managed: key !== false,
      ...(typeof key === 'string' && { poolName: key }),
      nodes,
      memory: [],
    };
    this.#groups.set(key, group);
    return group;
  }
}

/** Nodes without a pool first, unmanaged nodes last. */
const byPool = (a: NodeGroup, b: NodeGroup): number =>
  Number(b.managed) - Number(a.managed) ||
  Number(a.poolName !== undefined) - Number(b.poolName !== undefined) ||
  compareText(a.poolName ?? '', b.poolName ?? '');

export const byName = (a: NodeView, b: NodeView): number => compareText(a.node.name, b.node.name);

/** Up to this many new nodes are inserted one by one; with more, the whole list is sorted again. */
const maxInsertions = 100;

export class NodeList {
  readonly #views = new Map<string, NodeView>();
  /** Undefined = has to be sorted again. */
  #sorted: NodeView[] | undefined;
  /** Insertions since the list was last read. */
  #insertions = 0;

  get sorted(): readonly NodeView[] {
    this.#sorted ??= [...this.#views.values()].sort(byName);
    this.#insertions = 0;
    return this.#sorted;
  }

  get size(): number {
    return this.#views.size;
  }

  get(name: string): NodeView | undefined {
    return this.#views.get(name);
  }

  put(view: NodeView): void {
    const { name } = view.node;
    const isKnown = this.#views.has(name);
    this.#views.set(name, view);
    if (!isKnown && ++this.#insertions > maxInsertions) this.#sorted = undefined;
    if (!this.#sorted) return;
    const index = indexOf(this.#sorted, name);
    if (isKnown) this.#sorted[index] = view;
    else this.#sorted.splice(index, 0, view);
  }

  delete(name: string): void {
    if (this.#views.delete(name)) this.#sorted?.splice(indexOf(this.#sorted, name), 1);
  }
}

/** The index of a node in the sorted list, or where it would be inserted. */
function indexOf(views: readonly NodeView[], name: string): number {
  let low = 0;
  let high = views.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((views[middle]?.node.name ?? '') < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
