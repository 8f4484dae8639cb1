// The Deployment and ReplicaSet controllers: rolling updates, and scaling with Kubernetes' removal order.
import { type KubeObject, keyAt, keyOf, type ObjectKey } from '../../kubeObject.ts';
import { Grouped, type World } from '../../world.ts';
import { type ActorController, type ActorWrite, change, create, noWrites, remove } from '../actor.ts';
import {
  amountOf,
  conditionOf,
  controllerOf,
  controllerReference,
  isTrue,
  type RawPod,
  type RawRollingUpdate,
  type RawWorkload,
} from '../rawObjects.ts';
import {
  freshName,
  hashOf,
  isActive,
  isServing,
  itself,
  ownedBy,
  ownedPods,
  ownerKey,
  ownerOfPod,
  podOf,
  workloadAt,
} from './ownedPods.ts';

export function replicaSets(world: World): ActorController {
  const active = new Grouped(world.objects, 'Pod', (pod) => (isActive(pod) ? controllerOf(pod) : undefined));
  const random = world.random.fork('replicaset names');
  return {
    name: 'replicaset-controller',
    wakes: { ReplicaSet: itself, Pod: ownerOfPod('ReplicaSet') },
    after: [0.1, 0.3],
    reconcile: (key) => {
      const set = workloadAt('ReplicaSet', key, world);
      const pods = active.of(set?.metadata.uid ?? '');
      return set ? { writes: keep(set, pods, world, () => random.next()) } : noWrites;
    },
  };
}

function keep(
  set: RawWorkload,
  pods: ReadonlyMap<ObjectKey, KubeObject>,
  world: World,
  draw: () => number,
): ActorWrite[] {
  const wanted = set.spec?.replicas ?? 1;
  const { name, namespace = 'default' } = set.metadata;
  const template = set.spec?.template ?? {};
  if (pods.size < wanted) {
    const naming = { kind: 'Pod', prefix: name, namespace, taken: new Set<string>() };
    return Array.from({ length: wanted - pods.size }, () =>
      create(podOf({ name: freshName(naming, world, draw), owner: set, template }, world)),
    );
  }
  if (pods.size === wanted) return [];
  const surplus = [...pods.values()].sort(removalOrder).slice(0, pods.size - wanted);
  return surplus.map((pod) => remove('Pod', keyOf(pod)));
}

const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';

/** Kubernetes' order of removal: unbound, not running, not ready, low deletion cost, then the youngest. */
function removalOrder(a: RawPod, b: RawPod): number {
  return (
    bound(a) - bound(b) ||
    running(a) - running(b) ||
    serving(a) - serving(b) ||
    costOf(a) - costOf(b) ||
    compare(sinceOf(b), sinceOf(a)) ||
    compare(b.metadata.name, a.metadata.name)
  );
}

const bound = ({ spec }: RawPod): number => (spec?.nodeName ? 1 : 0);
const running = ({ status }: RawPod): number => (status?.phase === 'Running' ? 1 : 0);
const serving = (pod: RawPod): number => (isTrue(pod, 'Ready') ? 1 : 0);
const costOf = ({ metadata }: RawPod): number => Number(metadata.annotations?.[deletionCost] ?? 0) || 0;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const sinceOf = (pod: RawPod): string =>
  `${conditionOf(pod, 'Ready')?.lastTransitionTime ?? ''} ${pod.metadata.creationTimestamp ?? ''}`;

const hashLabel = 'pod-template-hash';
const quarter = '25%';

export function deployments(world: World): ActorController {
  /** The uids of Deployments with more than one ReplicaSet: only their rollouts depend on the state of pods. */
  const changing = new Set<string>();
  return {
    name: 'deployment-controller',
    wakes: {
      Deployment: itself,
      ReplicaSet: (seen) => {
        const uid = controllerOf(seen.object) ?? '';
        if (world.setsByOwner.of(uid).size > 1) changing.add(uid);
        else changing.delete(uid);
        return ownerKey('Deployment')(seen);
      },
      Pod: ({ object: { metadata }, object }) => {
        if (changing.size === 0) return [];
        const set = world.objects.get('ReplicaSet', keyAt(metadata.namespace, controllerReference(object)?.name ?? ''));
        const owner = set && controllerReference(set);
        return owner && changing.has(owner.uid) ? [keyAt(metadata.namespace, owner.name)] : [];
      },
    },
    after: [0.1, 0.3],
    reconcile: (key) => {
      const deployment = workloadAt('Deployment', key, world);
      return deployment ? { writes: roll(deployment, world) } : noWrites;
    },
  };
}

function roll(deployment: RawWorkload, world: World): ActorWrite[] {
  const wanted = deployment.spec?.replicas ?? 1;
  const name = `${deployment.metadata.name}-${hashOf(deployment.spec?.template ?? {})}`;
  const sets = [...world.setsByOwner.of(deployment.metadata.uid ?? '').values()];
  const current = sets.find(({ metadata }) => metadata.name === name);
  const old = sets.filter((set) => set !== current);
  // Old ReplicaSets are not kept, because no scenario rolls back.
  const spent = old.filter((set) => replicasOf(set) === 0 && ownedPods(set, world).length === 0);
  const active = old.filter((set) => replicasOf(set) > 0);
  const rest = spent.map((set) => remove('ReplicaSet', keyOf(set)));
  if (active.length === 0) return [...scale(deployment, current, wanted), ...rest];
  return [...rollOut(deployment, { current, old: active }, world), ...rest];
}

interface Sets {
  readonly current: RawWorkload | undefined;
  readonly old: readonly RawWorkload[];
}

/** A rolling update within maxSurge and maxUnavailable. */
function rollOut(deployment: RawWorkload, { current, old }: Sets, world: World): ActorWrite[] {
  const wanted = deployment.spec?.replicas ?? 1;
  const { type, rollingUpdate } = deployment.spec?.strategy ?? {};
  if (type === 'Recreate') return old.map((set) => resize(set, 0));
  const { surge, missing } = rolloutLimits(rollingUpdate, wanted);
  const now = current ? replicasOf(current) : 0;
  const total = now + sum(old.map(replicasOf));
  const grown = Math.min(wanted, now + Math.max(0, wanted + surge - total));
  const serving = (set: RawWorkload): number => ownedPods(set, world).filter(isServing).length;
  const notYetServing = current ? now - serving(current) : 0;
  let spare = total - (wanted - missing) - Math.max(0, notYetServing);
  const shrunk: ActorWrite[] = [];
  for (const set of old) {
    // Scale down pods that are not Ready first.
    const idle = Math.max(0, replicasOf(set) - serving(set));
    const take = Math.min(replicasOf(set), Math.max(idle, Math.max(0, spare)));
    if (take > 0) shrunk.push(resize(set, replicasOf(set) - take));
    spare -= take;
  }
  return [...scale(deployment, current, grown), ...shrunk];
}

function rolloutLimits({ maxSurge = quarter, maxUnavailable = quarter }: RawRollingUpdate = {}, wanted: number) {
  const surge = amountOf(maxSurge, wanted, 'up') ?? 0;
  const missing = amountOf(maxUnavailable, wanted, 'down') ?? 0;
  return { surge, missing: surge === 0 && missing === 0 ? 1 : missing };
}

function scale(deployment: RawWorkload, set: RawWorkload | undefined, replicas: number): ActorWrite[] {
  if (set) return replicasOf(set) === replicas ? [] : [resize(set, replicas)];
  const template = deployment.spec?.template ?? {};
  const hash = hashOf(template);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const made: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: deployment.metadata.namespace ?? 'default',
      labels,
      ownerReferences: [ownedBy(deployment)],
    },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
  return [create(made)];
}

const replicasOf = ({ spec }: RawWorkload): number => spec?.replicas ?? 1;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const resize = (set: RawWorkload, replicas: number): ActorWrite =>
  change('ReplicaSet', keyOf(set), (it) => ({ ...it, spec: { ...it.spec, replicas } }));
