// The object store of the simulated API server: every write creates a new version and notifies the listeners in order.
import { formatInstant } from '../time/instant.ts';
import type { RawPod, Stored } from './actors/rawObjects.ts';
import {
  conflictWith,
  deleted,
  done,
  evictPod,
  isFinalized,
  notFound,
  type Preconditions,
  refused,
  type WriteResult,
} from './eviction.ts';
import { applyPatch, type RawPatchOperation } from './jsonPatch.ts';
import {
  inNamespace,
  type KubeObject,
  keyOf,
  type Meta,
  type ObjectKey,
  type StoredObject,
  sameJson,
} from './kubeObject.ts';
import { SimPodIndex } from './simPodIndex.ts';
import type { VirtualClock } from './virtualClock.ts';

export type { WriteResult } from './eviction.ts';
export type { KubeObject, ObjectKey } from './kubeObject.ts';

export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The current version; for a deleted object the last one. */
  readonly object: StoredObject;
  readonly was?: StoredObject;
  /** resourceVersion. */
  readonly version: number;
  /** The writer: 'lull-1', 'kubelet', 'script'… */
  readonly by: string;
}

export interface DeleteOptions extends Preconditions {
  /** For pods. Absent: the pod's own grace period. */
  readonly graceSeconds?: number;
}

/** A validated write. Without `object` it is a removal. */
interface PendingWrite {
  readonly was?: StoredObject;
  readonly object?: KubeObject;
  readonly by: string;
}

type ChangeListener = (change: ObjectChange) => void;

const none: ReadonlyMap<ObjectKey, StoredObject> = new Map();

/** Kinds without metadata.generation. */
const withoutGeneration = new Set(['Node', 'Namespace']);

export class Objects {
  readonly #clock: VirtualClock;
  readonly #kinds = new Map<string, Map<ObjectKey, StoredObject>>();
  readonly #pods = new SimPodIndex((kind, key) => this.get(kind, key));
  readonly #listeners = new Set<ChangeListener>();
  readonly #untold: ObjectChange[] = [];
  #isTelling = false;
  #version = 0;
  #uids = 0;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  /** Prunes fields on write, as the schema of a kind does. */
  prune: (object: KubeObject) => KubeObject = (object) => object;

  /** Changes new objects, as a MutatingAdmissionPolicy does. */
  admit: (object: KubeObject) => KubeObject = (object) => object;

  /** The resourceVersion of the last write. */
  get version(): number {
    return this.#version;
  }

  get<Kind extends string>(kind: Kind, key: ObjectKey): Stored<Kind> | undefined {
    return this.#kinds.get(kind)?.get(key) as Stored<Kind> | undefined;
  }

  /** In the order of creation. */
  list<Kind extends string>(kind: Kind): Iterable<Stored<Kind>> {
    return (this.#kinds.get(kind) ?? none).values() as Iterable<Stored<Kind>>;
  }

  /** The pods bound to a node, which may not exist. */
  podsOn(node: string): Iterable<RawPod> {
    return this.#pods.on(node);
  }

  podsIn(namespace: string): Iterable<RawPod> {
    return this.#pods.in(namespace);
  }

  pdbsOver(pod: KubeObject): readonly KubeObject[] {
    return this.#pods.pdbsOver(pod);
  }

  /** Keeps a given creationTimestamp and uid, so that a recorded cluster can be restored. */
  create(given: KubeObject, by: string): WriteResult {
    const object = this.prune(this.admit(inNamespace(given)));
    const key = keyOf(object);
    if (this.get(object.kind, key)) return refused(409, `${object.kind} "${key}" already exists`);
    const metadata: Meta = {
      uid: this.#nextUid(),
      creationTimestamp: formatInstant(this.#clock.now),
      ...(!withoutGeneration.has(object.kind) && { generation: 1 }),
      ...object.metadata,
    };
    return done(this.#commit({ object: { ...object, metadata }, by }));
  }

  /** An actor's write, without validation: `next` returns the new object, or undefined for no change. */
  write(
    kind: string,
    key: ObjectKey,
    by: string,
    next: (object: StoredObject) => KubeObject | undefined,
  ): StoredObject | undefined {
    const was = this.get(kind, key);
    const object = was && next(was);
    return was && object ? this.#replace(was, object, by) : was;
  }

  /** A JSON Patch; its `test` operations are its preconditions. */
  patch(kind: string, key: ObjectKey, patch: readonly RawPatchOperation[], by: string): WriteResult {
    const was = this.get(kind, key);
    if (!was) return notFound(kind, key);
    const patched = applyPatch(was, patch);
    if (!patched.ok) return refused(422, `${kind} "${key}" is invalid: ${patched.message}`);
    const object = patched.value as KubeObject;
    const wrong = this.#validate(was, object);
    return wrong ?? done(this.#replace(was, object, by));
  }

  /** Marks an object with finalizers or a grace period as terminating, and removes any other. Idempotent. */
  delete(kind: string, key: ObjectKey, by: string, options: DeleteOptions = {}): WriteResult {
    const was = this.get(kind, key);
    if (!was) return notFound(kind, key);
    return conflictWith(was, options) ?? this.#delete(was, by, options.graceSeconds);
  }

  evict(key: ObjectKey, by: string, preconditions?: Preconditions): WriteResult {
    const store = {
      get: (kind: string, each: ObjectKey) => this.get(kind, each),
      pdbsOver: (pod: KubeObject) => this.pdbsOver(pod),
      write: this.write.bind(this),
      remove: (pod: KubeObject, who: string) => this.#delete(pod, who),
    };
    return evictPod(store, { key, by, now: this.#clock.now, preconditions });
  }

  /** Listeners are called in order before a write returns; their own writes are reported afterwards. */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The object may differ from the stored one: an eviction adds a condition in the same write. */
  #delete(object: KubeObject, by: string, graceSeconds?: number): WriteResult {
    const was = this.get(object.kind, keyOf(object));
    if (!was) return notFound(object.kind, keyOf(object));
    const next = deleted(object, this.#clock.now, graceSeconds);
    if (!next) return done(this.#commit({ was, by }));
    return done(next === was ? was : this.#commit({ was, object: next, by }));
  }

  #replace(was: StoredObject, next: KubeObject, by: string): StoredObject {
    const object = this.prune(withoutEmpty(next));
    if (sameJson(was, object)) return was;
    if (isFinalized(was, object)) return this.#commit({ was, by });
    const { generation } = was.metadata;
    if (generation === undefined || sameJson(was.spec, object.spec)) return this.#commit({ was, object, by });
    const metadata = { ...object.metadata, generation: generation + 1 };
    return this.#commit({ was, object: { ...object, metadata }, by });
  }

  #commit({ was, object, by }: PendingWrite): StoredObject {
    const version = ++this.#version;
    const last = (object ?? was) as KubeObject;
    const { uid = '' } = last.metadata;
    const stored: StoredObject = { ...last, metadata: { ...last.metadata, uid, resourceVersion: String(version) } };
    const kept = object && stored;
    const key = keyOf(stored);
    if (kept) this.#ofKind(stored.kind).set(key, kept);
    else this.#ofKind(stored.kind).delete(key);
    this.#pods.update(key, was, kept);
    const type = !was ? 'ADDED' : kept ? 'MODIFIED' : 'DELETED';
    this.#notify({ type, object: stored, ...(was && { was }), version, by });
    return stored;
  }

  #notify(change: ObjectChange): void {
    this.#untold.push(change);
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      // Includes changes that listeners add meanwhile.
      for (const each of this.#untold) for (const listener of this.#listeners) listener(each);
    } finally {
      this.#untold.length = 0;
      this.#isTelling = false;
    }
  }

  /** Errors for changed immutable fields and for an outdated resourceVersion. */
  #validate({ kind, metadata: was }: StoredObject, { metadata }: KubeObject): WriteResult | undefined {
    for (const field of ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp'] as const)
      if (metadata?.[field] !== was[field])
        return refused(422, `${kind} "${was.name}" is invalid: metadata.${field}: field is immutable`);
    if (metadata.resourceVersion === was.resourceVersion) return undefined;
    return refused(409, `Operation cannot be fulfilled on ${kind} "${was.name}": the object has been modified`);
  }

  #ofKind(kind: string): Map<ObjectKey, StoredObject> {
    const known = this.#kinds.get(kind);
    if (known) return known;
    const made = new Map<ObjectKey, StoredObject>();
    this.#kinds.set(kind, made);
    return made;
  }

  #nextUid(): string {
    const digits = (++this.#uids).toString(16).padStart(20, '0');
    return `${digits.slice(0, 8)}-0000-4000-8000-${digits.slice(8)}`;
  }
}

/** Removes empty fields. */
function withoutEmpty(object: KubeObject): KubeObject {
  const { annotations } = object.metadata;
  if (!annotations || Object.keys(annotations).length > 0) return object;
  const { annotations: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
