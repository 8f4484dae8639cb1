// What did a controller know when it wrote the ledger? The ledger says how far its author had seen each kind; the objects are kept as they
// were then. So a node that failed a moment before it was known to have failed is nobody's fault, and nothing that was known is forgiven.
import type { Key, KubeObject } from '../kubeObject.ts';
import { keyOf, versionOf } from '../kubeObject.ts';
import { type Host, hostOf } from './host.ts';
import { textAt } from './raw.ts';

/** The kinds that rules look at. */
export const watchedKinds = [
  'Node',
  'NodeClaim',
  'NodePool',
  'Pod',
  'PodDisruptionBudget',
  'MaintenanceWindow',
  'PodDisruptionSchedule',
  'Namespace',
] as const;

export type WatchedKind = (typeof watchedKinds)[number];

const isWatched = (kind: string): kind is WatchedKind => (watchedKinds as readonly string[]).includes(kind);

/** The cluster as somebody knows it. */
export interface Sight {
  get(kind: WatchedKind, key: Key): KubeObject | undefined;
  list(kind: WatchedKind): Iterable<KubeObject>;
  hosts(): readonly Host[];
  host(name: string): Host | undefined;
  podsOn(node: string): readonly KubeObject[];
}

interface Entry {
  readonly key: Key;
  readonly version: number;
  /** Absent = it is gone. */
  readonly object?: KubeObject;
}

type Own = Readonly<Record<WatchedKind, Map<Key, Entry>>>;

const nothingOwn = (): Own =>
  Object.fromEntries(watchedKinds.map((kind) => [kind, new Map<Key, Entry>()])) as Record<WatchedKind, Map<Key, Entry>>;

/** What is not seen yet by every author, in order, and the objects up to there. */
class Past {
  readonly objects = new Map<Key, KubeObject>();
  #log: Entry[] = [];
  #next = 0;
  frontier = 0;

  note(entry: Entry): void {
    this.#log.push(entry);
  }

  advance(version: number, onChange: (was: KubeObject | undefined, is: KubeObject | undefined) => void): void {
    for (; this.#next < this.#log.length; this.#next++) {
      const { key, object, version: at } = this.#log[this.#next] as Entry;
      if (at > version) break;
      const was = this.objects.get(key);
      if (object) this.objects.set(key, object);
      else this.objects.delete(key);
      onChange(was, object);
    }
    const last = this.#log[this.#next - 1]?.version ?? 0;
    this.frontier = Math.max(this.frontier, version === Number.POSITIVE_INFINITY ? last : version);
    if (this.#next > 1000 && this.#next * 2 > this.#log.length) {
      this.#log = this.#log.slice(this.#next);
      this.#next = 0;
    }
  }
}

export class Sights {
  readonly #pasts = new Map<WatchedKind, Past>(watchedKinds.map((kind) => [kind, new Past()]));
  readonly #podsByNode = new Map<string, Set<Key>>();
  readonly #claimByProvider = new Map<string, Key>();
  readonly #claimByNode = new Map<string, Key>();
  /** By author: what it wrote itself is in its view at once, however late the watch is. */
  readonly #own = new Map<string, Own>();

  /** The object after a change; absent = it is gone. */
  note(kind: string, key: Key, version: number, object: KubeObject | undefined): void {
    if (isWatched(kind)) this.#past(kind).note({ key, version, ...(object && { object }) });
  }

  /** An author was told that what it asked for is done: the object as it stands now is in its view. */
  noteOwn(by: string, kind: string, entry: Entry): void {
    if (!isWatched(kind)) return;
    const own = this.#own.get(by) ?? nothingOwn();
    this.#own.set(by, own);
    own[kind].set(entry.key, entry);
  }

  /** Moves on to what the author of a ledger had seen. Where it does not say, it knew all. */
  asSeen(by: string, seen: Readonly<Record<string, string>> = {}): Sight {
    for (const kind of watchedKinds) {
      const version = seen[kind] === undefined ? Number.POSITIVE_INFINITY : Number(seen[kind]);
      this.#past(kind).advance(version, (was, is) => this.#index(kind, was, is));
    }
    const own = this.#own.get(by) ?? nothingOwn();
    for (const kind of watchedKinds) {
      for (const [key, { version }] of own[kind]) if (version <= this.#past(kind).frontier) own[kind].delete(key);
    }
    return this.#sight(own);
  }

  #past(kind: WatchedKind): Past {
    return this.#pasts.get(kind) as Past;
  }

  #index(kind: WatchedKind, was: KubeObject | undefined, is: KubeObject | undefined): void {
    if (kind === 'Pod') {
      const from = was && textAt(was.spec, 'nodeName');
      const to = is && textAt(is.spec, 'nodeName');
      if (from !== undefined && from !== to) this.#podsByNode.get(from)?.delete(keyOf(was as KubeObject));
      if (to === undefined) return;
      const pods = this.#podsByNode.get(to) ?? new Set<Key>();
      this.#podsByNode.set(to, pods);
      pods.add(keyOf(is as KubeObject));
    }
    if (kind !== 'NodeClaim') return;
    for (const [index, field] of [
      [this.#claimByProvider, 'providerID'],
      [this.#claimByNode, 'nodeName'],
    ] as const) {
      const [before, now] = [textAt(was?.status, field), textAt(is?.status, field)];
      if (before !== undefined && before !== now) index.delete(before);
      if (is && now !== undefined) index.set(now, keyOf(is));
    }
  }

  #sight(own: Own): Sight {
    const see = (kind: WatchedKind, key: Key, object: KubeObject | undefined): KubeObject | undefined => {
      const written = own[kind].get(key);
      return written && written.version > (object ? versionOf(object) : 0) ? written.object : object;
    };
    const get: Sight['get'] = (kind, key) => see(kind, key, this.#past(kind).objects.get(key));
    const claimOf = (node: KubeObject): KubeObject | undefined => {
      const provider = textAt(node.spec, 'providerID');
      const key =
        (provider === undefined ? undefined : this.#claimByProvider.get(provider)) ??
        this.#claimByNode.get(node.metadata.name);
      return key === undefined ? undefined : get('NodeClaim', key);
    };
    const all = (kind: WatchedKind): KubeObject[] => {
      const list: KubeObject[] = [];
      for (const [key, object] of this.#past(kind).objects) {
        const seen = see(kind, key, object);
        if (seen) list.push(seen);
      }
      for (const { key, object } of own[kind].values()) {
        if (object && !this.#past(kind).objects.has(key)) list.push(object);
      }
      return list;
    };
    let hosts: readonly Host[] | undefined;
    return {
      get,
      list: all,
      hosts: () => {
        hosts ??= all('Node').map((node) => hostOf(node, claimOf(node)));
        return hosts;
      },
      host: (name) => {
        const node = get('Node', name);
        return node && hostOf(node, claimOf(node));
      },
      podsOn: (node) => [...(this.#podsByNode.get(node) ?? [])].flatMap((key) => get('Pod', key) ?? []),
    };
  }
}
