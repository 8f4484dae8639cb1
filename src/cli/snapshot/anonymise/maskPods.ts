// Mask rules for pods and their volumes: the rules and zones are kept, the names are not.
import { isMap, type Json } from '../../../kinds/read/reader.ts';
import { migratedSources } from '../../../kinds/read/storage.ts';
import { knownDrivers } from './allowed.ts';
import {
  labelKey,
  labels,
  metadata,
  metadataInNamespace,
  requirements,
  resources,
  selector,
  taints,
} from './maskMetadata.ts';
import {
  conditions,
  count,
  digest,
  each,
  fields,
  flag,
  instant,
  type MaskRule,
  name,
  nameUnless,
  number,
  oneOf,
} from './rules.ts';

/** The host as a whole. */
const everyAddress = new Set(['0.0.0.0', '::']);

const container: MaskRule = fields({
  name: name('container'),
  resources: fields({ requests: resources }),
  restartPolicy: oneOf('Always', 'Never', 'OnFailure'),
  ports: fields({
    hostPort: number,
    containerPort: number,
    hostIP: nameUnless('address', everyAddress),
    protocol: oneOf('TCP', 'UDP', 'SCTP'),
  }),
});

const containerStatus: MaskRule = fields({
  name: name('container'),
  resources: fields({ requests: resources }),
  allocatedResources: resources,
});

const nodeTerms: MaskRule = fields({
  matchExpressions: requirements,
  matchFields: fields({
    key: oneOf('metadata.name'),
    operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: each(name('node')),
  }),
});

const podTerm: MaskRule = fields({
  topologyKey: labelKey,
  labelSelector: selector,
  namespaces: each(name('namespace')),
  namespaceSelector: selector,
  matchLabelKeys: each(labelKey),
  mismatchLabelKeys: each(labelKey),
});

const podAffinity: MaskRule = fields({
  requiredDuringSchedulingIgnoredDuringExecution: podTerm,
  preferredDuringSchedulingIgnoredDuringExecution: fields({ weight: number, podAffinityTerm: podTerm }),
});

const affinity: MaskRule = fields({
  nodeAffinity: fields({
    requiredDuringSchedulingIgnoredDuringExecution: fields({ nodeSelectorTerms: nodeTerms }),
    preferredDuringSchedulingIgnoredDuringExecution: fields({ weight: number, preference: nodeTerms }),
  }),
  podAffinity,
  podAntiAffinity: podAffinity,
});

const policy: MaskRule = oneOf('Honor', 'Ignore');

const spread: MaskRule = fields({
  topologyKey: labelKey,
  maxSkew: number,
  minDomains: number,
  whenUnsatisfiable: oneOf('DoNotSchedule', 'ScheduleAnyway'),
  labelSelector: selector,
  matchLabelKeys: each(labelKey),
  nodeAffinityPolicy: policy,
  nodeTaintsPolicy: policy,
});

/** The common fields of pods and DaemonSet templates. */
const placement = {
  nodeSelector: labels,
  affinity,
  resources: fields({ requests: resources }),
  overhead: resources,
  containers: container,
  initContainers: container,
  hostNetwork: flag,
};

const volumes: MaskRule = fields({
  persistentVolumeClaim: fields({ claimName: name('volumeclaim') }),
  ephemeral: fields({}),
});

/** The claim of an ephemeral volume is named after pod and volume. Those are masked here, so the claim is named explicitly. */
export function withNamedClaims(pod: unknown): unknown {
  if (!isMap(pod) || !isMap(pod.spec) || !isMap(pod.metadata) || !Array.isArray(pod.spec.volumes)) return pod;
  const owner = pod.metadata.name;
  const named = (volume: unknown): unknown => {
    if (!isMap(volume) || !isMap(volume.ephemeral) || typeof volume.name !== 'string') return volume;
    return { name: volume.name, persistentVolumeClaim: { claimName: `${String(owner)}-${volume.name}` } };
  };
  return { ...pod, spec: { ...pod.spec, volumes: pod.spec.volumes.map(named) } } satisfies Json;
}

type VolumeRules = Readonly<Record<string, MaskRule>>;

const systemClasses = new Set(['system-cluster-critical', 'system-node-critical']);

export const podRules: Readonly<Record<string, VolumeRules>> = {
  Namespace: { metadata: metadata('namespace') },
  Pod: {
    metadata: metadataInNamespace('pod'),
    spec: fields({
      ...placement,
      nodeName: name('node'),
      topologySpreadConstraints: spread,
      tolerations: taints,
      priority: number,
      priorityClassName: nameUnless('priority', systemClasses),
      terminationGracePeriodSeconds: number,
      volumes,
    }),
    status: fields({
      phase: oneOf('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'),
      startTime: instant,
      nominatedNodeName: name('node'),
      conditions,
      containerStatuses: containerStatus,
      initContainerStatuses: containerStatus,
    }),
  },
  DaemonSet: {
    metadata: metadataInNamespace('daemonset'),
    spec: fields({ template: fields({ spec: fields({ ...placement, tolerations: taints }) }) }),
  },
  PodDisruptionBudget: {
    metadata: metadataInNamespace('pdb'),
    spec: fields({
      selector,
      unhealthyPodEvictionPolicy: oneOf('IfHealthyBudget', 'AlwaysAllow'),
      minAvailable: count,
      maxUnavailable: count,
    }),
    status: fields({ disruptionsAllowed: number, expectedPods: number }),
  },
};

const driver: MaskRule = nameUnless('driver', knownDrivers);

/** In-tree volumes, by the field of their type. */
const oldSources = Object.fromEntries(
  migratedSources.map(({ field, handle }) => [field, fields({ [handle]: digest })] as const),
);

export const volumeRules: Readonly<Record<string, Readonly<Record<string, MaskRule>>>> = {
  PersistentVolumeClaim: {
    metadata: metadataInNamespace('volumeclaim'),
    spec: fields({
      volumeName: name('volume'),
      storageClassName: name('storageclass'),
      accessModes: each(oneOf('ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod')),
    }),
  },
  PersistentVolume: {
    metadata: metadata('volume'),
    spec: fields({
      nodeAffinity: fields({ required: fields({ nodeSelectorTerms: nodeTerms }) }),
      csi: fields({ driver, volumeHandle: digest }),
      ...oldSources,
    }),
  },
  StorageClass: {
    metadata: metadata('storageclass'),
    provisioner: driver,
    volumeBindingMode: oneOf('Immediate', 'WaitForFirstConsumer'),
    allowedTopologies: fields({ matchLabelExpressions: requirements }),
  },
  CSINode: {
    metadata: metadata('node'),
    spec: fields({ drivers: fields({ name: driver, allocatable: fields({ count: number }) }) }),
  },
};
