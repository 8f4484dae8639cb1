// Who keeps the status of PodDisruptionBudgets? Kubernetes' disruption controller: a moment after any of its pods has changed.
import { after, asDuration, type Instant, parseInstant, second } from '../../../time/instant.ts';
import { isDeleting, type KubeObject, keyAt, keyOf, type Texts } from '../../kubeObject.ts';
import type { Changed } from '../../objects.ts';
import type { World } from '../../world.ts';
import { type Controller, nothing, type Settled } from '../controller.ts';
import { controllerReference, type Pod, type Workload } from '../manifest.ts';
import { withConditions } from '../status.ts';
import { change } from '../write.ts';
import { type Controlled, type Members, PdbPods } from './pdbPods.ts';
import { type Healthy, healthyOf } from './pdbStatus.ts';

/** An evicted pod that is not seen to end within this time is counted again. */
const evictionPatience = asDuration(120 * second);

export function pdbController(world: World): Controller {
  const members = new PdbPods(world.objects);
  return {
    name: 'disruption-controller',
    wakes: {
      PodDisruptionBudget: ({ type, object }) => {
        members.setPdb(object, type === 'DELETED');
        return type === 'DELETED' ? [] : [keyOf(object)];
      },
      Pod: ({ type, object }) => members.setPod(object as Pod, type === 'DELETED'),
      ...Object.fromEntries(
        scalable.map((kind) => [
          kind,
          ({ object, was }: Changed) =>
            was?.spec === object.spec ? [] : members.inNamespace(object.metadata.namespace ?? ''),
        ]),
      ),
    },
    after: [0.1, 0.5],
    settle: (key) => {
      const pdb = world.objects.get('PodDisruptionBudget', key);
      const pods = members.of(key);
      return pdb && pods ? settle(pdb, pods, world) : nothing;
    },
  };
}

function settle(pdb: KubeObject, members: Members, world: World): Settled {
  const { now } = world.clock;
  const { disruptedPods, again } = stillLeaving(pdb, members, now);
  const stillReady = Object.keys(disruptedPods).filter((name) =>
    members.healthy.has(keyAt(pdb.metadata.namespace, name)),
  );
  const counts = {
    pods: members.pods.size,
    scale: scaleOf(members.controllers.values(), pdb.metadata.namespace, world),
    healthy: members.healthy.size - stillReady.length,
  };
  const found = healthyOf(pdb, counts);
  const writes = [change('PodDisruptionBudget', keyOf(pdb), (it) => told(it, found, disruptedPods, now))];
  return { writes, ...(again !== undefined && { again }) };
}

/** Pods that were evicted and have not begun to end: they count as gone for a while. */
function stillLeaving(pdb: KubeObject, { pods }: Members, now: Instant): { disruptedPods: Texts; again?: number } {
  const disruptedPods: Record<string, string> = {};
  let first = Infinity;
  for (const [name, at] of Object.entries((pdb.status?.disruptedPods ?? {}) as Texts)) {
    const pod = pods.get(keyAt(pdb.metadata.namespace, name));
    const until = after(parseInstant(at) ?? now, evictionPatience);
    if (!pod || isDeleting(pod) || until < now) continue;
    disruptedPods[name] = at;
    first = Math.min(first, until);
  }
  return { disruptedPods, ...(Number.isFinite(first) && { again: (first - now) / second + 1 }) };
}

function told(pdb: KubeObject, found: Healthy | undefined, disruptedPods: Texts, now: Instant): KubeObject {
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
  const kept = found ? disruptedPods : ((pdb.status?.disruptedPods ?? {}) as Texts);
  return withConditions({ ...pdb, status }, now, [condition], {
    ...(found ?? { disruptionsAllowed: 0 }),
    ...(Object.keys(kept).length > 0 && { disruptedPods: kept }),
    ...(found && generation !== undefined && { observedGeneration: generation }),
  });
}

/** The replicas that these controllers ask for; undefined where one of them has no scale. A Deployment counts once. */
function scaleOf(
  references: Iterable<Controlled>,
  namespace: string | undefined,
  { objects }: World,
): number | undefined {
  let scale = 0;
  const counted = new Set<string>();
  for (const { kind, name } of references) {
    const own = objects.get(kind, keyAt(namespace, name)) as Workload | undefined;
    const above = own?.kind === 'ReplicaSet' ? controllerReference(own) : undefined;
    const asked = above ? (objects.get(above.kind, keyAt(namespace, above.name)) as Workload | undefined) : own;
    if (!asked || !scalable.includes(asked.kind)) return undefined;
    if (counted.has(asked.metadata.uid ?? '')) continue;
    counted.add(asked.metadata.uid ?? '');
    scale += asked.spec?.replicas ?? 1;
  }
  return scale;
}

const scalable = ['Deployment', 'ReplicaSet', 'StatefulSet'];
