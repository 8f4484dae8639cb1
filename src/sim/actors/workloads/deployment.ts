// How does a Deployment run its pods? By a ReplicaSet for each template it ever had, moved over a few pods at a time.
import { type KubeObject, keyAt, keyOf } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { type Controller, nothing } from '../controller.ts';
import { amountOf } from '../intOrPercent.ts';
import { controllerOf, controllerReference, type RollingUpdate, type Workload } from '../manifest.ts';
import { change, create, remove, type Write } from '../write.ts';
import { isServing, itself, ownedPods, ownerKey, standing } from './ownedPods.ts';
import { hashOf, ownedBy } from './podOf.ts';

const hashLabel = 'pod-template-hash';
const quarter = '25%';

export function deployments(world: World): Controller {
  /** By uid, those with more than one ReplicaSet: only for them does it matter how their pods are. */
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
    settle: (key) => {
      const deployment = standing('Deployment', key, world);
      return deployment ? { writes: roll(deployment, world) } : nothing;
    },
  };
}

function roll(deployment: Workload, world: World): Write[] {
  const wanted = deployment.spec?.replicas ?? 1;
  const name = `${deployment.metadata.name}-${hashOf(deployment.spec?.template ?? {})}`;
  const sets = [...world.setsByOwner.of(deployment.metadata.uid ?? '').values()] as Workload[];
  const current = sets.find(({ metadata }) => metadata.name === name);
  const old = sets.filter((set) => set !== current);
  // What it was before is not kept for a way back: nobody asks for it here.
  const spent = old.filter((set) => replicasOf(set) === 0 && ownedPods(set, world).length === 0);
  const active = old.filter((set) => replicasOf(set) > 0);
  const rest = spent.map((set) => remove('ReplicaSet', keyOf(set)));
  if (active.length === 0) return [...scale(deployment, current, wanted), ...rest];
  return [...takeOver(deployment, { current, old: active }, world), ...rest];
}

interface Sets {
  readonly current: Workload | undefined;
  readonly old: readonly Workload[];
}

/** Never more than the surge above what is wanted, never fewer serving than may be missing. */
function takeOver(deployment: Workload, { current, old }: Sets, world: World): Write[] {
  const wanted = deployment.spec?.replicas ?? 1;
  const { type, rollingUpdate } = deployment.spec?.strategy ?? {};
  if (type === 'Recreate') return old.map((set) => resize(set, 0));
  const { surge, missing } = leeway(rollingUpdate, wanted);
  const now = current ? replicasOf(current) : 0;
  const total = now + sum(old.map(replicasOf));
  const grown = Math.min(wanted, now + Math.max(0, wanted + surge - total));
  const serving = (set: Workload): number => ownedPods(set, world).filter(isServing).length;
  const notYetServing = current ? now - serving(current) : 0;
  let spare = total - (wanted - missing) - Math.max(0, notYetServing);
  const shrunk: Write[] = [];
  for (const set of old) {
    // Pods that do not serve are given up first: nobody misses them.
    const idle = Math.max(0, replicasOf(set) - serving(set));
    const take = Math.min(replicasOf(set), Math.max(idle, Math.max(0, spare)));
    if (take > 0) shrunk.push(resize(set, replicasOf(set) - take));
    spare -= take;
  }
  return [...scale(deployment, current, grown), ...shrunk];
}

function leeway({ maxSurge = quarter, maxUnavailable = quarter }: RollingUpdate = {}, wanted: number) {
  const surge = amountOf(maxSurge, wanted, 'up') ?? 0;
  const missing = amountOf(maxUnavailable, wanted, 'down') ?? 0;
  return { surge, missing: surge === 0 && missing === 0 ? 1 : missing };
}

function scale(deployment: Workload, set: Workload | undefined, replicas: number): Write[] {
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

const replicasOf = ({ spec }: Workload): number => spec?.replicas ?? 1;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const resize = (set: Workload, replicas: number): Write =>
  change('ReplicaSet', keyOf(set), (it) => ({ ...it, spec: { ...it.spec, replicas } }));
