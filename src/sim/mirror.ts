// What does one controller know? A store of its own, fed by changes and by the answers to its requests. Whatever is read is read once, when it is looked at.
import type { Ledger } from '../cluster/ledger.ts';
import { type Change, ClusterStore } from '../cluster/store.ts';
import { readObject } from '../kinds/readObject.ts';
import { type Key, type KubeObject, keyOf, versionOf } from './kubeObject.ts';
import { ledgerKind, ledgerName } from './serverRequest.ts';

/** The kinds that Lull watches beside its own ledger. */
export const watchedKinds = [
  'Namespace',
  'NodePool',
  'NodeClaim',
  'Node',
  'Pod',
  'PodDisruptionBudget',
  'PodDisruptionSchedule',
  'MaintenanceWindow',
  'DaemonSet',
  'PersistentVolumeClaim',
  'PersistentVolume',
  'StorageClass',
  'CSINode',
] as const;

/** N3, N9: what explains or warns. Nobody waits for it, and a ledger does not say how far it was seen. */
export const asideKinds = ['Event', 'CustomResourceDefinition'] as const;

export interface KnownLedger {
  readonly record: Ledger;
  readonly version: string;
}

interface Fresh {
  readonly object: KubeObject;
  readonly isGone: boolean;
}

/** Told of everything that enters the view, as it is read: what a recording is made of (J4). */
export type OnRead = (object: KubeObject, isGone: boolean) => void;

export class Mirror {
  readonly #store = new ClusterStore();
  /** What has come since the last look: of an object that changed five times only the last is read. */
  readonly #fresh = new Map<string, Map<Key, Fresh>>();
  /** Answers that came before the watch told the same, by their version: what is older must not undo them. */
  readonly #ahead = new Map<string, Map<Key, number>>();
  readonly #onRead: OnRead | undefined;
  #ledger: KnownLedger | undefined;
  #unreadable: string | undefined;

  constructor(onRead?: OnRead) {
    this.#onRead = onRead;
  }

  /** A change that the watch brought. */
  watched(object: KubeObject, isGone: boolean): void {
    const { kind } = object;
    const ahead = this.#ahead.get(kind);
    const known = ahead?.get(keyOf(object));
    if (known !== undefined) {
      if (versionOf(object) >= known) ahead?.delete(keyOf(object));
      if (versionOf(object) <= known) return;
    }
    this.#note(object, isGone);
  }

  /** An answer of the server: newer than anything the watch has brought so far. */
  answered(object: KubeObject, isGone: boolean): void {
    of(this.#ahead, object.kind).set(keyOf(object), versionOf(object));
    this.#note(object, isGone);
  }

  /** The own ledger, which needs no reading: whoever wrote it knows what it says. */
  wrote(object: KubeObject, record: Ledger): void {
    of(this.#ahead, object.kind).set(keyOf(object), versionOf(object));
    this.#fresh.delete(object.kind);
    this.#unreadable = undefined;
    this.#ledger = { record, version: String(versionOf(object)) };
  }

  look(): { readonly cluster: ClusterStore; readonly ledger: KnownLedger | undefined; readonly unreadable: string[] } {
    for (const [kind, objects] of this.#fresh) {
      for (const [key, fresh] of objects) {
        if (kind === ledgerKind) this.#readLedger(fresh);
        else this.#apply(kind, key, fresh);
      }
    }
    this.#fresh.clear();
    return {
      cluster: this.#store,
      ledger: this.#ledger,
      unreadable: this.#unreadable === undefined ? [] : [this.#unreadable],
    };
  }

  #note(object: KubeObject, isGone: boolean): void {
    of(this.#fresh, object.kind).set(keyOf(object), { object, isGone });
  }

  #apply(kind: string, key: Key, { object, isGone }: Fresh): void {
    this.#onRead?.(object, isGone);
    if (isGone) {
      this.#store.apply({ kind, gone: key } as Change);
      return;
    }
    const read = readObject(object);
    // Another maker's Node is none of ours.
    if (read.kind === 'ignored' || read.kind === ledgerKind) return;
    this.#store.apply({ kind: read.kind, put: read.record, faults: read.faults } as Change);
  }

  /** A ledger that cannot be read is none to go on from: whoever looks stands aside. */
  #readLedger({ object, isGone }: Fresh): void {
    if (object.metadata.name !== ledgerName) return;
    this.#ledger = undefined;
    this.#unreadable = undefined;
    if (isGone) return;
    const read = readObject(object);
    if (read.kind !== ledgerKind) return;
    const [fault] = read.faults;
    if (fault) this.#unreadable = `The ledger cannot be read: ${fault.message}`;
    else this.#ledger = { record: read.record, version: String(versionOf(object)) };
  }
}

function of<T>(maps: Map<string, Map<Key, T>>, kind: string): Map<Key, T> {
  const known = maps.get(kind);
  if (known) return known;
  const made = new Map<Key, T>();
  maps.set(kind, made);
  return made;
}
