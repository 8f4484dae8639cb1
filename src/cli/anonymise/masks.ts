// What is a name called instead? The first, second, third … of its sort: order is kept, since ties are broken by name, and nothing else.
// A hash of a name could be guessed with a dictionary; a rank cannot. What must only stay equal is hashed with a salt that nobody keeps.
import { createHmac, randomBytes } from 'node:crypto';
import { compareText } from '../../cluster/nodeView.ts';

/** Sorts of names. Each is counted by itself. */
export type Sort =
  | 'namespace'
  | 'node'
  | 'claim'
  | 'pool'
  | 'class'
  | 'pod'
  | 'owner'
  | 'kind'
  | 'pdb'
  | 'window'
  | 'schedule'
  | 'priority'
  | 'event'
  | 'daemonset'
  | 'container'
  | 'volumeclaim'
  | 'volume'
  | 'storageclass'
  | 'driver'
  | 'key'
  | 'value';

/** Asked twice for everything: first it learns which names there are, then it says what they are called. */
export class Masks {
  readonly #salt = randomBytes(32);
  readonly #seen = new Map<Sort, Set<string>>();
  #names: Map<Sort, ReadonlyMap<string, string>> | undefined;
  /** Label keys whose values are compared as numbers somewhere: their numbers stay. */
  readonly numeric = new Set<string>();

  name(sort: Sort, text: string): string {
    if (text === '') return text;
    const known = this.#names?.get(sort)?.get(text);
    if (known !== undefined) return known;
    const seen = this.#seen.get(sort) ?? new Set();
    this.#seen.set(sort, seen.add(text));
    return text;
  }

  /** Equal for equal texts. */
  digest(text: string): string {
    return createHmac('sha256', this.#salt).update(text).digest('hex').slice(0, 32);
  }

  /** All names have been seen. */
  settle(): void {
    this.#names = new Map([...this.#seen].map(([sort, texts]) => [sort, ranked(sort, texts)]));
  }
}

function ranked(sort: Sort, texts: ReadonlySet<string>): ReadonlyMap<string, string> {
  const width = String(texts.size).length;
  const sorted = [...texts].sort(compareText);
  return new Map(sorted.map((text, index) => [text, `${sort}-${String(index + 1).padStart(width, '0')}`]));
}
