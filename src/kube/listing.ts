// Lists the kinds that Lull reads, in pages: one list of many pods is larger than the longest string.
import { isMap } from '../kinds/read/reader.ts';
import { type Duration, minute } from '../time/instant.ts';
import { type ApiKind, collectionPath, ledgerKind, selectorOf, watchedKinds } from './apiKind.ts';
import { forbidden, isExpired, messageOf, unknownKind } from './apiReply.ts';
import type { Client } from './client.ts';
import { asRawObject, isVersion, keyOf, type ObjectKey, type RawObject } from './rawObject.ts';

const pageSize = 500;
/** If pages expire before the last one is read, larger pages are used; beyond this size they need too much memory. */
const largestPage = 16_000;

/** A large page of a busy server takes time. */
const pageWithin: Duration = minute;

type PagedList =
  | { readonly kind: 'whole'; readonly version: number; readonly keys: ReadonlySet<ObjectKey> }
  /** Unreached: no answer at all. */
  | {
      readonly kind: 'failed';
      readonly message: string;
      /** The status code of the server's refusal. */
      readonly code?: number;
      readonly retryAfter?: Duration;
      readonly isUnreached?: true;
    };

/** Passes every object on as its page arrives. */
export async function listPages(
  client: Client,
  kind: ApiKind,
  onObject: (object: RawObject) => void,
): Promise<PagedList> {
  let limit = pageSize;
  let next: string | undefined;
  const keys = new Set<ObjectKey>();
  for (;;) {
    const query = { limit: String(limit), ...(next !== undefined && { continue: next }), ...selectorOf(kind) };
    const reply = await client.request({ method: 'GET', path: collectionPath(kind), query, timeout: pageWithin });
    if (reply.kind === 'silence') return { kind: 'failed', message: reply.message, isUnreached: true };
    const { code, body, retryAfter } = reply;
    if (next !== undefined && isExpired(code, body) && limit < largestPage) {
      // The objects read so far belong to an expired version. Start over with larger pages.
      limit *= 4;
      next = undefined;
      keys.clear();
      continue;
    }
    const page = code === 200 ? readPage(body, kind) : undefined;
    if (!page) {
      const message = code === 200 ? 'The response is not a list.' : `${code}: ${messageOf(body)}`;
      return { kind: 'failed', message, ...(code !== 200 && { code }), ...(retryAfter && { retryAfter }) };
    }
    for (const object of page.objects) {
      keys.add(keyOf(object));
      onObject(object);
    }
    if (page.next === '') return { kind: 'whole', version: page.version, keys };
    next = page.next;
  }
}

interface ListPage {
  readonly objects: readonly RawObject[];
  readonly version: number;
  readonly next: string;
}

/** Undefined = malformed: a list with an unreadable item is not complete (K3). */
function readPage(body: unknown, kind: ApiKind): ListPage | undefined {
  if (!isMap(body) || !isMap(body.metadata) || !isVersion(body.metadata.resourceVersion)) return undefined;
  const items = body.items ?? [];
  if (!Array.isArray(items)) return undefined;
  const objects = items.map((item: unknown) => asRawObject(item, kind));
  if (!objects.every((object) => object !== undefined)) return undefined;
  const { resourceVersion, continue: next } = body.metadata;
  return {
    objects,
    version: Number(resourceVersion),
    next: typeof next === 'string' ? next : '',
  };
}

interface Listing<Kept> {
  readonly client: Client;
  readonly kinds?: readonly ApiKind[];
  /** What to keep of an object: raw objects of a large cluster fill gigabytes. */
  keep(object: RawObject): Kept;
  onProgress?(kind: string, count: number): void;
}

export interface Listed<Kept> {
  readonly objects: readonly Kept[];
  /** Kinds that the server does not serve: their CRDs are not installed. */
  readonly unknown: readonly ApiKind[];
}

/** The ledger first: facts newer than the ledger may be decided on, older ones may not. */
const inOrder: readonly ApiKind[] = [
  ...watchedKinds.filter(({ kind }) => kind === ledgerKind),
  ...watchedKinds.filter(({ kind }) => kind !== ledgerKind),
];

/** Kinds that may carry a mark of Lull or explain one; the others are only read. */
export const markedKinds: readonly ApiKind[] = inOrder.filter(({ mayBeRefused }) => !mayBeRefused);

/** Throws if a kind cannot be listed: decisions on an incomplete list would be wrong (K3). */
export async function listObjects<Kept>(listing: Listing<Kept>): Promise<Listed<Kept>> {
  const objects: Kept[] = [];
  const unknown: ApiKind[] = [];
  for (const kind of listing.kinds ?? inOrder) {
    const kept = await listKind(kind, listing);
    if (kept) for (const object of kept) objects.push(object);
    else if (!kind.isAside) unknown.push(kind);
  }
  return { objects, unknown };
}

async function listKind<Kept>(kind: ApiKind, listing: Listing<Kept>): Promise<Iterable<Kept> | undefined> {
  const kept = new Map<ObjectKey, Kept>();
  const listed = await listPages(listing.client, kind, (object) => {
    kept.set(keyOf(object), listing.keep(object));
    listing.onProgress?.(kind.kind, kept.size);
  });
  if (listed.kind === 'whole') {
    // A list that was started over may contain objects that were deleted meanwhile.
    for (const key of kept.keys()) if (!listed.keys.has(key)) kept.delete(key);
    return kept.values();
  }
  // Kinds only used for explanations may be missing, or a user may not be allowed to read them.
  if (listed.code === unknownKind || kind.isAside) return undefined;
  if (kind.mayBeRefused && listed.code === forbidden) return [];
  throw new Error(`The ${kind.plural} of the cluster cannot be listed: ${listed.message}`);
}
