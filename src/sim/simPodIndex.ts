// Index of pods by node and namespace, and of PDBs by namespace, updated with every write.
import { type KubeObject, type ObjectKey, selects, textAt } from './kubeObject.ts';

/** Keys only: most writes do not change the group of an object. */
type KeyGroups = Map<string, Set<ObjectKey>>;

type FindObject = (kind: string, key: ObjectKey) => KubeObject | undefined;

const none: ReadonlySet<ObjectKey> = new Set();

export class SimPodIndex {
  readonly #find: FindObject;
  readonly #byNode: KeyGroups = new Map();
  readonly #byNamespace: KeyGroups = new Map();
  readonly #pdbs: KeyGroups = new Map();

  constructor(find: FindObject) {
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

  update(key: ObjectKey, was: KubeObject | undefined, object: KubeObject | undefined): void {
    const kind = (was ?? object)?.kind;
    if (kind === 'Pod') {
      move(this.#byNode, key, was && nodeOf(was), object && nodeOf(object));
      move(this.#byNamespace, key, was?.metadata.namespace, object?.metadata.namespace);
    } else if (kind === 'PodDisruptionBudget')
      move(this.#pdbs, key, was?.metadata.namespace, object?.metadata.namespace);
  }

  /** The caller may delete objects while iterating. */
  *#all(kind: string, keys: ReadonlySet<ObjectKey> = none): Generator<KubeObject> {
    for (const key of keys) {
      const object = this.#find(kind, key);
      if (object) yield object;
    }
  }
}

const nodeOf = ({ spec }: KubeObject): string | undefined => textAt(spec, 'nodeName');

function move(group: KeyGroups, key: ObjectKey, from: string | undefined, to: string | undefined): void {
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
