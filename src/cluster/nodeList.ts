// Which nodes are there, by name? A list that stays in order as they come and go.
import { compareText, type NodeView } from './nodeView.ts';

export const byName = (a: NodeView, b: NodeView): number => compareText(a.node.name, b.node.name);

/** A few newcomers are put in their places; many are sorted in at once. */
const mostPutInPlace = 100;

export class NodeList {
  readonly #views = new Map<string, NodeView>();
  /** Undefined = to be sorted anew. */
  #sorted: NodeView[] | undefined;
  /** Since somebody looked. */
  #newcomers = 0;

  get sorted(): readonly NodeView[] {
    this.#sorted ??= [...this.#views.values()].sort(byName);
    this.#newcomers = 0;
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
    if (!isKnown && ++this.#newcomers > mostPutInPlace) this.#sorted = undefined;
    if (!this.#sorted) return;
    const index = indexOf(this.#sorted, name);
    if (isKnown) this.#sorted[index] = view;
    else this.#sorted.splice(index, 0, view);
  }

  delete(name: string): void {
    if (this.#views.delete(name)) this.#sorted?.splice(indexOf(this.#sorted, name), 1);
  }
}

/** Where a node stands, or would stand. */
function indexOf(views: readonly NodeView[], name: string): number {
  let low = 0;
  let high = views.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((views[middle] as NodeView).node.name < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
