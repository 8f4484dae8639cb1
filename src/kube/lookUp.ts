// What does one object look like, for whoever may list its kind? A list of one: no permission is needed beside those of following it.
import { isMap, type Json } from '../kinds/reader.ts';
import { asDuration, second } from '../time/instant.ts';
import { apiKindOf, collectionPath } from './apiKind.ts';
import type { Call } from './client.ts';

/** Nobody waits for a report: whoever does not answer soon is asked again later. */
export const reportWithin = asDuration(5 * second);

interface Which {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

export function lookUp({ kind, namespace, name }: Which): Call {
  const path = collectionPath(apiKindOf(kind), namespace);
  return { method: 'GET', path, timeout: reportWithin, query: { fieldSelector: `metadata.name=${name}`, limit: '1' } };
}

/** Undefined = there is none. */
export function foundIn(body: unknown): Json | undefined {
  const first: unknown = isMap(body) && Array.isArray(body.items) ? body.items[0] : undefined;
  return isMap(first) ? first : undefined;
}
