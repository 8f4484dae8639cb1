// What does a pod of a workload look like when it is made? Its template, its owner, and what admission adds to every pod.
import type { OwnerReference, Texts } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { letters } from '../freshName.ts';
import type { Pod, PodSpec, PodTemplate, Toleration, Workload } from '../manifest.ts';
import { taintKey } from '../taints.ts';

const nothing: PodSpec = {};

export interface Made {
  readonly name: string;
  readonly owner: Workload;
  readonly template: PodTemplate;
  readonly labels?: Texts;
  /** Over those of the template. */
  readonly spec?: PodSpec;
}

/** Kubernetes' two classes that are always there. */
const priorities: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

/** How long a pod bears a node that is not ready, where it does not say. */
const patience: readonly Toleration[] = [taintKey.notReady, taintKey.unreachable].map((key) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

export function podOf({ name, owner, template, labels, spec }: Made, world: World): Pod {
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

export const ownedBy = ({ apiVersion, kind, metadata }: Workload): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});

/** Once for each template, so that its pods share what they are made of. Worlds have classes of their own. */
const known = new WeakMap<World, WeakMap<PodSpec, PodSpec>>();

function admitted(spec: PodSpec, world: World): PodSpec {
  const mine = known.get(world) ?? new WeakMap<PodSpec, PodSpec>();
  known.set(world, mine);
  const before = mine.get(spec);
  if (before) return before;
  const tolerations = spec.tolerations ?? [];
  const missing = patience.filter(({ key }) => !tolerations.some((own) => !own.key || own.key === key));
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

/** A short text that is always the same for the same template. */
export function hashOf(template: PodTemplate): string {
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

const hashes = new WeakMap<PodTemplate, string>();
