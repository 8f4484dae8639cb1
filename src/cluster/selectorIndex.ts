// Index from labels to the selectors that match them. Each selector is filed under one label it requires, so that few are tried.
import { matchesAll, type Requirement, type TextMap } from './selector.ts';

interface IndexedSelector<Rule> {
  readonly rule: Rule;
  readonly requirements: readonly Requirement[];
  /** The requirement it is filed under (In or Exists); undefined = it requires no specific label. */
  readonly filedUnder: Requirement | undefined;
}

interface KeyBucket<Rule> {
  /** Selectors that require the key with any value. */
  readonly any: Set<IndexedSelector<Rule>>;
  readonly byValue: Map<string, Set<IndexedSelector<Rule>>>;
}

export class SelectorIndex<Rule> {
  readonly #entries = new Map<Rule, IndexedSelector<Rule>>();
  readonly #byKey = new Map<string, KeyBucket<Rule>>();
  readonly #others = new Set<IndexedSelector<Rule>>();

  put(rule: Rule, requirements: readonly Requirement[]): void {
    this.delete(rule);
    const filedUnder = this.#leastUsed(requirements);
    const entry = { rule, requirements, filedUnder };
    this.#entries.set(rule, entry);
    if (!filedUnder) this.#others.add(entry);
    else for (const set of this.#setsOf(filedUnder)) set.add(entry);
  }

  delete(rule: Rule): void {
    const entry = this.#entries.get(rule);
    if (!entry) return;
    this.#entries.delete(rule);
    this.#others.delete(entry);
    if (!entry.filedUnder) return;
    for (const set of this.#setsOf(entry.filedUnder)) set.delete(entry);
    this.#forgetEmpty(entry.filedUnder);
  }

  /** In no particular order. */
  matching(labels: TextMap): Rule[] {
    const found: Rule[] = [];
    collect(this.#others, labels, found);
    if (this.#byKey.size === 0) return found;
    for (const key in labels) {
      const file = this.#byKey.get(key);
      if (!file) continue;
      // A label has one value, so no selector is found twice.
      collect(file.any, labels, found);
      collect(file.byValue.get(labels[key] ?? ''), labels, found);
    }
    return found;
  }

  /** The requirement with the fewest selectors so far, so that a label common to all does not collect every selector. */
  #leastUsed(requirements: readonly Requirement[]): Requirement | undefined {
    let chosen: Requirement | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const operator of ['In', 'Exists']) {
      for (const requirement of requirements) {
        if (requirement.operator !== operator) continue;
        const used = this.#usedUnder(requirement);
        if (used >= fewest) continue;
        chosen = requirement;
        fewest = used;
      }
    }
    return chosen;
  }

  #usedUnder({ key, operator, values }: Requirement): number {
    const file = this.#byKey.get(key);
    if (operator === 'Exists') return file?.any.size ?? 0;
    return values.reduce((sum, value) => sum + (file?.byValue.get(value)?.size ?? 0), 0);
  }

  #setsOf({ key, operator, values }: Requirement): Set<IndexedSelector<Rule>>[] {
    const file = this.#byKey.get(key) ?? { any: new Set(), byValue: new Map() };
    this.#byKey.set(key, file);
    if (operator === 'Exists') return [file.any];
    return values.map((value) => {
      const set = file.byValue.get(value) ?? new Set<IndexedSelector<Rule>>();
      file.byValue.set(value, set);
      return set;
    });
  }

  #forgetEmpty({ key, values }: Requirement): void {
    const file = this.#byKey.get(key);
    for (const value of values) if (file?.byValue.get(value)?.size === 0) file.byValue.delete(value);
    if (file && file.any.size + file.byValue.size === 0) this.#byKey.delete(key);
  }
}

function collect<Rule>(entries: Iterable<IndexedSelector<Rule>> | undefined, labels: TextMap, found: Rule[]): void {
  if (entries) for (const { rule, requirements } of entries) if (matchesAll(requirements, labels)) found.push(rule);
}
