// What does this process know of a real cluster? A store fed by watches and by the answers to its own requests, whichever comes first.
// Objects are read as they come and only what was read is kept: a cluster's raw objects fill gigabytes. The store changes when it is looked at.
import { isDeepStrictEqual } from 'node:util';
import type { Ledger, Seen } from '../cluster/ledger.ts';
import { type Change, ClusterStore } from '../cluster/store.ts';
import { type ReadResult, readObject } from '../kinds/readObject.ts';
import { apiKindOf, ledgerKind, ledgerName } from './apiKind.ts';
import { isGone, type Key, keyOf, type RawObject, versionOf } from './rawObject.ts';

export interface KnownLedger {
  readonly record: Ledger;
  readonly version: string;
}

/** Told of everything that enters the view: what a recording is made of (J4). */
export type OnRead = (object: RawObject, isGone: boolean) => void;

interface Known {
  readonly uid: string;
  readonly version: number;
  readonly read: ReadResult;
}

/** What has come since the last look. Raw only where somebody wants to record it. */
interface Fresh {
  readonly read?: ReadResult;
  readonly raw?: RawObject;
}

/** One kind. */
class Shelf {
  readonly known = new Map<Key, Known>();
  /** Deleted by ourselves: the watch may still tell of their lives. By uid. */
  readonly tombstones = new Map<Key, string>();
  readonly fresh = new Map<Key, Fresh>();
  /** The watch has brought everything up to here. */
  seen = 0;
  /** How often the server has gone back in time. */
  rewinds = 0;
}

export class Mirror {
  readonly #store = new ClusterStore();
  readonly #shelves = new Map<string, Shelf>();
  readonly #onRead: OnRead | undefined;
  #ledger: KnownLedger | undefined;
  #unreadable: string | undefined;

  constructor(onRead?: OnRead) {
    this.#onRead = onRead;
  }

  /** A change that a watch or a list brought. True = it was news: not known by an answer already, and not the same to us as before. */
  watched(object: RawObject, hasGone: boolean): boolean {
    const shelf = this.#shelf(object.kind);
    const key = keyOf(object);
    const known = shelf.known.get(key);
    if (shelf.tombstones.get(key) === object.metadata.uid) {
      if (hasGone) shelf.tombstones.delete(key);
      return false;
    }
    if (known && known.version >= versionOf(object)) return false;
    if (!hasGone) return this.#put(object, known);
    if (known) this.#remove(object.kind, key, object);
    return known !== undefined;
  }

  /** The server's answer to a request of ours. */
  answered(object: RawObject): void {
    const shelf = this.#shelf(object.kind);
    const key = keyOf(object);
    const known = shelf.known.get(key);
    // Whatever its version: the last write of what goes by it is answered with the one before.
    if (isGone(object)) this.removed(object.kind, key, object.metadata.uid);
    // Where the watch was faster, it may have brought what came after: a deletion, say.
    else if (versionOf(object) > Math.max(shelf.seen, known?.version ?? 0)) this.#put(object, known);
  }

  /** The server said that it is gone. Without a uid: whichever it was. */
  removed(kind: string, key: Key, uid?: string): void {
    const shelf = this.#shelf(kind);
    const known = shelf.known.get(key);
    // Another of the same name may have come, or the watch told it first.
    if (!known || (uid !== undefined && known.uid !== uid)) return;
    shelf.tombstones.set(key, known.uid);
    this.#remove(kind, key);
  }

  /** The own ledger, which needs no reading: whoever wrote it knows what it says. */
  wrote(object: RawObject, record: Ledger): void {
    const shelf = this.#shelf(object.kind);
    const version = versionOf(object);
    if ((shelf.known.get(ledgerName)?.version ?? 0) > version) return;
    const read: ReadResult = { kind: ledgerKind, record, faults: [] };
    shelf.known.set(ledgerName, { uid: object.metadata.uid, version, read });
    shelf.fresh.delete(ledgerName);
    this.#unreadable = undefined;
    this.#ledger = { record, version: object.metadata.resourceVersion };
  }

  /** The watch has brought everything up to here. */
  progress(kind: string, version: number): void {
    const shelf = this.#shelf(kind);
    shelf.seen = Math.max(shelf.seen, version);
  }

  seenOf(kind: string): number {
    return this.#shelf(kind).seen;
  }

  seen(kinds: readonly string[]): Seen {
    return Object.fromEntries(kinds.map((kind) => [kind, String(this.seenOf(kind))]));
  }

  /** A whole list was seen: what is not in it is gone, but for what we made ourselves since. */
  keepOnly(kind: string, listed: ReadonlySet<Key>, version: number): void {
    const shelf = this.#shelf(kind);
    for (const [key, known] of shelf.known) if (!listed.has(key) && known.version <= version) this.#remove(kind, key);
    for (const key of shelf.tombstones.keys()) if (!listed.has(key)) shelf.tombstones.delete(key);
    this.progress(kind, version);
  }

  /** The server has gone back in time, as from a backup: no version that is known means anything. */
  rewind(kind: string): void {
    const shelf = this.#shelf(kind);
    for (const [key, known] of shelf.known) shelf.known.set(key, { ...known, version: 0 });
    shelf.tombstones.clear();
    shelf.seen = 0;
    shelf.rewinds++;
  }

  /** A version from before it was rewound means nothing any more. */
  rewindsOf(kind: string): number {
    return this.#shelf(kind).rewinds;
  }

  look(): { readonly cluster: ClusterStore; readonly ledger: KnownLedger | undefined; readonly unreadable: string[] } {
    for (const [kind, { fresh, known }] of this.#shelves) {
      for (const [key, { read, raw }] of fresh) {
        if (kind === ledgerKind) this.#readLedger(key, known.get(key), read);
        else {
          if (raw) this.#onRead?.(raw, read === undefined);
          this.#apply(kind, key, read);
        }
      }
      fresh.clear();
    }
    return {
      cluster: this.#store,
      ledger: this.#ledger,
      unreadable: this.#unreadable === undefined ? [] : [this.#unreadable],
    };
  }

  /** K5: a heartbeat that says nothing new to us is none. The ledger's version alone is news. */
  #put(object: RawObject, known: Known | undefined): boolean {
    const read = readObject(object);
    const shelf = this.#shelf(object.kind);
    const key = keyOf(object);
    const { uid } = object.metadata;
    const isSame = known?.uid === uid && object.kind !== ledgerKind && isDeepStrictEqual(known.read, read);
    shelf.known.set(key, { uid, version: versionOf(object), read: isSame ? known.read : read });
    if (isSame) return false;
    shelf.fresh.set(key, { read, ...(this.#onRead && { raw: object }) });
    return true;
  }

  #remove(kind: string, key: Key, last?: RawObject): void {
    const shelf = this.#shelf(kind);
    const known = shelf.known.get(key);
    shelf.known.delete(key);
    shelf.fresh.set(key, this.#onRead && known ? { raw: last ?? stub(kind, key, known) } : {});
  }

  #apply(kind: string, key: Key, read: ReadResult | undefined): void {
    if (!read) this.#store.apply({ kind, gone: key } as Change);
    // Another maker's Node is none of ours.
    else if (read.kind !== 'ignored' && read.kind !== ledgerKind)
      this.#store.apply({ kind: read.kind, put: read.record, faults: read.faults } as Change);
  }

  /** A ledger that cannot be read is none to go on from: whoever looks stands aside. */
  #readLedger(key: Key, known: Known | undefined, read: ReadResult | undefined): void {
    if (key !== ledgerName) return;
    this.#ledger = undefined;
    this.#unreadable = undefined;
    if (read?.kind !== ledgerKind || !known) return;
    const [fault] = read.faults;
    if (fault) this.#unreadable = `The ledger cannot be read: ${fault.message}`;
    else this.#ledger = { record: read.record, version: String(known.version) };
  }

  #shelf(kind: string): Shelf {
    const known = this.#shelves.get(kind);
    if (known) return known;
    const made = new Shelf();
    this.#shelves.set(kind, made);
    return made;
  }
}

/** What is left to say of an object that nobody showed once more: which it was. */
function stub(kind: string, key: Key, { uid, version }: Known): RawObject {
  const { apiVersion, isNamespaced } = apiKindOf(kind);
  const [namespace = '', name = ''] = isNamespaced ? key.split('/') : ['', key];
  const metadata = { ...(isNamespaced && { namespace }), name, uid, resourceVersion: String(version) };
  return { apiVersion, kind, metadata };
}
