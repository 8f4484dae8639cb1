// What did Karpenter say last of a node (N3)? One event a node and subject: it says the same of every parked node every few minutes.
import type { NodeEvent } from './model.ts';

export class EventIndex {
  readonly #newest: Readonly<Record<NodeEvent['about'], Map<string, NodeEvent>>> = {
    everything: new Map(),
    consolidation: new Map(),
  };

  on(node: string, about: NodeEvent['about']): NodeEvent | undefined {
    return this.#newest[about].get(node);
  }

  put(event: NodeEvent): void {
    const newest = this.#newest[event.about];
    const known = newest.get(event.node);
    if (!known || known.at <= event.at) newest.set(event.node, event);
  }

  /** Servers forget events after an hour; `key` is `namespace/name`. */
  remove(key: string): void {
    for (const newest of Object.values(this.#newest))
      for (const { namespace, name, node } of newest.values()) if (`${namespace}/${name}` === key) newest.delete(node);
  }

  forget(node: string): void {
    for (const newest of Object.values(this.#newest)) newest.delete(node);
  }
}
