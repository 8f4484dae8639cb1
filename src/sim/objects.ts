// What does the cluster hold? Versioned objects, as etcd and the API server keep them: every write is a new version, and everybody is told in order.
import { formatInstant } from '../time/instant.ts';
import type { Clock } from './clock.ts';
import { deleted, isFinalized } from './deletion.ts';
import { evictPod } from './eviction.ts';
import { applyPatch, type PatchOperation } from './jsonPatch.ts';
import { inNamespace, type Key, type KubeObject, keyOf, type Meta, sameJson } from './kubeObject.ts';
import { PodIndex } from './podIndex.ts';
import { conflictWith, done, notFound, type Preconditions, type Result, refused } from './result.ts';

export type { Key, KubeObject } from './kubeObject.ts';
export type { Result } from './result.ts';

export interface Changed {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** As it is now; a deleted one as it was last. */
  readonly object: KubeObject;
  readonly was?: KubeObject;
  /** resourceVersion. */
  readonly version: number;
  /** Who did it: 'lull-1', 'kubelet', 'script'… */
  readonly by: string;
}

export interface DeleteOptions extends Preconditions {
  /** For pods. Absent = what the pod itself says. */
  readonly graceSeconds?: number;
}

/** A write that is ready to be done. Without `object` it is gone. */
interface Write {
  readonly was?: KubeObject;
  readonly object?: KubeObject;
  readonly by: string;
}

type Listener = (change: Changed) => void;

const none: ReadonlyMap<Key, KubeObject> = new Map();

/** Of these Kubernetes counts no generation. */
const withoutGeneration = new Set(['Node', 'Namespace']);

export class Objects {
  readonly #clock: Clock;
  readonly #kinds = new Map<string, Map<Key, KubeObject>>();
  readonly #pods = new PodIndex((kind, key) => this.get(kind, key));
  readonly #listeners = new Set<Listener>();
  readonly #untold: Changed[] = [];
  #isTelling = false;
  #version = 0;
  #uids = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What a write loses on its way in, as by the schema of its kind. */
  prune: (object: KubeObject) => KubeObject = (object) => object;

  /** What admission adds to a new object, as a MutatingAdmissionPolicy does. */
  admit: (object: KubeObject) => KubeObject = (object) => object;

  /** The resourceVersion of the last write of all. */
  get version(): number {
    return this.#version;
  }

  get(kind: string, key: Key): KubeObject | undefined {
    return this.#kinds.get(kind)?.get(key);
  }

  /** In the order in which they were created. */
  list(kind: string): Iterable<KubeObject> {
    return (this.#kinds.get(kind) ?? none).values();
  }

  /** The pods that are bound to a node, which may be there or not. */
  podsOn(node: string): Iterable<KubeObject> {
    return this.#pods.on(node);
  }

  podsIn(namespace: string): Iterable<KubeObject> {
    return this.#pods.in(namespace);
  }

  pdbsOver(pod: KubeObject): readonly KubeObject[] {
    return this.#pods.pdbsOver(pod);
  }

  /** What the object says of its own age and uid is kept, so that a cluster can be put back as it was. */
  create(given: KubeObject, by: string): Result {
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

  /** An actor's write: gives the next object, or undefined to leave it as it is. It asks nobody. */
  write(
    kind: string,
    key: Key,
    by: string,
    next: (object: KubeObject) => KubeObject | undefined,
  ): KubeObject | undefined {
    const was = this.get(kind, key);
    const object = was && next(was);
    return was && object ? this.#replace(was, object, by) : was;
  }

  /** RFC 6902. Its `test` operations are its preconditions. */
  patch(kind: string, key: Key, patch: readonly PatchOperation[], by: string): Result {
    const was = this.get(kind, key);
    if (!was) return notFound(kind, key);
    const patched = applyPatch(was, patch);
    if (!patched.ok) return refused(422, `${kind} "${key}" is invalid: ${patched.message}`);
    const object = patched.value as KubeObject;
    const wrong = this.#wrongIn(was, object);
    return wrong ?? done(this.#replace(was, object, by));
  }

  /** An object that waits for its finalizers, or a pod for its grace, is marked; any other is gone. Twice is as good as once. */
  delete(kind: string, key: Key, by: string, options: DeleteOptions = {}): Result {
    const was = this.get(kind, key);
    if (!was) return notFound(kind, key);
    return conflictWith(was, options) ?? this.#delete(was, by, options.graceSeconds);
  }

  evict(key: Key, by: string, preconditions?: Preconditions): Result {
    const shelf = {
      get: (kind: string, each: Key) => this.get(kind, each),
      pdbsOver: (pod: KubeObject) => this.pdbsOver(pod),
      write: this.write.bind(this),
      remove: (pod: KubeObject, who: string) => this.#delete(pod, who),
    };
    return evictPod(shelf, { key, by, now: this.#clock.now, preconditions });
  }

  /** Listeners are called before a write returns, in order; what one of them writes is told after what it was told. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The object may differ from what is stored: an eviction leaves its mark in the same write. */
  #delete(object: KubeObject, by: string, graceSeconds?: number): Result {
    const was = this.get(object.kind, keyOf(object)) as KubeObject;
    const next = deleted(object, this.#clock.now, graceSeconds);
    if (!next) return done(this.#commit({ was, by }));
    return done(next === was ? was : this.#commit({ was, object: next, by }));
  }

  #replace(was: KubeObject, next: KubeObject, by: string): KubeObject {
    const object = this.prune(withoutEmpty(next));
    if (sameJson(was, object)) return was;
    if (isFinalized(was, object)) return this.#commit({ was, by });
    const { generation } = was.metadata;
    if (generation === undefined || sameJson(was.spec, object.spec)) return this.#commit({ was, object, by });
    const metadata = { ...object.metadata, generation: generation + 1 };
    return this.#commit({ was, object: { ...object, metadata }, by });
  }

  #commit({ was, object, by }: Write): KubeObject {
    const version = ++this.#version;
    const last = (object ?? was) as KubeObject;
    const stored: KubeObject = { ...last, metadata: { ...last.metadata, resourceVersion: String(version) } };
    const kept = object && stored;
    const key = keyOf(stored);
    if (kept) this.#ofKind(stored.kind).set(key, kept);
    else this.#ofKind(stored.kind).delete(key);
    this.#pods.update(key, was, kept);
    const type = !was ? 'ADDED' : kept ? 'MODIFIED' : 'DELETED';
    this.#tell({ type, object: stored, ...(was && { was }), version, by });
    return stored;
  }

  #tell(change: Changed): void {
    this.#untold.push(change);
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      for (let index = 0; index < this.#untold.length; index++)
        for (const listener of this.#listeners) listener(this.#untold[index] as Changed);
    } finally {
      this.#untold.length = 0;
      this.#isTelling = false;
    }
  }

  /** What nobody may change, and a version that is no longer the last. */
  #wrongIn({ kind, metadata: was }: KubeObject, { metadata }: KubeObject): Result | undefined {
    for (const field of ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp'] as const)
      if (metadata?.[field] !== was[field])
        return refused(422, `${kind} "${was.name}" is invalid: metadata.${field}: field is immutable`);
    if (metadata.resourceVersion === was.resourceVersion) return undefined;
    return refused(409, `Operation cannot be fulfilled on ${kind} "${was.name}": the object has been modified`);
  }

  #ofKind(kind: string): Map<Key, KubeObject> {
    const known = this.#kinds.get(kind);
    if (known) return known;
    const made = new Map<Key, KubeObject>();
    this.#kinds.set(kind, made);
    return made;
  }

  #nextUid(): string {
    const digits = (++this.#uids).toString(16).padStart(20, '0');
    return `${digits.slice(0, 8)}-0000-4000-8000-${digits.slice(8)}`;
  }
}

/** What holds nothing is not stored. */
function withoutEmpty(object: KubeObject): KubeObject {
  const { annotations } = object.metadata;
  if (!annotations || Object.keys(annotations).length > 0) return object;
  const { annotations: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
