// Which pods does a term mean (F6)? Terms of all pods, each kept once, with what must be counted or kept apart because of it.
import { matches, type Selector, type TextMap } from '../../cluster/selector.ts';
import { SelectorIndex } from '../../cluster/selectorIndex.ts';
import { type Meant, type Seen, SeenIndex } from './seenIndex.ts';
import type { ClassRule, Tables, Tally } from './tables.ts';

/** The pods that all of these terms mean. */
interface Matcher {
  readonly terms: readonly Meant[];
  readonly classes: number[];
  /** Tallies that count whom it means, those that terminate too. */
  readonly counted: number[];
  /** Tallies that count whom it means, but for those that terminate. */
  readonly countedAlive: number[];
  /** Tallies of the pods that want nobody like that near them. */
  readonly forbidden: number[];
  /** Tallies of those among them that make an exception for it. */
  readonly excused: number[];
  readonly liked: { readonly tally: number; readonly weight: number }[];
}

type Effect = 'counted' | 'countedAlive' | 'forbidden' | 'excused' | 'liked';

export class TermBook {
  readonly #tables: Tables;
  readonly #namespaceLabels: (name: string) => TextMap;
  readonly #matchers = new Map<string, Matcher>();
  readonly #byNamespace = new Map<string, SelectorIndex<Matcher>>();
  /** Those that choose namespaces by label. */
  readonly #anywhere = new SelectorIndex<Matcher>();
  readonly #tallyIds = new Map<string, number>();
  readonly #seen = new SeenIndex();
  /** What was added to classes that may stand somewhere already: they are to be counted there. By class. */
  readonly late = new Map<number, number[]>();
  asksNamespaces = false;

  constructor(tables: Tables, namespaceLabels: (name: string) => TextMap) {
    this.#tables = tables;
    this.#namespaceLabels = namespaceLabels;
  }

  /** A tally by its name, made where there is none. */
  tally(name: string, tally: Tally): number {
    const text = `${tally.field} ${name}`;
    const known = this.#tallyIds.get(text);
    if (known !== undefined) return known;
    const id = this.#tables.tallies.push(tally) - 1;
    this.#tallyIds.set(text, id);
    return id;
  }

  /** A tally that has to do with the pods which these terms mean. */
  tallyOf(terms: readonly Meant[], effect: Effect, tally: Tally, weight = 0): number {
    const [text, matcher] = this.#matcher(terms);
    const known = this.#tables.tallies.length;
    const id = this.tally(`${effect} ${weight} ${text}`, tally);
    if (id < known) return id;
    if (effect === 'liked') matcher.liked.push({ tally: id, weight });
    else matcher[effect].push(id);
    for (const number of matcher.classes) this.#tell(number, effect, id, weight);
    return id;
  }

  means(terms: readonly Meant[], seen: Pick<Seen, 'namespace' | 'labels'>): boolean {
    return terms.every(
      ({ selector, namespaces, namespaceSelector }) =>
        matches(selector, seen.labels) &&
        (namespaces.includes(seen.namespace) ||
          (namespaceSelector !== undefined && matches(namespaceSelector, this.#namespaceLabels(seen.namespace)))),
    );
  }

  /** Everything that the terms known so far have to do with a new class. */
  enter(number: number, seen: Seen): void {
    this.#seen.add(number, seen);
    const found = [
      ...this.#anywhere.matching(seen.labels),
      ...(this.#byNamespace.get(seen.namespace)?.matching(seen.labels) ?? []),
    ];
    for (const matcher of found) if (this.means(matcher.terms, seen)) this.#join(number, matcher);
  }

  #join(number: number, matcher: Matcher): void {
    matcher.classes.push(number);
    for (const effect of ['counted', 'countedAlive', 'forbidden', 'excused'] as const) {
      for (const id of matcher[effect]) this.#tell(number, effect, id, 0);
    }
    for (const { tally, weight } of matcher.liked) this.#tell(number, 'liked', tally, weight);
  }

  #tell(number: number, effect: Effect, tally: number, weight: number): void {
    const rule = this.#tables.classes[number] as ClassRule;
    if (effect === 'forbidden' || effect === 'excused') rule[effect].push(tally);
    else if (effect === 'liked') rule.liked.push({ tally, weight });
    else if (effect === 'counted' || !this.#seen.get(number)?.isEnding) this.count(number, tally);
  }

  count(number: number, tally: number): void {
    this.#tables.classes[number]?.counted.push(tally);
    const late = this.late.get(number);
    if (late) late.push(tally);
    else this.late.set(number, [tally]);
  }

  #matcher(terms: readonly Meant[]): readonly [string, Matcher] {
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
    for (const number of this.#seen.candidates(terms)) {
      const seen = this.#seen.get(number);
      if (seen && this.means(terms, seen)) matcher.classes.push(number);
    }
    return [text, matcher];
  }

  /** Under one of its terms: whoever all of them mean, that one means. */
  #file(matcher: Matcher): void {
    const [first] = matcher.terms;
    if (matcher.terms.some(({ namespaceSelector }) => namespaceSelector)) this.asksNamespaces = true;
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

/** The label keys a term asks pods for. */
export function* podKeysOf({ requirements }: Selector): Generator<string, void> {
  for (const { key } of requirements) yield key;
}
