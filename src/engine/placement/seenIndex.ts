// The classes of pods by the labels that terms see, so that a new term asks only those that it could mean (F6).
import type { PodTerm } from '../../cluster/scheduling.ts';
import type { Requirement, TextMap } from '../../cluster/selector.ts';

export type Meant = Pick<PodTerm, 'namespaces' | 'namespaceSelector' | 'selector'>;

/** What a term sees of the pods of a class. */
export interface Seen {
  readonly namespace: string;
  readonly labels: TextMap;
  readonly isEnding: boolean;
}

interface WithKey {
  readonly all: number[];
  readonly byValue: Map<string, number[]>;
}

export class SeenIndex {
  readonly #seen: Seen[] = [];
  readonly #all: number[] = [];
  readonly #byKey = new Map<string, WithKey>();
  readonly #byNamespace = new Map<string, number[]>();

  add(number: number, seen: Seen): void {
    this.#seen[number] = seen;
    this.#all.push(number);
    listAt(this.#byNamespace, seen.namespace).push(number);
    for (const key in seen.labels) {
      const file = this.#byKey.get(key) ?? { all: [], byValue: new Map<string, number[]>() };
      this.#byKey.set(key, file);
      file.all.push(number);
      listAt(file.byValue, seen.labels[key] as string).push(number);
    }
  }

  get(number: number): Seen | undefined {
    return this.#seen[number];
  }

  /** The fewest classes that hold all those which every one of these terms means. In ascending order, each once. */
  candidates(terms: readonly Meant[]): readonly number[] {
    let best: readonly number[][] = [this.#all];
    let fewest = this.#all.length;
    for (const lists of this.#waysTo(terms)) {
      const size = lists.reduce((sum, list) => sum + list.length, 0);
      if (size >= fewest) continue;
      best = lists;
      fewest = size;
    }
    return best.length === 1 ? (best[0] as number[]) : [...new Set(best.flat())].sort((a, b) => a - b);
  }

  *#waysTo(terms: readonly Meant[]): Generator<number[][]> {
    for (const { selector, namespaces, namespaceSelector } of terms) {
      if (!namespaceSelector) yield namespaces.map((name) => this.#byNamespace.get(name) ?? []);
      for (const requirement of selector.requirements) {
        const lists = this.#listsOf(requirement);
        if (lists) yield lists;
      }
    }
  }

  #listsOf({ key, operator, values }: Requirement): number[][] | undefined {
    if (operator === 'In') return values.map((value) => this.#byKey.get(key)?.byValue.get(value) ?? []);
    return operator === 'Exists' ? [this.#byKey.get(key)?.all ?? []] : undefined;
  }
}

function listAt(lists: Map<string, number[]>, key: string): number[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
