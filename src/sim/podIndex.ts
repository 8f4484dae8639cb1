// Which pods are on a node or in a namespace, and which PDBs mean a pod? Kept with every write, so that nobody looks through all pods.
import type { Key, KubeObject } from './kubeObject.ts';
import { selects } from './labelSelector.ts';

/** Keys alone: most writes change an object where it is, and then there is nothing to do. */
type Group = Map<string, Set<Key>>;

type Find = (kind: string, key: Key) => KubeObject | undefined;

const none: ReadonlySet<Key> = new Set();

export class PodIndex {
  readonly #find: Find;
  readonly #byNode: Group = new Map();
  readonly #byNamespace: Group = new Map();
  readonly #pdbs: Group = new Map();

  constructor(find: Find) {
    this.#find = find;
  }

  on(node: string): Iterable<KubeObject> {
    return this.#all('Pod', this.#byNode.get(node));
  }

  in(namespace: string): Iterable<KubeObject> {
    return this.#all('Pod', this.#byNamespace.get(namespace));
  }

  pdbsOver({ metadata }: KubeObject): readonly KubeObject[] {
    const found: KubeObject[] = [];
    for (const pdb of this.#all('PodDisruptionBudget', this.#pdbs.get(metadata.namespace ?? '')))
      if (selects(pdb.spec?.selector, metadata.labels)) found.push(pdb);
    return found;
  }

  update(key: Key, was: KubeObject | undefined, object: KubeObject | undefined): void {
    const kind = (was ?? object)?.kind;
    if (kind === 'Pod') {
      move(this.#byNode, key, was && nodeOf(was), object && nodeOf(object));
      move(this.#byNamespace, key, was?.metadata.namespace, object?.metadata.namespace);
    } else if (kind === 'PodDisruptionBudget')
      move(this.#pdbs, key, was?.metadata.namespace, object?.metadata.namespace);
  }

  /** Whoever goes through them may delete them on the way. */
  *#all(kind: string, keys: ReadonlySet<Key> = none): Generator<KubeObject> {
    for (const key of keys) {
      const object = this.#find(kind, key);
      if (object) yield object;
    }
  }
}

const nodeOf = ({ spec }: KubeObject): string | undefined => spec?.nodeName as string | undefined;

function move(group: Group, key: Key, from: string | undefined, to: string | undefined): void {
  if (from === to) return;
  if (from !== undefined) {
    const left = group.get(from);
    left?.delete(key);
    if (left?.size === 0) group.delete(from);
  }
  if (to === undefined) return;
  const known = group.get(to);
  if (known) known.add(key);
  else group.set(to, new Set([key]));
}
