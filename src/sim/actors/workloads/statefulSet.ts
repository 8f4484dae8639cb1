// How does a StatefulSet keep its pods? Each by its name, in order; a name is given again only when whoever had it is gone.
import { isDeleting, keyOf } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { type Controller, nothing } from '../controller.ts';
import { isTerminal, type Pod, type Workload } from '../manifest.ts';
import { create, remove, type Write } from '../write.ts';
import { isServing, itself, ownedPods, ownerOfPod, standing } from './ownedPods.ts';
import { hashOf, podOf } from './podOf.ts';

const revisionLabel = 'controller-revision-hash';
const nameLabel = 'statefulset.kubernetes.io/pod-name';
const indexLabel = 'apps.kubernetes.io/pod-index';

export const statefulSets = (world: World): Controller => ({
  name: 'statefulset-controller',
  wakes: { StatefulSet: itself, Pod: ownerOfPod('StatefulSet') },
  after: [0.1, 0.3],
  settle: (key) => {
    const set = standing('StatefulSet', key, world);
    return set ? { writes: keep(set, world) } : nothing;
  },
});

function keep(set: Workload, world: World): Write[] {
  const wanted = set.spec?.replicas ?? 1;
  const isParallel = set.spec?.podManagementPolicy === 'Parallel';
  const pods = new Map(ownedPods(set, world).map((pod) => [ordinalOf(pod), pod]));
  const writes: Write[] = [];
  for (let ordinal = 0; ordinal < wanted; ordinal++) {
    const pod = pods.get(ordinal);
    if (!pod) writes.push(create(made(set, ordinal, world)));
    else if (isTerminal(pod) && !isDeleting(pod)) writes.push(remove('Pod', keyOf(pod)));
    // In order: the next one waits until this one serves.
    if (!isParallel && !(pod && isServing(pod))) return writes;
  }
  if (writes.length > 0) return writes;
  const surplus = [...pods].filter(([ordinal]) => ordinal >= wanted).sort(([a], [b]) => b - a);
  const leaving = isParallel ? surplus : surplus.slice(0, 1);
  if (leaving.length > 0) return leaving.flatMap(([, pod]) => (isDeleting(pod) ? [] : [remove('Pod', keyOf(pod))]));
  return renew(set, [...pods.values()]);
}

/** A new template comes to the last pod first, one at a time. */
function renew(set: Workload, pods: readonly Pod[]): Write[] {
  const revision = revisionOf(set);
  if (!pods.every(isServing)) return [];
  const old = pods.filter(({ metadata }) => metadata.labels?.[revisionLabel] !== revision);
  const [last] = old.sort((a, b) => ordinalOf(b) - ordinalOf(a));
  return last ? [remove('Pod', keyOf(last))] : [];
}

function made(set: Workload, ordinal: number, world: World): Pod {
  const name = `${set.metadata.name}-${ordinal}`;
  const labels = { [nameLabel]: name, [indexLabel]: String(ordinal), [revisionLabel]: revisionOf(set) };
  return podOf({ name, owner: set, template: set.spec?.template ?? {}, labels }, world);
}

const revisionOf = ({ metadata, spec }: Workload): string => `${metadata.name}-${hashOf(spec?.template ?? {})}`;

const ordinalOf = ({ metadata }: Pod): number => Number(metadata.name.slice(metadata.name.lastIndexOf('-') + 1));
