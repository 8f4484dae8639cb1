// Which pods does each PodDisruptionBudget mean, and how are they? Kept with every change, so that a status costs no look through all pods.
import { isDeleting, type Key, type KubeObject, keyOf, type Texts } from '../../kubeObject.ts';
import { selects } from '../../labelSelector.ts';
import type { Objects } from '../../objects.ts';
import { controllerReference, type Pod } from '../manifest.ts';
import { isTrue } from '../status.ts';

export interface Members {
  readonly pods: ReadonlyMap<Key, Pod>;
  /** Ready, and not on their way out. */
  readonly healthy: ReadonlySet<Key>;
  /** Whoever looks after them, by uid. */
  readonly controllers: ReadonlyMap<string, Controlled>;
}

export interface Controlled {
  readonly kind: string;
  readonly name: string;
  pods: number;
}

interface Budget extends Members {
  readonly key: Key;
  readonly namespace: string;
  readonly selector: unknown;
  readonly pods: Map<Key, Pod>;
  readonly healthy: Set<Key>;
  readonly controllers: Map<string, Controlled>;
}

interface Meant {
  readonly labels: Texts | undefined;
  readonly by: readonly Budget[];
  readonly keys: readonly Key[];
}

const nobody: readonly Key[] = [];

export class PdbPods {
  readonly #objects: Objects;
  readonly #budgets = new Map<Key, Budget>();
  readonly #byNamespace = new Map<string, Set<Budget>>();
  readonly #meant = new Map<Key, Meant>();

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  of(key: Key): Members | undefined {
    return this.#budgets.get(key);
  }

  inNamespace(namespace: string): Key[] {
    return [...(this.#byNamespace.get(namespace) ?? [])].map(({ key }) => key);
  }

  setPdb(pdb: KubeObject, isGone: boolean): void {
    const key = keyOf(pdb);
    const { namespace = '' } = pdb.metadata;
    const selector = pdb.spec?.selector;
    const known = this.#budgets.get(key);
    if (known && !isGone && known.selector === selector) return;
    if (known) this.#byNamespace.get(known.namespace)?.delete(known);
    this.#budgets.delete(key);
    if (!isGone) {
      const budget: Budget = { key, namespace, selector, pods: new Map(), healthy: new Set(), controllers: new Map() };
      this.#budgets.set(key, budget);
      this.#byNamespace.set(namespace, (this.#byNamespace.get(namespace) ?? new Set()).add(budget));
    }
    // Whom it means has to be asked again of every pod there.
    for (const pod of this.#objects.podsIn(namespace)) {
      this.setPod(pod as Pod, true);
      this.setPod(pod as Pod, false);
    }
  }

  /** Gives the keys of the PDBs to which it makes a difference. */
  setPod(pod: Pod, isGone: boolean): readonly Key[] {
    const key = keyOf(pod);
    const known = this.#meant.get(key);
    if (known && !isGone && known.labels === pod.metadata.labels) return update(known, key, pod) ? known.keys : nobody;
    if (known) for (const budget of known.by) leave(budget, key);
    if (isGone) {
      this.#meant.delete(key);
      return known?.keys ?? nobody;
    }
    const meant = this.#meaning(pod);
    this.#meant.set(key, meant);
    for (const budget of meant.by) enter(budget, key, pod);
    return known && known.by.length > 0 ? [...new Set([...known.keys, ...meant.keys])] : meant.keys;
  }

  #meaning({ metadata: { labels, namespace = '' } }: Pod): Meant {
    const by = [...(this.#byNamespace.get(namespace) ?? [])].filter(({ selector }) => selects(selector, labels));
    return { labels, by, keys: by.map(({ key }) => key) };
  }
}

/** Says whether anything has changed that is counted. */
function update({ by }: Meant, key: Key, pod: Pod): boolean {
  const isHealthy = !isDeleting(pod) && isTrue(pod, 'Ready');
  let isChanged = false;
  for (const { pods, healthy } of by) {
    const was = pods.get(key);
    isChanged ||= isHealthy !== healthy.has(key) || (was !== undefined && isDeleting(was) !== isDeleting(pod));
    pods.set(key, pod);
    if (isHealthy) healthy.add(key);
    else healthy.delete(key);
  }
  return isChanged;
}

function enter({ pods, healthy, controllers }: Budget, key: Key, pod: Pod): void {
  pods.set(key, pod);
  if (!isDeleting(pod) && isTrue(pod, 'Ready')) healthy.add(key);
  const reference = controllerReference(pod);
  if (!reference) return;
  const { uid, kind, name } = reference;
  const known = controllers.get(uid);
  if (known) known.pods++;
  else controllers.set(uid, { kind, name, pods: 1 });
}

function leave({ pods, healthy, controllers }: Budget, key: Key): void {
  const pod = pods.get(key);
  pods.delete(key);
  healthy.delete(key);
  const uid = pod && controllerReference(pod)?.uid;
  const known = uid === undefined ? undefined : controllers.get(uid);
  if (known && --known.pods === 0) controllers.delete(uid ?? '');
}
