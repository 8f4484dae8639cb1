// Helpers for workload controllers: creating and naming pods, listing a workload's pods, and their state.
import {
  isDeleting,
  type KubeObject,
  keyAt,
  keyOf,
  type ObjectKey,
  type OwnerReference,
  type Texts,
} from '../../kubeObject.ts';
import type { ObjectChange } from '../../objects.ts';
import type { World } from '../../world.ts';
import {
  controllerReference,
  isTerminal,
  isTrue,
  type RawPod,
  type RawPodSpec,
  type RawPodTemplate,
  type RawToleration,
  type RawWorkload,
  taintKey,
} from '../rawObjects.ts';

/** Kubernetes leaves out vowels, so that names do not form words. */
const letters = 'bcdfghjklmnpqrstvwxz2456789';

interface Naming {
  readonly kind: string;
  readonly namespace?: string;
  readonly prefix: string;
  /** Names assigned in this pass whose objects do not exist yet. */
  readonly taken?: Set<string>;
}

export function freshName({ kind, namespace, prefix, taken }: Naming, { objects }: World, draw: () => number): string {
  for (;;) {
    let name = `${prefix}-`;
    for (let index = 0; index < 5; index++) name += letters[Math.floor(draw() * letters.length)];
    if (taken?.has(name) || objects.get(kind, keyAt(namespace, name))) continue;
    taken?.add(name);
    return name;
  }
}

const nothing: RawPodSpec = {};

interface PodParts {
  readonly name: string;
  readonly owner: RawWorkload;
  readonly template: RawPodTemplate;
  readonly labels?: Texts;
  /** Overrides the template's spec. */
  readonly spec?: RawPodSpec;
}

/** Kubernetes' two built-in priority classes. */
const priorities: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

/** The tolerations Kubernetes adds to every pod for nodes that are not ready. */
const defaultTolerations: readonly RawToleration[] = [taintKey.notReady, taintKey.unreachable].map((key) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

export function podOf({ name, owner, template, labels, spec }: PodParts, world: World): RawPod {
  const { metadata } = owner;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: metadata.namespace ?? 'default',
      labels: { ...template.metadata?.labels, ...labels },
      ...(template.metadata?.annotations && { annotations: template.metadata.annotations }),
      ownerReferences: [ownedBy(owner)],
    },
    spec: spec ? { ...admitted(template.spec ?? nothing, world), ...spec } : admitted(template.spec ?? nothing, world),
    status: { phase: 'Pending' },
  };
}

export const ownedBy = ({ apiVersion, kind, metadata }: RawWorkload): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});

/** One spec per template, shared by its pods; per world, because worlds have their own priority classes. */
const known = new WeakMap<World, WeakMap<RawPodSpec, RawPodSpec>>();

function admitted(spec: RawPodSpec, world: World): RawPodSpec {
  const mine = known.get(world) ?? new WeakMap<RawPodSpec, RawPodSpec>();
  known.set(world, mine);
  const before = mine.get(spec);
  if (before) return before;
  const tolerations = spec.tolerations ?? [];
  const missing = defaultTolerations.filter(({ key }) => !tolerations.some((own) => !own.key || own.key === key));
  const priority = spec.priority ?? priorityOf(spec.priorityClassName, world);
  const made = { ...spec, ...(priority !== undefined && { priority }), tolerations: [...tolerations, ...missing] };
  mine.set(spec, made);
  return made;
}

function priorityOf(name: string | undefined, { objects }: World): number | undefined {
  if (name === undefined) return undefined;
  const value = objects.get('PriorityClass', name)?.value;
  return typeof value === 'number' ? value : priorities[name];
}

/** A short deterministic hash of a template. */
export function hashOf(template: RawPodTemplate): string {
  const before = hashes.get(template);
  if (before !== undefined) return before;
  const text = JSON.stringify(template);
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  let rest = hash >>> 0;
  let made = '';
  for (let index = 0; index < 7; index++) {
    made += letters[rest % letters.length];
    rest = Math.floor(rest / letters.length);
  }
  hashes.set(template, made);
  return made;
}

const hashes = new WeakMap<RawPodTemplate, string>();

export const ownedPods = ({ metadata }: KubeObject, { podsByOwner }: World): RawPod[] => [
  ...podsByOwner.of(metadata.uid ?? '').values(),
];

/** Neither finished nor terminating. */
export const isActive = (pod: RawPod): boolean => !isTerminal(pod) && !isDeleting(pod);

export const isServing = (pod: RawPod): boolean => isActive(pod) && isTrue(pod, 'Ready');

/** The key of the changed object's controller, if it is of this kind. */
export const ownerKey =
  (kind: string) =>
  ({ object }: ObjectChange): ObjectKey[] => {
    const reference = controllerReference(object);
    return reference?.kind === kind ? [`${object.metadata.namespace}/${reference.name}`] : [];
  };

/** Ignores changes of pods that do not matter to their controller. */
export const ownerOfPod =
  (kind: string) =>
  (change: ObjectChange): ObjectKey[] => {
    const { type, object, was } = change;
    const isSame = type === 'MODIFIED' && was !== undefined && stateOf(was) === stateOf(object);
    return isSame ? [] : ownerKey(kind)(change);
  };

/** The state a controller depends on, as one number. */
const stateOf = (pod: RawPod): number =>
  (isTerminal(pod) ? 1 : 0) + (isDeleting(pod) ? 2 : 0) + (isTrue(pod, 'Ready') ? 4 : 0) + (pod.spec?.nodeName ? 8 : 0);

export const itself = ({ type, object }: ObjectChange): ObjectKey[] => (type === 'DELETED' ? [] : [keyOf(object)]);

/** The workload, unless it is being deleted. */
export function workloadAt(kind: string, key: ObjectKey, { objects }: World): RawWorkload | undefined {
  const workload = objects.get(kind, key);
  return workload && !isDeleting(workload) ? workload : undefined;
}
