// The registry of affinity and spread terms (F6): each distinct term once, with the pod classes it selects and its tallies.
import type { PodTerm } from '../../cluster/scheduling.ts';
import { matches, type Requirement, type Selector, type TextMap } from '../../cluster/selector.ts';
import { SelectorIndex } from '../../cluster/selectorIndex.ts';
import type { Tables, TallyDefinition } from './tables.ts';

type PodSelection = Pick<PodTerm, 'namespaces' | 'namespaceSelector' | 'selector'>;

/** What terms can select the pods of a class by. */
export interface PodTraits {
  readonly namespace: string;
  readonly labels: TextMap;
  readonly isEnding: boolean;
}

interface KeyLists {
  readonly all: number[];
  readonly byValue: Map<string, number[]>;
}

/** The pods that all of these terms select. */
interface Matcher {
  readonly terms: readonly PodSelection[];
  readonly classes: number[];
  /** Tallies of the selected pods, including terminating ones. */
  readonly counted: number[];
  /** Tallies of the selected pods, without terminating ones. */
  readonly countedAlive: number[];
  /** Tallies of the pods whose anti-affinity selects these pods. */
  readonly forbidden: number[];
  /** Tallies to subtract from those, for parts with a negative sign. */
  readonly excused: number[];
  readonly liked: { readonly tally: number; readonly weight: number }[];
}

type Effect = 'counted' | 'countedAlive' | 'forbidden' | 'excused' | 'liked';

export class TermRegistry {
  readonly #tables: Tables;
  readonly #namespaceLabels: (name: string) => TextMap;
  readonly #matchers = new Map<string, Matcher>();
  readonly #byNamespace = new Map<string, SelectorIndex<Matcher>>();
  /** Matchers that select namespaces by label. */
  readonly #anywhere = new SelectorIndex<Matcher>();
  readonly #tallyIds = new Map<string, number>();
  readonly #classes = new ClassIndex();
  /** By class: tallies added after pods of the class may already be on the board. They have to be counted there. */
  readonly late = new Map<number, number[]>();
  usesNamespaceLabels = false;

  constructor(tables: Tables, namespaceLabels: (name: string) => TextMap) {
    this.#tables = tables;
    this.#namespaceLabels = namespaceLabels;
  }

  /** The tally with this name; adds it if it is new. */
  tally(name: string, tally: TallyDefinition): number {
    const text = `${tally.topology} ${name}`;
    const known = this.#tallyIds.get(text);
    if (known !== undefined) return known;
    const id = this.#tables.tallies.push(tally) - 1;
    this.#tallyIds.set(text, id);
    return id;
  }

  /** A tally with an effect on the pods that these terms select. */
  tallyOf(terms: readonly PodSelection[], effect: Effect, tally: TallyDefinition, weight = 0): number {
    const [text, matcher] = this.#matcher(terms);
    const known = this.#tables.tallies.length;
    const id = this.tally(`${effect} ${weight} ${text}`, tally);
    if (id < known) return id;
    if (effect === 'liked') matcher.liked.push({ tally: id, weight });
    else matcher[effect].push(id);
    for (const number of matcher.classes) this.#apply(number, effect, id, weight);
    return id;
  }

  selects(terms: readonly PodSelection[], traits: Pick<PodTraits, 'namespace' | 'labels'>): boolean {
    return terms.every(
      ({ selector, namespaces, namespaceSelector }) =>
        matches(selector, traits.labels) &&
        (namespaces.includes(traits.namespace) ||
          (namespaceSelector !== undefined && matches(namespaceSelector, this.#namespaceLabels(traits.namespace)))),
    );
  }

  /** Applies all known terms to a new class. */
  enter(number: number, traits: PodTraits): void {
    this.#classes.add(number, traits);
    const found = [
      ...this.#anywhere.matching(traits.labels),
      ...(this.#byNamespace.get(traits.namespace)?.matching(traits.labels) ?? []),
    ];
    for (const matcher of found) if (this.selects(matcher.terms, traits)) this.#join(number, matcher);
  }

  #join(number: number, matcher: Matcher): void {
    matcher.classes.push(number);
    for (const effect of ['counted', 'countedAlive', 'forbidden', 'excused'] as const) {
      for (const id of matcher[effect]) this.#apply(number, effect, id, 0);
    }
    for (const { tally, weight } of matcher.liked) this.#apply(number, 'liked', tally, weight);
  }

  #apply(number: number, effect: Effect, tally: number, weight: number): void {
    const rule = this.#tables.classes[number];
    if (effect === 'forbidden' || effect === 'excused') rule?.[effect].push(tally);
    else if (effect === 'liked') rule?.liked.push({ tally, weight });
    else if (effect === 'counted' || !this.#classes.get(number)?.isEnding) this.count(number, tally);
  }

  count(number: number, tally: number): void {
    this.#tables.classes[number]?.counted.push(tally);
    const late = this.late.get(number);
    if (late) late.push(tally);
    else this.late.set(number, [tally]);
  }

  #matcher(terms: readonly PodSelection[]): readonly [string, Matcher] {
    const text = JSON.stringify(
      terms.map(({ namespaces, namespaceSelector, selector }) => [namespaces, namespaceSelector, selector]),
    );
    const known = this.#matchers.get(text);
    if (known) return [text, known];
    const matcher: Matcher = {
      terms,
      classes: [],
      counted: [],
      countedAlive: [],
      forbidden: [],
      excused: [],
      liked: [],
    };
    this.#matchers.set(text, matcher);
    this.#file(matcher);
    for (const number of this.#classes.candidates(terms)) {
      const traits = this.#classes.get(number);
      if (traits && this.selects(terms, traits)) matcher.classes.push(number);
    }
    return [text, matcher];
  }

  /** Filed under its first term, which selects every pod that all of them select. */
  #file(matcher: Matcher): void {
    const [first] = matcher.terms;
    if (matcher.terms.some(({ namespaceSelector }) => namespaceSelector)) this.usesNamespaceLabels = true;
    if (!first || matcher.terms.some(({ selector }) => selector.nothing)) return;
    const { requirements } = first.selector;
    if (first.namespaceSelector) {
      this.#anywhere.put(matcher, requirements);
      return;
    }
    for (const namespace of new Set(first.namespaces)) {
      const index = this.#byNamespace.get(namespace) ?? new SelectorIndex<Matcher>();
      this.#byNamespace.set(namespace, index);
      index.put(matcher, requirements);
    }
  }
}

/** The label keys a term selects pods by. */
export function* podKeysOf({ requirements }: Selector): Generator<string, void> {
  for (const { key } of requirements) yield key;
}

/** Pod classes by label, so that a new term is matched only against those it could select. */
class ClassIndex {
  readonly #classes: PodTraits[] = [];
  readonly #all: number[] = [];
  readonly #byKey = new Map<string, KeyLists>();
  readonly #byNamespace = new Map<string, number[]>();

  add(number: number, traits: PodTraits): void {
    this.#classes[number] = traits;
    this.#all.push(number);
    listAt(this.#byNamespace, traits.namespace).push(number);
    for (const [key, value] of Object.entries(traits.labels)) {
      const lists = this.#byKey.get(key) ?? { all: [], byValue: new Map<string, number[]>() };
      this.#byKey.set(key, lists);
      lists.all.push(number);
      listAt(lists.byValue, value).push(number);
    }
  }

  get(number: number): PodTraits | undefined {
    return this.#classes[number];
  }

  /** A small superset of the classes that all of these terms select, in ascending order without duplicates. */
  candidates(terms: readonly PodSelection[]): readonly number[] {
    let best: readonly number[][] = [this.#all];
    let fewest = this.#all.length;
    for (const lists of this.#waysTo(terms)) {
      const size = lists.reduce((sum, list) => sum + list.length, 0);
      if (size >= fewest) continue;
      best = lists;
      fewest = size;
    }
    const [only, ...others] = best;
    return only && others.length === 0 ? only : [...new Set(best.flat())].sort((a, b) => a - b);
  }

  *#waysTo(terms: readonly PodSelection[]): Generator<number[][]> {
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
