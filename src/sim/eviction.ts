// May this pod be evicted now? The Eviction subresource, in the order in which the real one asks (Kubernetes 1.36).
import { formatInstant, type Instant } from '../time/instant.ts';
import { isDeleting, type Json, type Key, type KubeObject, keyOf } from './kubeObject.ts';
import { conflictWith, notFound, type Preconditions, type Result, refused } from './result.ts';

/** What an eviction needs of the objects. */
export interface Shelf {
  get(kind: string, key: Key): KubeObject | undefined;
  pdbsOver(pod: KubeObject): readonly KubeObject[];
  write(kind: string, key: Key, by: string, next: (object: KubeObject) => KubeObject): unknown;
  /** Deletes the pod with its own grace, written as it is given here. */
  remove(pod: KubeObject, by: string): Result;
}

export interface Eviction {
  readonly key: Key;
  readonly by: string;
  readonly now: Instant;
  readonly preconditions?: Preconditions | undefined;
}

const tooMany = "Cannot evict pod as it would violate the pod's disruption budget.";

/** Above this the disruption controller has lost track. */
const maxDisruptedPods = 2000;

export function evictPod(shelf: Shelf, eviction: Eviction): Result {
  const pod = shelf.get('Pod', eviction.key);
  if (!pod) return notFound('Pod', eviction.key);
  const no = needsNoPdb(pod) ? undefined : spendPdb(shelf, pod, eviction);
  // As in the real one the preconditions are the last thing that is looked at: a late eviction costs the PDB a disruption,
  // until its controller notices that the pod is still there.
  return no ?? conflictWith(pod, eviction.preconditions) ?? shelf.remove(withTarget(pod, eviction.now), eviction.by);
}

/** Whoever ends anyway, or has not begun, disrupts nobody. */
const needsNoPdb = (pod: KubeObject): boolean =>
  isDeleting(pod) || ['Succeeded', 'Failed', 'Pending'].includes(pod.status?.phase as string);

function spendPdb(shelf: Shelf, pod: KubeObject, { by, now }: Eviction): Result | undefined {
  const [pdb, second] = shelf.pdbsOver(pod);
  if (second)
    return refused(
      500,
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  if (!pdb || mayGoUnready(pdb, pod)) return undefined;
  const no = refusalOf(pdb);
  if (no) return no;
  shelf.write('PodDisruptionBudget', keyOf(pdb), by, (object) => spent(object, pod.metadata.name, now));
  return undefined;
}

function mayGoUnready({ spec, status }: KubeObject, pod: KubeObject): boolean {
  if (isReady(pod)) return false;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const [current, desired] = [numberIn(status, 'currentHealthy'), numberIn(status, 'desiredHealthy')];
  return current >= desired && desired > 0;
}

function refusalOf({ metadata, status }: KubeObject): Result | undefined {
  const allowed = numberIn(status, 'disruptionsAllowed');
  const named = `The disruption budget ${metadata.name}`;
  if (numberIn(status, 'observedGeneration') < (metadata.generation ?? 0))
    return refused(429, `${tooMany} ${named} is still being processed by the server.`);
  if (allowed < 0) return refused(403, `${named}: pdb disruptions allowed is negative`);
  if (Object.keys((status?.disruptedPods ?? {}) as Json).length > maxDisruptedPods)
    return refused(403, `${named}: DisruptedPods map too big - too many evictions not confirmed by PDB controller`);
  if (allowed > 0) return undefined;
  const [current, desired] = [numberIn(status, 'currentHealthy'), numberIn(status, 'desiredHealthy')];
  return refused(429, `${tooMany} ${named} needs ${desired} healthy pods and has ${current} currently`);
}

function spent(pdb: KubeObject, pod: string, now: Instant): KubeObject {
  const disruptedPods = { ...(pdb.status?.disruptedPods as Json | undefined), [pod]: formatInstant(now) };
  const disruptionsAllowed = numberIn(pdb.status, 'disruptionsAllowed') - 1;
  return { ...pdb, status: { ...pdb.status, disruptionsAllowed, disruptedPods } };
}

/** The condition by which a pod's owner learns why it went. */
function withTarget(pod: KubeObject, now: Instant): KubeObject {
  const others = conditionsOf(pod).filter(({ type }) => type !== 'DisruptionTarget');
  if (isDeleting(pod) && others.length < conditionsOf(pod).length) return pod;
  const target = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastTransitionTime: formatInstant(now),
  };
  return { ...pod, status: { ...pod.status, conditions: [...others, target] } };
}

const conditionsOf = ({ status }: KubeObject): readonly Json[] =>
  (status?.conditions as readonly Json[] | undefined) ?? [];

const isReady = (pod: KubeObject): boolean =>
  conditionsOf(pod).some(({ type, status }) => type === 'Ready' && status === 'True');

const numberIn = (status: Json | undefined, field: string): number => Number(status?.[field] ?? 0);
