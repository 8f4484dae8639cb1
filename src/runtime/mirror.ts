// A controller's view of its cluster: a store fed by watches and by the responses to its own requests, whichever comes first.
// Objects are parsed as they arrive and only the result is kept: a cluster's raw objects fill gigabytes. The store changes only in `look`.
import type { Ledger, SeenVersions } from '../cluster/ledger.ts';
import { ClusterStore } from '../cluster/store.ts';
import { applyGone, applyRead, type ReadResult, readObject } from '../kinds/readObject.ts';

export const ledgerKind = 'DisruptionLedger';
/** The name of the one ledger in a cluster. */
export const ledgerName = 'lull';

/** An object as the server sends it. */
export interface RawObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: RawMeta;
  readonly [field: string]: unknown;
}

export interface RawMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly [field: string]: unknown;
}

/** `name`, or `namespace/name`. */
export type ObjectKey = string;

export const keyAt = (namespace: string | undefined, name: string): ObjectKey =>
  namespace === undefined ? name : `${namespace}/${name}`;

export const keyOf = ({ metadata }: { readonly metadata: Pick<RawMeta, 'name' | 'namespace'> }): ObjectKey =>
  keyAt(metadata.namespace, metadata.name);

/** Kubernetes guarantees that versions compare as numbers since 1.35; with etcd this was always true. */
export const versionOf = ({ metadata }: { readonly metadata: { readonly resourceVersion?: string } }): number =>
  Number(metadata.resourceVersion ?? 0);

/** Whether the object in a response is gone already: it is deleted, and neither a finalizer nor a grace period keeps it. */
export function isGone({ metadata }: RawObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = metadata;
  const isKept = Array.isArray(finalizers) && finalizers.length > 0;
  return deletionTimestamp !== undefined && !isKept && !(Number(deletionGracePeriodSeconds ?? 0) > 0);
}

export interface KnownLedger {
  readonly record: Ledger;
  readonly version: string;
}

/** Called for everything that enters the view: recordings are made of it (J4). */
export type OnRead = (object: RawObject, isGone: boolean) => void;

export interface MirrorOptions {
  readonly onRead?: OnRead;
  /** Whether two parsed versions of an object are equal. Absent = every version counts as a change. */
  readonly isSame?: (before: ReadResult, now: ReadResult) => boolean;
}

interface KnownObject {
  readonly uid: string;
  readonly version: number;
  readonly read: ReadResult;
}

/** A change since the last look. The raw object is kept only for recordings. */
interface PendingChange {
  readonly read?: ReadResult;
  readonly raw?: RawObject;
}

/** What is known of one kind. */
class KindCache {
  readonly known = new Map<ObjectKey, KnownObject>();
  /** UIDs of objects that this process deleted: the watch may still deliver their earlier versions. */
  readonly tombstones = new Map<ObjectKey, string>();
  readonly pending = new Map<ObjectKey, PendingChange>();
  /** Of the last object that arrived. */
  apiVersion = '';
  /** The watch has delivered everything up to this version. */
  seen = 0;
  /** How often the server's versions have gone back. */
  rewinds = 0;
}

export class Mirror {
  readonly #store = new ClusterStore();
  readonly #caches = new Map<string, KindCache>();
  readonly #options: MirrorOptions;
  #ledger: KnownLedger | undefined;
  #unreadable: string | undefined;

  constructor(options: MirrorOptions = {}) {
    this.#options = options;
  }

  /** Takes a change from a watch or list. True = it is new: not known from a response already, and different from what was known. */
  watched(object: RawObject, hasGone: boolean): boolean {
    const cache = this.#cache(object.kind);
    const key = keyOf(object);
    const known = cache.known.get(key);
    if (cache.tombstones.get(key) === object.metadata.uid) {
      if (hasGone) cache.tombstones.delete(key);
      return false;
    }
    if (known && known.version >= versionOf(object)) return false;
    if (!hasGone) return this.#put(object, known);
    if (known) this.#remove(object.kind, key, object);
    return known !== undefined;
  }

  /** Takes the server's response to our own request. */
  answered(object: RawObject): void {
    const cache = this.#cache(object.kind);
    const key = keyOf(object);
    const known = cache.known.get(key);
    // Whatever its version: the write that removes the last finalizer is answered with the version before it.
    if (isGone(object)) this.removed(object.kind, key, object.metadata.uid);
    // If the watch was faster, it may have delivered what came after, such as a deletion.
    else if (versionOf(object) > Math.max(cache.seen, known?.version ?? 0)) this.#put(object, known);
  }

  /** The server reported the object as gone. Without a uid: whichever object had the name. */
  removed(kind: string, key: ObjectKey, uid?: string): void {
    const cache = this.#cache(kind);
    const known = cache.known.get(key);
    // Another object with the same name may exist, or the watch reported the deletion first.
    if (!known || (uid !== undefined && known.uid !== uid)) return;
    cache.tombstones.set(key, known.uid);
    this.#remove(kind, key);
  }

  /** Takes our own ledger write, which needs no parsing. */
  wrote(object: RawObject, record: Ledger): void {
    const cache = this.#cache(object.kind);
    const version = versionOf(object);
    if ((cache.known.get(ledgerName)?.version ?? 0) > version) return;
    const read: ReadResult = { kind: ledgerKind, record, faults: [] };
    cache.known.set(ledgerName, { uid: object.metadata.uid, version, read });
    cache.pending.delete(ledgerName);
    this.#unreadable = undefined;
    this.#ledger = { record, version: object.metadata.resourceVersion };
  }

  /** The watch has delivered everything up to this version. */
  progress(kind: string, version: number): void {
    const cache = this.#cache(kind);
    cache.seen = Math.max(cache.seen, version);
  }

  seenOf(kind: string): number {
    return this.#cache(kind).seen;
  }

  seen(kinds: readonly string[]): SeenVersions {
    return Object.fromEntries(kinds.map((kind) => [kind, String(this.seenOf(kind))]));
  }

  /** Takes a complete list: objects not in it are gone, except those that we created since. */
  keepOnly(kind: string, listed: ReadonlySet<ObjectKey>, version: number): void {
    const cache = this.#cache(kind);
    for (const [key, known] of cache.known) if (!listed.has(key) && known.version <= version) this.#remove(kind, key);
    for (const key of cache.tombstones.keys()) if (!listed.has(key)) cache.tombstones.delete(key);
    this.progress(kind, version);
  }

  /** The server's versions have gone back, as after a restore from a backup: all known versions are meaningless. */
  rewind(kind: string): void {
    const cache = this.#cache(kind);
    for (const [key, known] of cache.known) cache.known.set(key, { ...known, version: 0 });
    cache.tombstones.clear();
    cache.seen = 0;
    cache.rewinds++;
  }

  /** How often the kind was rewound. A version from before the last rewind is meaningless. */
  rewindsOf(kind: string): number {
    return this.#cache(kind).rewinds;
  }

  look(): { readonly cluster: ClusterStore; readonly ledger: KnownLedger | undefined; readonly unreadable: string[] } {
    for (const [kind, { pending, known }] of this.#caches) {
      for (const [key, { read, raw }] of pending) {
        if (kind === ledgerKind) this.#readLedger(key, known.get(key), read);
        else {
          if (raw) this.#options.onRead?.(raw, read === undefined);
          if (read) applyRead(this.#store, read);
          else applyGone(this.#store, kind, key);
        }
      }
      pending.clear();
    }
    return {
      cluster: this.#store,
      ledger: this.#ledger,
      unreadable: this.#unreadable === undefined ? [] : [this.#unreadable],
    };
  }

  /** A heartbeat that changes nothing Lull reads is not news (K5). For the ledger, a new version alone is news. */
  #put(object: RawObject, known: KnownObject | undefined): boolean {
    const read = readObject(object);
    const cache = this.#cache(object.kind);
    const key = keyOf(object);
    const { uid } = object.metadata;
    const isSame =
      known?.uid === uid && object.kind !== ledgerKind && this.#options.isSame?.(known.read, read) === true;
    cache.apiVersion = object.apiVersion;
    cache.known.set(key, { uid, version: versionOf(object), read: isSame ? known.read : read });
    if (isSame) return false;
    cache.pending.set(key, { read, ...(this.#options.onRead && { raw: object }) });
    return true;
  }

  #remove(kind: string, key: ObjectKey, last?: RawObject): void {
    const cache = this.#cache(kind);
    const known = cache.known.get(key);
    cache.known.delete(key);
    cache.pending.set(
      key,
      this.#options.onRead && known ? { raw: last ?? stub(kind, key, { ...known, apiVersion: cache.apiVersion }) } : {},
    );
  }

  /** Lull does not decide on a ledger that it cannot read. */
  #readLedger(key: ObjectKey, known: KnownObject | undefined, read: ReadResult | undefined): void {
    if (key !== ledgerName) return;
    this.#ledger = undefined;
    this.#unreadable = undefined;
    if (read?.kind !== ledgerKind || !known) return;
    const [fault] = read.faults;
    if (fault) this.#unreadable = `The ledger cannot be read: ${fault.message}`;
    else this.#ledger = { record: read.record, version: String(known.version) };
  }

  #cache(kind: string): KindCache {
    const known = this.#caches.get(kind);
    if (known) return known;
    const made = new KindCache();
    this.#caches.set(kind, made);
    return made;
  }
}

/** An object of which only the identity is known, for a deletion that came without the object. */
function stub(
  kind: string,
  key: ObjectKey,
  { uid, version, apiVersion }: KnownObject & Pick<KindCache, 'apiVersion'>,
): RawObject {
  const [name = '', namespace] = key.split('/').reverse();
  const metadata = { ...(namespace !== undefined && { namespace }), name, uid, resourceVersion: String(version) };
  return { apiVersion, kind, metadata };
}
