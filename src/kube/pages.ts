// What is there of a kind? Listed in pages, for servers that do not stream lists: one whole list of many pods is more than a string can hold.
import { isMap } from '../kinds/reader.ts';
import { type Duration, minute } from '../time/instant.ts';
import { type ApiKind, collectionPath, selectorOf } from './apiKind.ts';
import type { Client } from './client.ts';
import { asRawObject, isVersion, type Key, keyOf, type RawObject } from './rawObject.ts';
import { isExpired, messageOf } from './status.ts';

const pageSize = 500;
/** A list whose pages expire before the last is read is read in larger ones; beyond this they hold too much at once. */
const largestPage = 16_000;

/** A large page of a busy server takes its time. */
const pageWithin: Duration = minute;

export type Listed =
  | { readonly kind: 'whole'; readonly version: number; readonly keys: ReadonlySet<Key> }
  /** Unreached: nobody answered at all. */
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly retryAfter?: Duration;
      readonly isUnreached?: true;
    };

/** Hands every object on as its page comes. */
export async function listPages(client: Client, kind: ApiKind, onObject: (object: RawObject) => void): Promise<Listed> {
  let limit = pageSize;
  let next: string | undefined;
  const keys = new Set<Key>();
  for (;;) {
    const query = { limit: String(limit), ...(next !== undefined && { continue: next }), ...selectorOf(kind) };
    const reply = await client.request({ method: 'GET', path: collectionPath(kind), query, timeout: pageWithin });
    if (reply.kind === 'silence') return { kind: 'failed', message: reply.message, isUnreached: true };
    const { code, body, retryAfter } = reply;
    if (next !== undefined && isExpired(code, body) && limit < largestPage) {
      // What was read so far is of a moment that is forgotten. From the start, and faster.
      limit *= 4;
      next = undefined;
      keys.clear();
      continue;
    }
    const page = code === 200 ? readPage(body, kind) : undefined;
    if (!page) {
      const message = code === 200 ? 'The list is none.' : `${code}: ${messageOf(body)}`;
      return { kind: 'failed', message, ...(retryAfter && { retryAfter }) };
    }
    for (const object of page.objects) {
      keys.add(keyOf(object));
      onObject(object);
    }
    if (page.next === '') return { kind: 'whole', version: page.version, keys };
    next = page.next;
  }
}

interface Page {
  readonly objects: readonly RawObject[];
  readonly version: number;
  readonly next: string;
}

/** Undefined = garbage: a list of which an item is missing is not complete (K3). */
function readPage(body: unknown, kind: ApiKind): Page | undefined {
  if (!isMap(body) || !isMap(body.metadata) || !isVersion(body.metadata.resourceVersion)) return undefined;
  const items = body.items ?? [];
  if (!Array.isArray(items)) return undefined;
  const objects = items.map((item: unknown) => asRawObject(item, kind));
  if (objects.includes(undefined)) return undefined;
  const { resourceVersion, continue: next } = body.metadata;
  return {
    objects: objects as RawObject[],
    version: Number(resourceVersion),
    next: typeof next === 'string' ? next : '',
  };
}
