// What is in the cluster at this moment? Every kind that Lull reads, listed once and in pages, as `kubectl get` would print it.
import { type ApiKind, ledgerKind, watchedKinds } from './apiKind.ts';
import type { Client } from './client.ts';
import { listPages } from './pages.ts';
import { type Key, keyOf, type RawObject } from './rawObject.ts';
import { isRefused } from './status.ts';

export interface Listing<Kept> {
  readonly client: Client;
  readonly kinds?: readonly ApiKind[];
  /** What is kept of an object: raw ones of a large cluster fill gigabytes. */
  keep(object: RawObject): Kept;
  onProgress?(kind: string, count: number): void;
}

export interface Listed<Kept> {
  readonly objects: readonly Kept[];
  /** Kinds that this server does not know: their definitions are not installed. */
  readonly unknown: readonly ApiKind[];
}

/** The ledger first: facts that are younger than it may be decided on, those that are older may not. */
const inOrder: readonly ApiKind[] = [
  ...watchedKinds.filter(({ kind }) => kind === ledgerKind),
  ...watchedKinds.filter(({ kind }) => kind !== ledgerKind),
];

/** Those that may carry a mark of Lull's, or say what one means; the others are only read. */
export const markedKinds: readonly ApiKind[] = inOrder.filter(({ mayBeRefused }) => !mayBeRefused);

/** Throws in words where a kind cannot be listed: what is listed by halves would be decided wrongly (K3). */
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
  const kept = new Map<Key, Kept>();
  const listed = await listPages(listing.client, kind, (object) => {
    kept.set(keyOf(object), listing.keep(object));
    listing.onProgress?.(kind.kind, kept.size);
  });
  if (listed.kind === 'whole') {
    // A list that had to be begun anew may hold what was deleted meanwhile.
    for (const key of kept.keys()) if (!listed.keys.has(key)) kept.delete(key);
    return kept.values();
  }
  // What only explains may be missing, and a person may be kept from seeing it.
  if (listed.message.startsWith('404:') || kind.isAside) return undefined;
  if (kind.mayBeRefused && isRefused(listed.message)) return [];
  throw new Error(`The ${kind.plural} of the cluster cannot be listed: ${listed.message}`);
}
