// Index of the pods each PodDisruptionBudget selects and their health, updated with every change.
import { isDeleting, type KubeObject, keyOf, type ObjectKey, selects, type Texts } from '../kubeObject.ts';
import type { Objects } from '../objects.ts';
import { controllerReference, isTrue, type RawPod } from './rawObjects.ts';

export interface Members {
  readonly pods: ReadonlyMap<ObjectKey, RawPod>;
  /** Ready and not terminating. */
  readonly healthy: ReadonlySet<ObjectKey>;
  /** The pods' controllers, by uid. */
  readonly controllers: ReadonlyMap<string, Controlled>;
}

export interface Controlled {
  readonly kind: string;
  readonly name: string;
  pods: number;
}

interface PdbMembers extends Members {
  readonly key: ObjectKey;
  readonly namespace: string;
  readonly selector: unknown;
  readonly pods: Map<ObjectKey, RawPod>;
  readonly healthy: Set<ObjectKey>;
  readonly controllers: Map<string, Controlled>;
}

interface PodPdbs {
  readonly labels: Texts | undefined;
  readonly by: readonly PdbMembers[];
  readonly keys: readonly ObjectKey[];
}

const noKeys: readonly ObjectKey[] = [];

export class PdbPods {
  readonly #objects: Objects;
  readonly #budgets = new Map<ObjectKey, PdbMembers>();
  readonly #byNamespace = new Map<string, Set<PdbMembers>>();
  readonly #pdbsOfPods = new Map<ObjectKey, PodPdbs>();

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  of(key: ObjectKey): Members | undefined {
    return this.#budgets.get(key);
  }

  inNamespace(namespace: string): ObjectKey[] {
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
      const budget: PdbMembers = {
        key,
        namespace,
        selector,
        pods: new Map(),
        healthy: new Set(),
        controllers: new Map(),
      };
      this.#budgets.set(key, budget);
      this.#byNamespace.set(namespace, (this.#byNamespace.get(namespace) ?? new Set()).add(budget));
    }
    // Match every pod of the namespace again.
    for (const pod of this.#objects.podsIn(namespace)) {
      this.setPod(pod, true);
      this.setPod(pod, false);
    }
  }

  /** Returns the keys of the affected PDBs. */
  setPod(pod: RawPod, isGone: boolean): readonly ObjectKey[] {
    const key = keyOf(pod);
    const known = this.#pdbsOfPods.get(key);
    if (known && !isGone && known.labels === pod.metadata.labels) return update(known, key, pod) ? known.keys : noKeys;
    if (known) for (const budget of known.by) leave(budget, key);
    if (isGone) {
      this.#pdbsOfPods.delete(key);
      return known?.keys ?? noKeys;
    }
    const matched = this.#pdbsOf(pod);
    this.#pdbsOfPods.set(key, matched);
    for (const budget of matched.by) enter(budget, key, pod);
    return known && known.by.length > 0 ? [...new Set([...known.keys, ...matched.keys])] : matched.keys;
  }

  #pdbsOf({ metadata: { labels, namespace = '' } }: RawPod): PodPdbs {
    const by = [...(this.#byNamespace.get(namespace) ?? [])].filter(({ selector }) => selects(selector, labels));
    return { labels, by, keys: by.map(({ key }) => key) };
  }
}

/** Returns whether a count changed. */
function update({ by }: PodPdbs, key: ObjectKey, pod: RawPod): boolean {
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

function enter({ pods, healthy, controllers }: PdbMembers, key: ObjectKey, pod: RawPod): void {
  pods.set(key, pod);
  if (!isDeleting(pod) && isTrue(pod, 'Ready')) healthy.add(key);
  const reference = controllerReference(pod);
  if (!reference) return;
  const { uid, kind, name } = reference;
  const known = controllers.get(uid);
  if (known) known.pods++;
  else controllers.set(uid, { kind, name, pods: 1 });
}

function leave({ pods, healthy, controllers }: PdbMembers, key: ObjectKey): void {
  const pod = pods.get(key);
  pods.delete(key);
  healthy.delete(key);
  const uid = pod && controllerReference(pod)?.uid;
  const known = uid === undefined ? undefined : controllers.get(uid);
  if (known && --known.pods === 0) controllers.delete(uid ?? '');
}
