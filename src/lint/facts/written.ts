// What did people write, where the engine keeps only its meaning? Documents by the name of their object.
import type { Document } from '../../kinds/documents.ts';
import { nameOfObject } from '../../kinds/metadata.ts';
import { isMap } from '../../kinds/reader.ts';
import type { Policy } from '../rule.ts';

/** The document of `Kind/name` or `Kind/namespace/name`; the last one where there are several, as the command line takes them. */
export function writtenAs({ documents }: Policy, object: string): Document | undefined {
  const known =
    byObject.get(documents) ?? new Map(documents.map((document) => [nameOfObject(document.object), document]));
  byObject.set(documents, known);
  return known.get(object);
}

const byObject = new WeakMap<readonly Document[], ReadonlyMap<string, Document>>();

/** The value at a chain of keys; undefined where there is none. */
export const valueAt = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((inner, key) => (isMap(inner) ? (inner[key] ?? undefined) : undefined), value);
