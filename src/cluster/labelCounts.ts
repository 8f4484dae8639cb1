// How many pods carry a label, by namespace and in the whole cluster.
import type { Pod } from './model.ts';
import type { Requirement } from './selector.ts';

interface OfKey {
  count: number;
  readonly byValue: Map<string, number>;
}

interface Group {
  pods: number;
  readonly byKey: Map<string, OfKey>;
}

export class LabelCounts {
  readonly #all: Group = { pods: 0, byKey: new Map() };
  readonly #byNamespace = new Map<string, Group>();

  add({ namespace, labels }: Pod, change: 1 | -1): void {
    const own = this.#byNamespace.get(namespace) ?? { pods: 0, byKey: new Map<string, OfKey>() };
    for (const group of [this.#all, own]) {
      group.pods += change;
      for (const key in labels) bump(group, key, labels[key] as string, change);
    }
    if (own.pods > 0) this.#byNamespace.set(namespace, own);
    else this.#byNamespace.delete(namespace);
  }

  /** An upper bound of the pods that a selector means: those that carry the rarest label it needs. `namespaces` absent = all. */
  reach(requirements: readonly Requirement[], namespaces?: readonly string[]): number {
    if (!namespaces) return reachIn(this.#all, requirements);
    let sum = 0;
    for (const name of namespaces.length > 1 ? new Set(namespaces) : namespaces)
      sum += reachIn(this.#byNamespace.get(name), requirements);
    return sum;
  }
}

function bump(group: Group, key: string, value: string, change: 1 | -1): void {
  const ofKey = group.byKey.get(key) ?? { count: 0, byValue: new Map<string, number>() };
  ofKey.count += change;
  if (ofKey.count > 0) group.byKey.set(key, ofKey);
  else group.byKey.delete(key);
  const count = (ofKey.byValue.get(value) ?? 0) + change;
  if (count > 0) ofKey.byValue.set(value, count);
  else ofKey.byValue.delete(value);
}

function reachIn(group: Group | undefined, requirements: readonly Requirement[]): number {
  if (!group) return 0;
  let fewest = group.pods;
  for (const { key, operator, values } of requirements) {
    const ofKey = group.byKey.get(key);
    if (operator === 'Exists') fewest = Math.min(fewest, ofKey?.count ?? 0);
    if (operator !== 'In') continue;
    fewest = Math.min(
      fewest,
      values.reduce((sum, value) => sum + (ofKey?.byValue.get(value) ?? 0), 0),
    );
  }
  return fewest;
}
