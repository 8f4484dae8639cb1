// Which objects belong together? Kept up to date by each change, so that nobody looks through 20,000 pods for the few of one node.
import { type Key, type KubeObject, keyOf } from '../kubeObject.ts';
import type { Objects } from '../objects.ts';

const none: ReadonlyMap<Key, KubeObject> = new Map();

export class Grouped {
  readonly #groups = new Map<string, Map<Key, KubeObject>>();
  readonly #groupOf: (object: KubeObject) => string | undefined;

  /** An object without a group is left out. */
  constructor(objects: Objects, kind: string, groupOf: (object: KubeObject) => string | undefined) {
    this.#groupOf = groupOf;
    for (const object of objects.list(kind)) this.#change(undefined, object);
    objects.onChange(({ type, object, was }) => {
      if (object.kind === kind) this.#change(was, type === 'DELETED' ? undefined : object);
    });
  }

  /** In the order in which they joined. */
  of(group: string): ReadonlyMap<Key, KubeObject> {
    return this.#groups.get(group) ?? none;
  }

  #change(was: KubeObject | undefined, is: KubeObject | undefined): void {
    const left = was && this.#groupOf(was);
    const joined = is && this.#groupOf(is);
    if (was && left !== undefined && left !== joined) this.#leave(left, keyOf(was));
    if (!is || joined === undefined) return;
    const group = this.#groups.get(joined);
    if (group) group.set(keyOf(is), is);
    else this.#groups.set(joined, new Map([[keyOf(is), is]]));
  }

  #leave(name: string, key: Key): void {
    const group = this.#groups.get(name);
    group?.delete(key);
    if (group?.size === 0) this.#groups.delete(name);
  }
}
