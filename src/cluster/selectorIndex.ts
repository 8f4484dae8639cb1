// Which of many selectors mean these labels? Each is filed under a label value that it needs, so that few have to be tried.
import { matchesAll, type Requirement, type TextMap } from './selector.ts';

interface Entry<Rule> {
  readonly rule: Rule;
  readonly requirements: readonly Requirement[];
  /** The one it is filed under; absent = it needs no certain value. */
  readonly filedUnder: Requirement | undefined;
}

export class SelectorIndex<Rule> {
  readonly #entries = new Map<Rule, Entry<Rule>>();
  readonly #byLabel = new Map<string, Map<string, Set<Entry<Rule>>>>();
  readonly #others = new Set<Entry<Rule>>();

  put(rule: Rule, requirements: readonly Requirement[]): void {
    this.delete(rule);
    const filedUnder = requirements.find(({ operator }) => operator === 'In');
    const entry = { rule, requirements, filedUnder };
    this.#entries.set(rule, entry);
    if (!filedUnder) this.#others.add(entry);
    for (const value of filedUnder?.values ?? []) this.#file(filedUnder?.key ?? '', value).add(entry);
  }

  delete(rule: Rule): void {
    const entry = this.#entries.get(rule);
    if (!entry) return;
    this.#entries.delete(rule);
    this.#others.delete(entry);
    const { key = '', values = [] } = entry.filedUnder ?? {};
    for (const value of values) {
      const file = this.#file(key, value);
      file.delete(entry);
      if (file.size === 0) this.#byLabel.get(key)?.delete(value);
    }
  }

  /** In no certain order. */
  matching(labels: TextMap): Rule[] {
    const found: Rule[] = [];
    for (const { rule, requirements } of this.#others) if (matchesAll(requirements, labels)) found.push(rule);
    for (const key in labels) {
      // A label has one value, so that nothing is found twice.
      for (const { rule, requirements } of this.#byLabel.get(key)?.get(labels[key] as string) ?? []) {
        if (matchesAll(requirements, labels)) found.push(rule);
      }
    }
    return found;
  }

  #file(key: string, value: string): Set<Entry<Rule>> {
    const values = this.#byLabel.get(key) ?? new Map<string, Set<Entry<Rule>>>();
    this.#byLabel.set(key, values);
    const file = values.get(value) ?? new Set<Entry<Rule>>();
    values.set(value, file);
    return file;
  }
}
