// Kubernetes' disruption controller: updates the status of PodDisruptionBudgets shortly after one of their pods changes.

import { after, asDuration, type Instant, parseInstant, second } from '../../time/instant.ts';
import { isDeleting, type KubeObject, keyAt, keyOf, type Texts } from '../kubeObject.ts';
import type { ObjectChange } from '../objects.ts';
import type { World } from '../world.ts';
import { type ActorController, change, noWrites, type ReconcileResult } from './actor.ts';
import { type Controlled, type Members, PdbPods } from './pdbPods.ts';
import { amountOf, controllerReference, type RawWorkload, withConditions } from './rawObjects.ts';

interface PdbNumbers {
  /** The scale of the pods' controllers; for a numeric minAvailable, the number of pods. */
  readonly expectedPods: number;
  readonly desiredHealthy: number;
  readonly currentHealthy: number;
  readonly disruptionsAllowed: number;
}

interface PodCounts {
  /** All selected pods, whatever their state. */
  readonly pods: number;
  /** The total scale of the pods' controllers; undefined if one has no scale, like a DaemonSet or a Job. */
  readonly scale: number | undefined;
  /** Pods that are Ready and neither terminating nor just evicted. */
  readonly healthy: number;
}

/** Undefined if the numbers cannot be computed; then no disruption is allowed. */
export function healthyOf(
  { spec }: Pick<KubeObject, 'spec'>,
  { pods, scale, healthy }: PodCounts,
): PdbNumbers | undefined {
  const wanted = expectedPodsOf(spec ?? {}, pods, scale);
  if (!wanted) return undefined;
  const { expectedPods, desiredHealthy } = wanted;
  // With no expected pods no disruption is allowed; otherwise the first pods could be evicted at once.
  const spare = expectedPods <= 0 ? 0 : healthy - desiredHealthy;
  return { expectedPods, desiredHealthy, currentHealthy: healthy, disruptionsAllowed: Math.max(0, spare) };
}

type PdbExpectedPods = Pick<PdbNumbers, 'expectedPods' | 'desiredHealthy'>;

/** maxUnavailable takes precedence over minAvailable. Both round up. */
function expectedPodsOf(
  spec: Readonly<Record<string, unknown>>,
  pods: number,
  scale: number | undefined,
): PdbExpectedPods | undefined {
  const { maxUnavailable, minAvailable } = spec;
  if (maxUnavailable !== undefined) {
    const missing = scale === undefined ? undefined : amountOf(maxUnavailable, scale, 'up');
    if (scale === undefined || missing === undefined) return undefined;
    return { expectedPods: scale, desiredHealthy: Math.max(0, scale - missing) };
  }
  if (typeof minAvailable === 'number') return { expectedPods: pods, desiredHealthy: minAvailable };
  if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
  const least = scale === undefined ? undefined : amountOf(minAvailable, scale, 'up');
  return scale === undefined || least === undefined ? undefined : { expectedPods: scale, desiredHealthy: least };
}

/** An evicted pod that is not deleted within this time counts as available again. */
const evictionTimeout = asDuration(120 * second);

export function pdbController(world: World): ActorController {
  const members = new PdbPods(world.objects);
  return {
    name: 'disruption-controller',
    wakes: {
      PodDisruptionBudget: ({ type, object }) => {
        members.setPdb(object, type === 'DELETED');
        return type === 'DELETED' ? [] : [keyOf(object)];
      },
      Pod: ({ type, object }) => members.setPod(object, type === 'DELETED'),
      ...Object.fromEntries(
        scalable.map((kind) => [
          kind,
          ({ object, was }: ObjectChange) =>
            was?.spec === object.spec ? [] : members.inNamespace(object.metadata.namespace ?? ''),
        ]),
      ),
    },
    after: [0.1, 0.5],
    reconcile: (key) => {
      const pdb = world.objects.get('PodDisruptionBudget', key);
      const pods = members.of(key);
      return pdb && pods ? reconcile(pdb, pods, world) : noWrites;
    },
  };
}

function reconcile(pdb: KubeObject, members: Members, world: World): ReconcileResult {
  const { now } = world.clock;
  const { disruptedPods, again } = evictedNotDeleted(pdb, members, now);
  const stillReady = Object.keys(disruptedPods).filter((name) =>
    members.healthy.has(keyAt(pdb.metadata.namespace, name)),
  );
  const counts = {
    pods: members.pods.size,
    scale: scaleOf(members.controllers.values(), pdb.metadata.namespace, world),
    healthy: members.healthy.size - stillReady.length,
  };
  const found = healthyOf(pdb, counts);
  const writes = [change('PodDisruptionBudget', keyOf(pdb), (it) => withStatus(it, found, disruptedPods, now))];
  return { writes, ...(again !== undefined && { again }) };
}

/** Evicted pods that are not terminating yet: they count as disrupted for a while. */
function evictedNotDeleted(pdb: KubeObject, { pods }: Members, now: Instant): { disruptedPods: Texts; again?: number } {
  const disruptedPods: Record<string, string> = {};
  let first = Infinity;
  for (const [name, at] of Object.entries(evictedIn(pdb))) {
    const pod = pods.get(keyAt(pdb.metadata.namespace, name));
    const until = after(parseInstant(at) ?? now, evictionTimeout);
    if (!pod || isDeleting(pod) || until < now) continue;
    disruptedPods[name] = at;
    first = Math.min(first, until);
  }
  return { disruptedPods, ...(Number.isFinite(first) && { again: (first - now) / second + 1 }) };
}

/** The eviction times by pod. */
const evictedIn = ({ status }: { readonly status?: { readonly disruptedPods?: Texts } }): Texts =>
  status?.disruptedPods ?? {};

function withStatus(pdb: KubeObject, found: PdbNumbers | undefined, disruptedPods: Texts, now: Instant): KubeObject {
  const { generation } = pdb.metadata;
  const allowed = found?.disruptionsAllowed ?? 0;
  const condition = {
    type: 'DisruptionAllowed',
    status: allowed > 0 ? 'True' : 'False',
    reason: !found ? 'SyncFailed' : allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: found ? '' : 'found no controllers with a scale for its pods',
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  const { disruptedPods: _, ...status } = pdb.status ?? {};
  const kept = found ? disruptedPods : evictedIn(pdb);
  return withConditions({ ...pdb, status }, now, [condition], {
    ...(found ?? { disruptionsAllowed: 0 }),
    ...(Object.keys(kept).length > 0 && { disruptedPods: kept }),
    ...(found && generation !== undefined && { observedGeneration: generation }),
  });
}

/** The total replicas of these controllers; undefined if one has no scale. A Deployment counts once. */
function scaleOf(
  references: Iterable<Controlled>,
  namespace: string | undefined,
  { objects }: World,
): number | undefined {
  let scale = 0;
  const counted = new Set<string>();
  for (const { kind, name } of references) {
    const own: RawWorkload | undefined = objects.get(kind, keyAt(namespace, name));
    const above = own?.kind === 'ReplicaSet' ? controllerReference(own) : undefined;
    const scaled: RawWorkload | undefined = above ? objects.get(above.kind, keyAt(namespace, above.name)) : own;
    if (!scaled || !scalable.includes(scaled.kind)) return undefined;
    if (counted.has(scaled.metadata.uid ?? '')) continue;
    counted.add(scaled.metadata.uid ?? '');
    scale += scaled.spec?.replicas ?? 1;
  }
  return scale;
}

const scalable = ['Deployment', 'ReplicaSet', 'StatefulSet'];
