// What a name is called instead: the first, second, third … of its sort. Order is kept, since ties are broken by name, and nothing else.
// A hash of a name could be guessed with a dictionary; a rank cannot. What must only stay equal is hashed with a salt that is not kept.
import { createHmac, randomBytes } from 'node:crypto';
import { compareText } from '../../../cluster/nodeView.ts';

/** Sorts of names, each counted by itself, and what several of them are called. */
const sorts = {
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
  gate: 'health gates',
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

/** Used in two passes: the first collects all names, the second returns their masks. */
export class Masks {
  readonly #salt = randomBytes(32);
  readonly #seen = new Map<Sort, Set<string>>();
  readonly #numbers = new Set<number>();
  #names: Map<Sort, ReadonlyMap<string, string>> | undefined;
  #ranks: ReadonlyMap<number, number> | undefined;
  /** Label keys whose values are compared as numbers: their numbers stay. */
  readonly numeric = new Set<string>();
  /** Time zones and the number of schedules that were kept, for the summary. */
  readonly zones = new Set<string>();
  readonly schedules = new Set<string>();

  name(sort: Sort, text: string): string {
    if (text === '') return text;
    const known = this.#names?.get(sort)?.get(text);
    if (known !== undefined) return known;
    const seen = this.#seen.get(sort) ?? new Set();
    this.#seen.set(sort, seen.add(text));
    // Never the text itself: a name that the first pass missed must not leak.
    return sort;
  }

  /** A number where a text belongs, such as an unquoted label: it stays a number, which identifies no one. */
  number(value: number): number {
    this.#numbers.add(value);
    return this.#ranks?.get(value) ?? 0;
  }

  /** Equal for equal texts. */
  digest(text: string): string {
    return createHmac('sha256', this.#salt).update(text).digest('hex').slice(0, 32);
  }

  /** Called when all names have been collected. */
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

/** How many time zones are named; more are counted. */
const mostZones = 5;

export function summarise({ counts, zones, schedules }: Masks): string {
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  const named = sorted.map(([sort, count]) => `${sorts[sort]} ${count}`).join(', ');
  const times = schedules.size > 0 ? `, schedules ${schedules.size}${inZones([...zones].sort())}` : '';
  return [
    `masked: ${total} names${named === '' ? '' : ` (${named})`}`,
    `kept: how many objects there are, amounts, prices, dates${times}, the order of names, and words of Kubernetes, Karpenter and Lull`,
    '',
  ].join('\n');
}

function inZones(zones: readonly string[]): string {
  if (zones.length === 0) return '';
  const more = zones.length > mostZones ? ` and ${zones.length - mostZones} more` : '';
  return ` (time zones ${zones.slice(0, mostZones).join(', ')}${more})`;
}
