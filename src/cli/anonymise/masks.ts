// What a name is called instead: the first, second, third … of its sort. Order is kept, since ties are broken by name, and nothing else.
// A hash of a name could be guessed with a dictionary; a rank cannot. What must only stay equal is hashed with a salt that nobody keeps.
import { createHmac, randomBytes } from 'node:crypto';
import { compareText } from '../../cluster/nodeView.ts';

/** Sorts of names, each counted by itself, and what several of them are called. */
export const sorts = {
  namespace: 'namespaces',
  node: 'nodes',
  claim: 'claims',
  pool: 'pools',
  class: 'node classes',
  pod: 'pods',
  owner: 'owners',
  kind: 'kinds',
  group: 'API groups',
  pdb: 'PodDisruptionBudgets',
  window: 'windows',
  schedule: 'pod schedules',
  priority: 'priority classes',
  event: 'events',
  daemonset: 'DaemonSets',
  container: 'containers',
  volumeclaim: 'volume claims',
  volume: 'volumes',
  storageclass: 'storage classes',
  driver: 'storage drivers',
  command: 'commands',
  condition: 'conditions',
  zone: 'zones',
  region: 'regions',
  type: 'instance types',
  address: 'addresses',
  key: 'label keys',
  value: 'label values',
  text: 'texts',
} as const;

export type Sort = keyof typeof sorts;

/** Asked twice for everything: first it learns which names there are, then it says what they are called. */
export class Masks {
  readonly #salt = randomBytes(32);
  readonly #seen = new Map<Sort, Set<string>>();
  readonly #numbers = new Set<number>();
  #names: Map<Sort, ReadonlyMap<string, string>> | undefined;
  #ranks: ReadonlyMap<number, number> | undefined;
  /** Label keys whose values are compared as numbers somewhere: their numbers stay. */
  readonly numeric = new Set<string>();
  /** Time zones and how many schedules were kept: the summary names them. */
  readonly zones = new Set<string>();
  readonly schedules = new Set<string>();

  name(sort: Sort, text: string): string {
    if (text === '') return text;
    const known = this.#names?.get(sort)?.get(text);
    if (known !== undefined) return known;
    const seen = this.#seen.get(sort) ?? new Set();
    this.#seen.set(sort, seen.add(text));
    // Never the text itself: what both passes do not agree on must not leak.
    return sort;
  }

  /** A number where a text belongs, such as a label that nobody quoted: it stays a number, and could be anybody's. */
  number(value: number): number {
    this.#numbers.add(value);
    return this.#ranks?.get(value) ?? 0;
  }

  /** Equal for equal texts. */
  digest(text: string): string {
    return createHmac('sha256', this.#salt).update(text).digest('hex').slice(0, 32);
  }

  /** All names have been seen. */
  settle(): void {
    this.#names = new Map([...this.#seen].map(([sort, texts]) => [sort, ranked(sort, texts)]));
    const sorted = [...this.#numbers].sort((a, b) => a - b);
    this.#ranks = new Map(sorted.map((value, index) => [value, index + 1]));
  }

  /** How many different names of each sort were masked. */
  get counts(): ReadonlyMap<Sort, number> {
    return new Map([...this.#seen].map(([sort, texts]) => [sort, texts.size]));
  }
}

function ranked(sort: Sort, texts: ReadonlySet<string>): ReadonlyMap<string, string> {
  const width = String(texts.size).length;
  const sorted = [...texts].sort(compareText);
  return new Map(sorted.map((text, index) => [text, `${sort}-${String(index + 1).padStart(width, '0')}`]));
}
