// How does a ReplicaSet keep its number of pods? Makes what is missing, and takes away first what would be missed least.
import { type Key, type KubeObject, keyOf } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { type Controller, nothing } from '../controller.ts';
import { freshName } from '../freshName.ts';
import { Grouped } from '../grouped.ts';
import { controllerOf, type Pod, type Workload } from '../manifest.ts';
import { conditionOf, isTrue } from '../status.ts';
import { create, remove, type Write } from '../write.ts';
import { isActive, itself, ownerOfPod, standing } from './ownedPods.ts';
import { podOf } from './podOf.ts';

export function replicaSets(world: World): Controller {
  const active = new Grouped(world.objects, 'Pod', (pod) => (isActive(pod) ? controllerOf(pod) : undefined));
  const random = world.random.fork('replicaset names');
  return {
    name: 'replicaset-controller',
    wakes: { ReplicaSet: itself, Pod: ownerOfPod('ReplicaSet') },
    after: [0.1, 0.3],
    settle: (key) => {
      const set = standing('ReplicaSet', key, world);
      const pods = active.of(set?.metadata.uid ?? '');
      return set ? { writes: keep(set, pods, world, () => random.next()) } : nothing;
    },
  };
}

function keep(set: Workload, pods: ReadonlyMap<Key, KubeObject>, world: World, draw: () => number): Write[] {
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
  const surplus = ([...pods.values()] as Pod[]).sort(leastMissedFirst).slice(0, pods.size - wanted);
  return surplus.map((pod) => remove('Pod', keyOf(pod)));
}

const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';

/** As Kubernetes ranks them: nowhere, not running, not ready, cheap, then the youngest. */
function leastMissedFirst(a: Pod, b: Pod): number {
  return (
    bound(a) - bound(b) ||
    running(a) - running(b) ||
    serving(a) - serving(b) ||
    costOf(a) - costOf(b) ||
    compare(sinceOf(b), sinceOf(a)) ||
    compare(b.metadata.name, a.metadata.name)
  );
}

const bound = ({ spec }: Pod): number => (spec?.nodeName ? 1 : 0);
const running = ({ status }: Pod): number => (status?.phase === 'Running' ? 1 : 0);
const serving = (pod: Pod): number => (isTrue(pod, 'Ready') ? 1 : 0);
const costOf = ({ metadata }: Pod): number => Number(metadata.annotations?.[deletionCost] ?? 0) || 0;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const sinceOf = (pod: Pod): string =>
  `${conditionOf(pod, 'Ready')?.lastTransitionTime ?? ''} ${pod.metadata.creationTimestamp ?? ''}`;
