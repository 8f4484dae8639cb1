// The StatefulSet controller: pods by ordinal, in order; a name is reused only after its pod is gone.
import { isDeleting, keyOf } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { type ActorController, type ActorWrite, create, noWrites, remove } from '../actor.ts';
import { isTerminal, type RawPod, type RawWorkload } from '../rawObjects.ts';
import { hashOf, isServing, itself, ownedPods, ownerOfPod, podOf, workloadAt } from './ownedPods.ts';

const revisionLabel = 'controller-revision-hash';
const nameLabel = 'statefulset.kubernetes.io/pod-name';
const indexLabel = 'apps.kubernetes.io/pod-index';

export const statefulSets = (world: World): ActorController => ({
  name: 'statefulset-controller',
  wakes: { StatefulSet: itself, Pod: ownerOfPod('StatefulSet') },
  after: [0.1, 0.3],
  reconcile: (key) => {
    const set = workloadAt('StatefulSet', key, world);
    return set ? { writes: keep(set, world) } : noWrites;
  },
});

function keep(set: RawWorkload, world: World): ActorWrite[] {
  const wanted = set.spec?.replicas ?? 1;
  const isParallel = set.spec?.podManagementPolicy === 'Parallel';
  const pods = new Map(ownedPods(set, world).map((pod) => [ordinalOf(pod), pod]));
  const writes: ActorWrite[] = [];
  for (let ordinal = 0; ordinal < wanted; ordinal++) {
    const pod = pods.get(ordinal);
    if (!pod) writes.push(create(made(set, ordinal, world)));
    else if (isTerminal(pod) && !isDeleting(pod)) writes.push(remove('Pod', keyOf(pod)));
    // In order: the next pod waits until this one is Ready.
    if (!isParallel && !(pod && isServing(pod))) return writes;
  }
  if (writes.length > 0) return writes;
  const surplus = [...pods].filter(([ordinal]) => ordinal >= wanted).sort(([a], [b]) => b - a);
  const leaving = isParallel ? surplus : surplus.slice(0, 1);
  if (leaving.length > 0) return leaving.flatMap(([, pod]) => (isDeleting(pod) ? [] : [remove('Pod', keyOf(pod))]));
  return updatePods(set, [...pods.values()]);
}

/** Applies a new template, from the last pod, one at a time. */
function updatePods(set: RawWorkload, pods: readonly RawPod[]): ActorWrite[] {
  const revision = revisionOf(set);
  if (!pods.every(isServing)) return [];
  const old = pods.filter(({ metadata }) => metadata.labels?.[revisionLabel] !== revision);
  const [last] = old.sort((a, b) => ordinalOf(b) - ordinalOf(a));
  return last ? [remove('Pod', keyOf(last))] : [];
}

function made(set: RawWorkload, ordinal: number, world: World): RawPod {
  const name = `${set.metadata.name}-${ordinal}`;
  const labels = { [nameLabel]: name, [indexLabel]: String(ordinal), [revisionLabel]: revisionOf(set) };
  return podOf({ name, owner: set, template: set.spec?.template ?? {}, labels }, world);
}

const revisionOf = ({ metadata, spec }: RawWorkload): string => `${metadata.name}-${hashOf(spec?.template ?? {})}`;

const ordinalOf = ({ metadata }: RawPod): number => Number(metadata.name.slice(metadata.name.lastIndexOf('-') + 1));
