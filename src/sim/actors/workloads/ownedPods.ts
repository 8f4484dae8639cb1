// Which pods does a workload have, and how are they? Asked by everyone who makes pods.
import { isDeleting, type Key, type KubeObject, keyOf } from '../../kubeObject.ts';
import type { Changed } from '../../objects.ts';
import type { World } from '../../world.ts';
import { controllerReference, isTerminal, type Pod, type Workload } from '../manifest.ts';
import { isTrue } from '../status.ts';

export const ownedPods = ({ metadata }: KubeObject, { podsByOwner }: World): Pod[] => [
  ...(podsByOwner.of(metadata.uid ?? '').values() as Iterable<Pod>),
];

/** Neither done nor on its way out. */
export const isActive = (pod: Pod): boolean => !isTerminal(pod) && !isDeleting(pod);

export const isServing = (pod: Pod): boolean => isActive(pod) && isTrue(pod, 'Ready');

/** The key of whoever of this kind made the object that changed. */
export const ownerKey =
  (kind: string) =>
  ({ object }: Changed): Key[] => {
    const reference = controllerReference(object);
    return reference?.kind === kind ? [`${object.metadata.namespace}/${reference.name}`] : [];
  };

/** Pods change often in ways that their maker does not care for. */
export const ownerOfPod =
  (kind: string) =>
  (change: Changed): Key[] => {
    const { type, object, was } = change;
    const isSame = type === 'MODIFIED' && was !== undefined && stateOf(was) === stateOf(object);
    return isSame ? [] : ownerKey(kind)(change);
  };

/** One number for what a maker looks at. */
const stateOf = (pod: Pod): number =>
  (isTerminal(pod) ? 1 : 0) + (isDeleting(pod) ? 2 : 0) + (isTrue(pod, 'Ready') ? 4 : 0) + (pod.spec?.nodeName ? 8 : 0);

export const itself = ({ type, object }: Changed): Key[] => (type === 'DELETED' ? [] : [keyOf(object)]);

/** What is there and is to stay; one that is being deleted makes nothing more. */
export function standing(kind: string, key: Key, { objects }: World): Workload | undefined {
  const workload = objects.get(kind, key);
  return workload && !isDeleting(workload) ? workload : undefined;
}
