// What has a controller seen so far, as it came? The raw objects of its view: what a recording can begin with at any time.
import { isMap, type Json } from '../kinds/reader.ts';
import type { Gone } from './line.ts';

export type Observation = { readonly put: Json } | { readonly gone: Gone } | 'restart';

export class Observed {
  #objects = new Map<string, Json>();
  readonly #listeners = new Set<(observation: Observation) => void>();

  get objects(): Iterable<Json> {
    return this.#objects.values();
  }

  get size(): number {
    return this.#objects.size;
  }

  /** The controller begins anew, and is told everything again. */
  restart(): void {
    this.#objects = new Map();
    this.#tell('restart');
  }

  read(object: Json, isGone: boolean): void {
    const gone = goneOf(object);
    if (isGone) this.#objects.delete(keyOf(gone));
    else this.#objects.set(keyOf(gone), object);
    this.#tell(isGone ? { gone } : { put: object });
  }

  listen(listener: (observation: Observation) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell(observation: Observation): void {
    for (const listener of this.#listeners) listener(observation);
  }
}

/** Which object is meant. */
export function goneOf({ kind, metadata }: Json): Gone {
  const { namespace, name } = isMap(metadata) ? metadata : {};
  return { kind: String(kind), name: String(name), ...(typeof namespace === 'string' && { namespace }) };
}

export const keyOf = ({ kind, namespace, name }: Gone): string =>
  `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
