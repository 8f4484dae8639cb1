// Names the scheduling features that occur in a cluster.
import type {
  RawContainer,
  RawNode,
  RawPod,
  RawPodAffinityTerm,
  RawPodSpec,
  RawRequirement,
  RawSpreadConstraint,
} from '../../src/sim/actors/rawObjects.ts';
import { hostPortsOf } from '../../src/sim/actors/scheduler/feasible.ts';
import type { KubeObject } from '../../src/sim/kubeObject.ts';
import { hostLabel, rackLabel, zoneLabel } from './names.ts';

const init = ({ initContainers = [] }: RawPodSpec): readonly RawContainer[] => initContainers;
const asks = (spec: RawPodSpec, name: string): boolean =>
  (spec.containers ?? []).some(({ resources }) => resources?.requests?.[name] !== undefined);
const terms = ({ affinity }: RawPodSpec) =>
  affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
const requirements = (spec: RawPodSpec): readonly RawRequirement[] =>
  terms(spec).flatMap(({ matchExpressions }) => matchExpressions ?? []);
const uses = (operator: string) => (spec: RawPodSpec) => requirements(spec).some((it) => it.operator === operator);
const hard = ({ topologySpreadConstraints = [] }: RawPodSpec): readonly RawSpreadConstraint[] =>
  topologySpreadConstraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
const near = ({ affinity }: RawPodSpec): readonly RawPodAffinityTerm[] =>
  affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
const apart = ({ affinity }: RawPodSpec): readonly RawPodAffinityTerm[] =>
  affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
const both = (spec: RawPodSpec): readonly RawPodAffinityTerm[] => [...near(spec), ...apart(spec)];
const likes = ({ affinity }: RawPodSpec): boolean =>
  [affinity?.podAffinity, affinity?.podAntiAffinity].some(
    (side) => (side?.preferredDuringSchedulingIgnoredDuringExecution ?? []).length > 0,
  );

const ofPods: Readonly<Record<string, (spec: RawPodSpec, pod: RawPod) => boolean>> = {
  'init containers': (spec) => init(spec).some(({ restartPolicy }) => restartPolicy === undefined),
  sidecars: (spec) => init(spec).some(({ restartPolicy }) => restartPolicy === 'Always'),
  overhead: ({ overhead }) => overhead !== undefined,
  'resources of the pod': ({ resources }) => resources !== undefined,
  'extended resources': (spec) => asks(spec, 'example.com/gpu'),
  'ephemeral storage': (spec) => asks(spec, 'ephemeral-storage'),
  'no requests': ({ containers = [] }) => containers.every(({ resources }) => resources === undefined),
  'node selector': ({ nodeSelector }) => nodeSelector !== undefined,
  'operator In': uses('In'),
  'operator NotIn': uses('NotIn'),
  'operator Exists': uses('Exists'),
  'operator DoesNotExist': uses('DoesNotExist'),
  'operator Gt': uses('Gt'),
  'operator Lt': uses('Lt'),
  'several terms': (spec) => terms(spec).length > 1,
  'an empty term': (spec) => terms(spec).some((term) => Object.keys(term).length === 0),
  'by the name of the node': (spec, { metadata }) =>
    metadata.ownerReferences?.[0]?.kind !== 'DaemonSet' &&
    terms(spec).some(({ matchFields }) => matchFields !== undefined),
  tolerations: ({ tolerations }) => tolerations !== undefined,
  'a cordon tolerated': ({ tolerations = [] }) => tolerations.some(({ key }) => key?.endsWith('/unschedulable')),
  'spread over zones': (spec) => hard(spec).some(({ topologyKey }) => topologyKey === zoneLabel),
  'spread over nodes': (spec) => hard(spec).some(({ topologyKey }) => topologyKey === hostLabel),
  'several spreads': (spec) => hard(spec).length > 1,
  minDomains: (spec) => hard(spec).some(({ minDomains }) => minDomains !== undefined),
  'spread by matchLabelKeys': (spec) => hard(spec).some(({ matchLabelKeys }) => matchLabelKeys !== undefined),
  'spread over nodes it cannot have': (spec) => hard(spec).some((it) => it.nodeAffinityPolicy === 'Ignore'),
  'spread minding taints': (spec) => hard(spec).some((it) => it.nodeTaintsPolicy === 'Honor'),
  'spread if it can': ({ topologySpreadConstraints = [] }) =>
    topologySpreadConstraints.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway'),
  affinity: (spec) => near(spec).length > 0,
  'anti-affinity': (spec) => apart(spec).length > 0,
  'several terms of affinity': (spec) => near(spec).length > 1 || apart(spec).length > 1,
  'affinity over racks': (spec) => both(spec).some(({ topologyKey }) => topologyKey === rackLabel),
  'affinity by namespace': (spec) => both(spec).some(({ namespaces }) => namespaces !== undefined),
  'affinity by labels of namespaces': (spec) => both(spec).some((it) => it.namespaceSelector !== undefined),
  'affinity by matchLabelKeys': (spec) => both(spec).some(({ matchLabelKeys }) => matchLabelKeys !== undefined),
  'affinity by mismatchLabelKeys': (spec) => both(spec).some((it) => it.mismatchLabelKeys !== undefined),
  'preferred affinity': likes,
  'preferred nodes': ({ affinity }) =>
    (affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).length > 0,
  'host ports': (_, pod) => hostPortsOf(pod).length > 0,
  'host ports of an address': (_, pod) => hostPortsOf(pod).some(({ hostIP }) => hostIP?.startsWith('10.')),
  'host ports of another protocol': (_, pod) => hostPortsOf(pod).some(({ protocol }) => protocol !== 'TCP'),
  priority: ({ priority = 0 }) => priority > 0,
  'waiting pods': ({ nodeName }) => nodeName === undefined,
};

const ofNodes: Readonly<Record<string, (node: RawNode) => boolean>> = {
  'tight pod counts': ({ status }) => Number(status?.allocatable?.pods) < 10,
  cordons: ({ spec }) => spec?.unschedulable === true,
  'taint NoSchedule': ({ spec }) => spec?.taints?.some(({ effect }) => effect === 'NoSchedule') ?? false,
  'taint NoExecute': ({ spec }) => spec?.taints?.some(({ effect }) => effect === 'NoExecute') ?? false,
  'taint PreferNoSchedule': ({ spec }) => spec?.taints?.some(({ effect }) => effect === 'PreferNoSchedule') ?? false,
  'no zone': ({ metadata }) => metadata.labels?.[zoneLabel] === undefined,
  'no hostname': ({ metadata }) => metadata.labels?.[hostLabel] === undefined,
};

const keyed = (object: KubeObject): string => JSON.stringify((object.spec?.nodeAffinity as object | undefined) ?? {});

const ofOthers: Readonly<Record<string, (object: KubeObject) => boolean>> = {
  daemons: ({ kind }) => kind === 'DaemonSet',
  'attach limits': ({ kind, spec }) => kind === 'CSINode' && JSON.stringify(spec).includes('"count"'),
  'volumes in a zone': (it) => it.kind === 'PersistentVolume' && keyed(it).includes(zoneLabel),
  'volumes on a node': (it) => it.kind === 'PersistentVolume' && keyed(it).includes(hostLabel),
  'volumes with zone labels': ({ kind, metadata }) =>
    kind === 'PersistentVolume' && Object.keys(metadata.labels ?? {}).some((key) => key.endsWith('/zone')),
  'volumes for one pod': ({ kind, spec }) =>
    kind === 'PersistentVolumeClaim' && JSON.stringify(spec?.accessModes).includes('ReadWriteOncePod'),
  'late claims': (it) => isUnboundClaim(it) && it.spec?.storageClassName === 'late',
  'late claims in some zones': (it) => isUnboundClaim(it) && it.spec?.storageClassName === 'late-z1',
  'unbound claims': (it) => isUnboundClaim(it) && it.spec?.storageClassName === 'at-once',
};

const isUnboundClaim = ({ kind, spec }: KubeObject): boolean =>
  kind === 'PersistentVolumeClaim' && spec?.volumeName === undefined;

/** Every feature that can occur. */
export const features: readonly string[] = [
  ...Object.keys(ofPods),
  ...Object.keys(ofNodes),
  ...Object.keys(ofOthers),
  'shared claims',
  'missing claims',
];

export function featuresOf(objects: readonly KubeObject[]): string[] {
  const pods = objects.filter(({ kind }) => kind === 'Pod') as RawPod[];
  const nodes = objects.filter(({ kind }) => kind === 'Node') as RawNode[];
  const found = [
    ...Object.keys(ofPods).filter((name) => pods.some((pod) => ofPods[name]?.(pod.spec ?? {}, pod))),
    ...Object.keys(ofNodes).filter((name) => nodes.some((node) => ofNodes[name]?.(node))),
    ...Object.keys(ofOthers).filter((name) => objects.some((object) => ofOthers[name]?.(object))),
  ];
  return [...found, ...ofMounts(objects, pods)];
}

function ofMounts(objects: readonly KubeObject[], pods: readonly RawPod[]): string[] {
  const claims = new Set(
    objects.flatMap(({ kind, metadata }) =>
      kind === 'PersistentVolumeClaim' ? [`${metadata.namespace}/${metadata.name}`] : [],
    ),
  );
  const mounts = pods.flatMap(({ metadata, spec }) =>
    (spec?.volumes ?? []).map((it) => `${metadata.namespace}/${it.persistentVolumeClaim?.claimName}`),
  );
  const isShared = mounts.some((mount, index) => mounts.indexOf(mount) !== index);
  const isMissing = mounts.some((mount) => !claims.has(mount));
  return [...(isShared ? ['shared claims'] : []), ...(isMissing ? ['missing claims'] : [])];
}
