// The view a controller had when it wrote the ledger: the ledger records the versions its author had seen, and the objects are
// kept as they were then. Checks use this view, so that a controller is judged only by what it could know.
import { type KubeObject, keyOf, type ObjectKey, textAt, versionOf } from '../kubeObject.ts';
import { type Host, hostOf } from './raw.ts';

/** The kinds that the rules read. */
export const watchedKinds = [
  'Node',
  'NodeClaim',
  'NodePool',
  'Pod',
  'PodDisruptionBudget',
  'MaintenanceWindow',
  'HealthGate',
  'PodDisruptionSchedule',
  'Namespace',
] as const;

export type WatchedKind = (typeof watchedKinds)[number];

const isWatched = (kind: string): kind is WatchedKind => (watchedKinds as readonly string[]).includes(kind);

/** The cluster as one controller knows it. */
export interface AuthorView {
  get(kind: WatchedKind, key: ObjectKey): KubeObject | undefined;
  list(kind: WatchedKind): Iterable<KubeObject>;
  hosts(): readonly Host[];
  host(name: string): Host | undefined;
  podsOn(node: string): readonly KubeObject[];
}

interface VersionedObject {
  readonly key: ObjectKey;
  readonly version: number;
  /** Absent: deleted. */
  readonly object?: KubeObject;
}

type OwnObjects = Readonly<Record<WatchedKind, Map<ObjectKey, VersionedObject>>>;

const noOwnObjects = (): OwnObjects =>
  Object.fromEntries(watchedKinds.map((kind) => [kind, new Map<ObjectKey, VersionedObject>()])) as Record<
    WatchedKind,
    Map<ObjectKey, VersionedObject>
  >;

/** The objects up to a version, and the later changes in order. */
class KindHistory {
  readonly objects = new Map<ObjectKey, KubeObject>();
  #log: VersionedObject[] = [];
  #next = 0;
  frontier = 0;

  note(entry: VersionedObject): void {
    this.#log.push(entry);
  }

  advance(version: number, onChange: (was: KubeObject | undefined, is: KubeObject | undefined) => void): void {
    for (; this.#next < this.#log.length; this.#next++) {
      const entry = this.#log[this.#next];
      if (!entry || entry.version > version) break;
      const { key, object } = entry;
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

export class AuthorViews {
  readonly #pasts = new Map<WatchedKind, KindHistory>(watchedKinds.map((kind) => [kind, new KindHistory()]));
  readonly #podsByNode = new Map<string, Set<ObjectKey>>();
  readonly #claimByProvider = new Map<string, ObjectKey>();
  readonly #claimByNode = new Map<string, ObjectKey>();
  /** By author: its own writes are in its view at once, however late its watches are. */
  readonly #own = new Map<string, OwnObjects>();

  /** Records the object after a change; undefined if it was deleted. */
  note(kind: string, key: ObjectKey, version: number, object: KubeObject | undefined): void {
    if (isWatched(kind)) this.#past(kind).note({ key, version, ...(object && { object }) });
  }

  /** The author received the response to its write: the object is in its view. */
  noteOwn(by: string, kind: string, entry: VersionedObject): void {
    if (!isWatched(kind)) return;
    const own = this.#own.get(by) ?? noOwnObjects();
    this.#own.set(by, own);
    own[kind].set(entry.key, entry);
  }

  /** Advances to the versions the author had seen; without versions, to the current state. */
  asSeen(by: string, seen: Readonly<Record<string, string>> = {}): AuthorView {
    for (const kind of watchedKinds) {
      const version = seen[kind] === undefined ? Number.POSITIVE_INFINITY : Number(seen[kind]);
      this.#past(kind).advance(version, (was, is) => this.#index(kind, was, is));
    }
    const own = this.#own.get(by) ?? noOwnObjects();
    for (const kind of watchedKinds) {
      for (const [key, { version }] of own[kind]) if (version <= this.#past(kind).frontier) own[kind].delete(key);
    }
    return this.#sight(own);
  }

  #past(kind: WatchedKind): KindHistory {
    return this.#pasts.get(kind) as KindHistory;
  }

  #index(kind: WatchedKind, was: KubeObject | undefined, is: KubeObject | undefined): void {
    if (kind === 'Pod') {
      const from = was && textAt(was.spec, 'nodeName');
      const to = is && textAt(is.spec, 'nodeName');
      if (was && from !== undefined && from !== to) this.#podsByNode.get(from)?.delete(keyOf(was));
      if (!is || to === undefined) return;
      const pods = this.#podsByNode.get(to) ?? new Set<ObjectKey>();
      this.#podsByNode.set(to, pods);
      pods.add(keyOf(is));
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

  #sight(own: OwnObjects): AuthorView {
    const see = (kind: WatchedKind, key: ObjectKey, object: KubeObject | undefined): KubeObject | undefined => {
      const written = own[kind].get(key);
      return written && written.version > (object ? versionOf(object) : 0) ? written.object : object;
    };
    const get: AuthorView['get'] = (kind, key) => see(kind, key, this.#past(kind).objects.get(key));
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
