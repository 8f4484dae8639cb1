// Deletion of objects (grace periods and finalizers) and the Eviction subresource, with the checks of Kubernetes 1.36 in
// their order.

import { isMap } from '../kinds/read/reader.ts';
import { after, asDuration, asInstant, formatInstant, type Instant, second } from '../time/instant.ts';
import { conditionOf, isTerminal, isTrue, type RawPod } from './actors/rawObjects.ts';
import {
  instantOf,
  isDeleting,
  type Json,
  type KubeObject,
  keyOf,
  type ObjectKey,
  type StoredObject,
} from './kubeObject.ts';

export type WriteResult =
  | { readonly ok: true; readonly object: StoredObject }
  | { readonly ok: false; readonly code: number; readonly message: string };

export interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export const done = (object: StoredObject): WriteResult => ({ ok: true, object });

export const refused = (code: number, message: string): WriteResult => ({ ok: false, code, message });

export const notFound = (kind: string, key: string): WriteResult => refused(404, `${kind} "${key}" not found`);

/** The API server's error for a precondition that does not hold. */
export function conflictWith({ kind, metadata }: KubeObject, wanted: Preconditions = {}): WriteResult | undefined {
  for (const field of ['uid', 'resourceVersion'] as const) {
    if (wanted[field] === undefined || wanted[field] === metadata[field]) continue;
    const why = `the ${field} in the precondition: ${wanted[field]}, the ${field} in record: ${metadata[field]}`;
    return refused(409, `Operation cannot be fulfilled on ${kind} "${metadata.name}": Precondition failed: ${why}`);
  }
  return undefined;
}

/** Kubernetes' own default for pods. */
const defaultGraceSeconds = 30;

/** The object after a deletion request: unchanged, marked as terminating, or undefined if it is removed. */
export function deleted(object: KubeObject, now: Instant, graceSeconds?: number): KubeObject | undefined {
  if (isDeleting(object)) return deletedAgain(object, graceSeconds);
  const grace = graceOf(object, graceSeconds);
  return grace === 0 && !hasFinalizers(object) ? undefined : marked(object, now, grace);
}

/** Only a shorter grace period has an effect. With a grace period of 0 the kubelet removes a stopped pod. */
function deletedAgain(object: KubeObject, graceSeconds?: number): KubeObject | undefined {
  const { deletionTimestamp = '', deletionGracePeriodSeconds: known = 0 } = object.metadata;
  const wanted = known === 0 ? 0 : Math.max(0, graceSeconds ?? known);
  if (wanted === 0 && !hasFinalizers(object)) return undefined;
  if (wanted >= known) return object;
  const askedAt = after(instantOf(deletionTimestamp) ?? asInstant(0), asDuration(-known * second));
  return marked(object, askedAt, wanted);
}

function marked(object: KubeObject, askedAt: Instant, grace: number): KubeObject {
  const { metadata } = object;
  const isNew = !isDeleting(object);
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(isNew && metadata.generation !== undefined && { generation: metadata.generation + 1 }),
      deletionTimestamp: formatInstant(after(askedAt, asDuration(grace * second))),
      deletionGracePeriodSeconds: grace,
    },
  };
}

/** Only bound pods have a grace period. */
function graceOf({ kind, spec, status }: RawPod, wanted?: number): number {
  if (kind !== 'Pod' || !spec?.nodeName || status?.phase === 'Succeeded' || status?.phase === 'Failed') return 0;
  const grace = wanted ?? spec.terminationGracePeriodSeconds ?? defaultGraceSeconds;
  return grace < 0 ? 1 : grace;
}

const hasFinalizers = ({ metadata }: KubeObject): boolean => (metadata.finalizers?.length ?? 0) > 0;

/** Whether the last finalizer of a deleted object was removed and nothing else keeps it. */
export const isFinalized = (was: KubeObject, object: KubeObject): boolean =>
  isDeleting(object) &&
  hasFinalizers(was) &&
  !hasFinalizers(object) &&
  (object.metadata.deletionGracePeriodSeconds ?? 0) === 0;

/** The part of the object store that an eviction uses. */
interface EvictionStore {
  get(kind: string, key: ObjectKey): KubeObject | undefined;
  pdbsOver(pod: KubeObject): readonly KubeObject[];
  write(kind: string, key: ObjectKey, by: string, next: (object: KubeObject) => KubeObject): unknown;
  /** Deletes the given version of the pod with its own grace period. */
  remove(pod: KubeObject, by: string): WriteResult;
}

interface Eviction {
  readonly key: ObjectKey;
  readonly by: string;
  readonly now: Instant;
  readonly preconditions?: Preconditions | undefined;
}

const tooMany = "Cannot evict pod as it would violate the pod's disruption budget.";

/** The API server's limit for unconfirmed evictions. */
const maxDisruptedPods = 2000;

export function evictPod(store: EvictionStore, eviction: Eviction): WriteResult {
  const pod = store.get('Pod', eviction.key);
  if (!pod) return notFound('Pod', eviction.key);
  const no = needsNoPdb(pod) ? undefined : spendPdb(store, pod, eviction);
  // As in Kubernetes, preconditions are checked last: an eviction that fails them still uses the PDB, until the disruption controller
  // notices that the pod still exists.
  return no ?? conflictWith(pod, eviction.preconditions) ?? store.remove(withTarget(pod, eviction.now), eviction.by);
}

/** Terminating, terminal and pending pods are evicted without a PDB check. */
const needsNoPdb = (pod: RawPod): boolean => isDeleting(pod) || isTerminal(pod) || pod.status?.phase === 'Pending';

function spendPdb(store: EvictionStore, pod: KubeObject, { by, now }: Eviction): WriteResult | undefined {
  const [pdb, second] = store.pdbsOver(pod);
  if (second)
    return refused(
      500,
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  if (!pdb || mayEvictUnready(pdb, pod)) return undefined;
  const no = refusalOf(pdb);
  if (no) return no;
  store.write('PodDisruptionBudget', keyOf(pdb), by, (object) => spent(object, pod.metadata.name, now));
  return undefined;
}

function mayEvictUnready({ spec, status }: KubeObject, pod: KubeObject): boolean {
  if (isTrue(pod, 'Ready')) return false;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const [current, desired] = [numberIn(status, 'currentHealthy'), numberIn(status, 'desiredHealthy')];
  return current >= desired && desired > 0;
}

function refusalOf({ metadata, status }: KubeObject): WriteResult | undefined {
  const allowed = numberIn(status, 'disruptionsAllowed');
  const named = `The disruption budget ${metadata.name}`;
  if (numberIn(status, 'observedGeneration') < (metadata.generation ?? 0))
    return refused(429, `${tooMany} ${named} is still being processed by the server.`);
  if (allowed < 0) return refused(403, `${named}: pdb disruptions allowed is negative`);
  if (Object.keys(status?.disruptedPods ?? {}).length > maxDisruptedPods)
    return refused(403, `${named}: DisruptedPods map too big - too many evictions not confirmed by PDB controller`);
  if (allowed > 0) return undefined;
  const [current, desired] = [numberIn(status, 'currentHealthy'), numberIn(status, 'desiredHealthy')];
  return refused(429, `${tooMany} ${named} needs ${desired} healthy pods and has ${current} currently`);
}

function spent(pdb: KubeObject, pod: string, now: Instant): KubeObject {
  const before = pdb.status?.disruptedPods;
  const disruptedPods = { ...(isMap(before) && before), [pod]: formatInstant(now) };
  const disruptionsAllowed = numberIn(pdb.status, 'disruptionsAllowed') - 1;
  return { ...pdb, status: { ...pdb.status, disruptionsAllowed, disruptedPods } };
}

/** Adds the DisruptionTarget condition. */
function withTarget(pod: RawPod, now: Instant): KubeObject {
  const others = pod.status?.conditions?.filter(({ type }) => type !== 'DisruptionTarget') ?? [];
  if (isDeleting(pod) && conditionOf(pod, 'DisruptionTarget')) return pod;
  const target = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastTransitionTime: formatInstant(now),
  };
  return { ...pod, status: { ...pod.status, conditions: [...others, target] } };
}

const numberIn = (status: Json | undefined, field: string): number => Number(status?.[field] ?? 0);
