// The fields of each object that Lull reads. Only these are kept in a snapshot: no images, environments, secrets or managed fields.
import { isMap, type Json } from '../../kinds/read/reader.ts';
import { migratedSources } from '../../kinds/read/storage.ts';

/** The fields to keep, of each item if the value is a list; true = everything below. */
type FieldShape = true | { readonly [field: string]: FieldShape };

/** These fields, with everything below them. */
const whole = (names: string): Record<string, true> =>
  Object.fromEntries(names.split(' ').map((name) => [name, true] as const));

const metadata: FieldShape = {
  ...whole('name namespace uid creationTimestamp deletionTimestamp deletionGracePeriodSeconds labels annotations'),
  ownerReferences: whole('apiVersion kind name uid controller'),
};

/** For the NodePool CRD, whether it has changed matters (N9). */
const definitionMetadata: FieldShape = { ...metadata, generation: true };

const container: FieldShape = {
  name: true,
  resources: { requests: true },
  restartPolicy: true,
  ports: whole('hostPort containerPort hostIP protocol'),
};

/** A pod's actual resources while it is being resized. */
const containerStatus: FieldShape = { name: true, resources: { requests: true }, allocatedResources: true };

const volume: FieldShape = { name: true, persistentVolumeClaim: { claimName: true }, ephemeral: {} };

const pod: FieldShape = {
  spec: {
    ...whole('nodeName nodeSelector affinity topologySpreadConstraints tolerations priority priorityClassName'),
    terminationGracePeriodSeconds: true,
    resources: { requests: true },
    overhead: true,
    containers: container,
    initContainers: container,
    hostNetwork: true,
    volumes: volume,
  },
  status: {
    ...whole('phase startTime nominatedNodeName'),
    conditions: whole('type status lastTransitionTime reason'),
    containerStatuses: containerStatus,
    initContainerStatuses: containerStatus,
  },
};

const node: FieldShape = { spec: whole('taints unschedulable providerID'), status: whole('allocatable conditions') };

const claim: FieldShape = { spec: true, status: whole('nodeName providerID lastPodEventTime conditions') };

/** Objects that users write are kept whole: lint also reports fields that are not read. */
const written: FieldShape = whole('spec status');

/** Whether Lull's fields were added to the NodePool CRD (N9). */
const definition: FieldShape = {
  spec: {
    versions: {
      ...whole('name served'),
      schema: { openAPIV3Schema: { properties: { spec: { properties: { disruption: true } } } } },
    },
  },
};

/** What Karpenter reports about a node (N3). */
const event: FieldShape = {
  involvedObject: whole('kind name'),
  ...whole('reason message lastTimestamp eventTime firstTimestamp'),
  series: { lastObservedTime: true },
};

const volumeClaim: FieldShape = { spec: whole('volumeName storageClassName accessModes') };

const persistentVolume: FieldShape = {
  spec: {
    nodeAffinity: true,
    csi: whole('driver volumeHandle'),
    ...Object.fromEntries(migratedSources.map(({ field, handle }) => [field, whole(handle)] as const)),
  },
};

const storageClass: FieldShape = whole('provisioner volumeBindingMode allowedTopologies');

const csiNode: FieldShape = { spec: { drivers: { name: true, allocatable: { count: true } } } };

/** Only what its pods require of a node. */
const daemonSet: FieldShape = {
  spec: {
    template: {
      spec: {
        nodeSelector: true,
        affinity: { nodeAffinity: true },
        tolerations: true,
        resources: { requests: true },
        overhead: true,
        containers: container,
        initContainers: container,
        hostNetwork: true,
      },
    },
  },
};

const shapes: Readonly<Record<string, FieldShape>> = {
  Pod: pod,
  Node: node,
  NodeClaim: claim,
  Namespace: {},
  DaemonSet: daemonSet,
  PersistentVolumeClaim: volumeClaim,
  PersistentVolume: persistentVolume,
  StorageClass: storageClass,
  CSINode: csiNode,
  PodDisruptionBudget: written,
  NodePool: written,
  Provisioner: written,
  MaintenanceWindow: written,
  HealthGate: { spec: true, status: whole('state since message checkedAt closedSince') },
  PodDisruptionSchedule: written,
  CustomResourceDefinition: definition,
  Event: event,
  DisruptionLedger: { spec: true },
};

/** Undefined = a kind that is not part of a snapshot: Secrets, and everything Lull does not read. */
export function slim(object: Json): Json | undefined {
  const shape = typeof object.kind === 'string' && Object.hasOwn(shapes, object.kind) ? shapes[object.kind] : undefined;
  return shape && slimmed(object, shape);
}

/** Kinds without a shape are kept whole, except for their metadata. */
export function slimmed(object: Json, shape: FieldShape | undefined = shapes[String(object.kind)]): Json {
  const { apiVersion, kind, metadata: about, ...rest } = object;
  return {
    ...(apiVersion !== undefined && { apiVersion }),
    kind,
    ...(about !== undefined && {
      metadata: isMap(about) ? withoutCopies(cutMap(about, metadataOf(kind))) : about,
    }),
    ...(shape ? withoutOtherConditions(kind, cutMap(rest, shape)) : rest),
  };
}

const metadataOf = (kind: unknown): FieldShape => (kind === 'CustomResourceDefinition' ? definitionMetadata : metadata);

/** Of nodes and pods only readiness (and a pending resize) is read; other conditions could contain anything. */
function withoutOtherConditions(kind: unknown, rest: Json): Json {
  const { status } = rest;
  if ((kind !== 'Node' && kind !== 'Pod') || !isMap(status) || !Array.isArray(status.conditions)) return rest;
  const kept = status.conditions.filter(
    (it) => !isMap(it) || typeof it.type !== 'string' || it.type === 'Ready' || it.type === 'PodResizePending',
  );
  return { ...rest, status: { ...status, conditions: kept } };
}

function cut(value: unknown, shape: FieldShape): unknown {
  if (shape === true) return value;
  if (Array.isArray(value)) return value.map((item) => cut(item, shape));
  // Malformed values are kept, so that they are reported again.
  return isMap(value) ? cutMap(value, shape) : value;
}

function cutMap(map: Json, shape: FieldShape): Json {
  if (shape === true) return map;
  const kept = Object.entries(shape).filter(([field]) => Object.hasOwn(map, field));
  return Object.fromEntries(kept.map(([field, inside]) => [field, cut(map[field], inside)]));
}

/** Tools leave copies of the whole object in annotations. The key is kept: a patch must know it. */
const copies = /last-applied-configuration$/;

function withoutCopies(about: Json): Json {
  const { annotations } = about;
  if (!isMap(annotations)) return about;
  const kept = Object.entries(annotations).map(([key, value]) => [key, copies.test(key) ? '' : value]);
  return { ...about, annotations: Object.fromEntries(kept) };
}
