// What of an object does Lull read? Only that is kept in a snapshot: neither images, environments and secrets, nor who wrote which field.
import { isMap, type Json } from '../kinds/reader.ts';

/** Fields that are kept, of each item where the value is a list; true = all that is below. */
type Shape = true | { readonly [field: string]: Shape };

const owner: Shape = { apiVersion: true, kind: true, name: true, uid: true, controller: true };

const metadata: Shape = {
  name: true,
  namespace: true,
  uid: true,
  creationTimestamp: true,
  deletionTimestamp: true,
  deletionGracePeriodSeconds: true,
  labels: true,
  annotations: true,
  ownerReferences: owner,
};

/** Of the CRD of NodePools it counts whether it has changed (N9). */
const definitionMetadata: Shape = { ...metadata, generation: true };

const container: Shape = {
  name: true,
  resources: { requests: true },
  restartPolicy: true,
  ports: { hostPort: true, containerPort: true, hostIP: true, protocol: true },
};

/** What a pod was given while it is being resized. */
const containerStatus: Shape = { name: true, resources: { requests: true }, allocatedResources: true };

const volume: Shape = { name: true, persistentVolumeClaim: { claimName: true }, ephemeral: {} };

const pod: Shape = {
  spec: {
    nodeName: true,
    nodeSelector: true,
    affinity: true,
    topologySpreadConstraints: true,
    tolerations: true,
    priority: true,
    priorityClassName: true,
    terminationGracePeriodSeconds: true,
    resources: { requests: true },
    overhead: true,
    containers: container,
    initContainers: container,
    hostNetwork: true,
    volumes: volume,
  },
  status: {
    phase: true,
    startTime: true,
    nominatedNodeName: true,
    conditions: { type: true, status: true, lastTransitionTime: true, reason: true },
    containerStatuses: containerStatus,
    initContainerStatuses: containerStatus,
  },
};

const node: Shape = {
  spec: { taints: true, unschedulable: true, providerID: true },
  status: { allocatable: true, conditions: true },
};

const claim: Shape = {
  spec: true,
  status: { nodeName: true, providerID: true, lastPodEventTime: true, conditions: true },
};

/** What people wrote is kept as it is: lint speaks of that too which is not read. */
const written: Shape = { spec: true, status: true };

/** Whether the definition of NodePools was added to (N9). */
const definition: Shape = {
  spec: {
    versions: {
      name: true,
      served: true,
      schema: { openAPIV3Schema: { properties: { spec: { properties: { disruption: true } } } } },
    },
  },
};

/** N3: what Karpenter says of a node. */
const event: Shape = {
  involvedObject: { kind: true, name: true },
  reason: true,
  message: true,
  lastTimestamp: true,
  eventTime: true,
  firstTimestamp: true,
  series: { lastObservedTime: true },
};

const volumeClaim: Shape = { spec: { volumeName: true, storageClassName: true, accessModes: true } };

const persistentVolume: Shape = {
  spec: {
    nodeAffinity: true,
    csi: { driver: true, volumeHandle: true },
    awsElasticBlockStore: { volumeID: true },
    gcePersistentDisk: { pdName: true },
    azureDisk: { diskURI: true },
    azureFile: { shareName: true },
    cinder: { volumeID: true },
    vsphereVolume: { volumePath: true },
    portworxVolume: { volumeID: true },
  },
};

const storageClass: Shape = { provisioner: true, volumeBindingMode: true, allowedTopologies: true };

const csiNode: Shape = { spec: { drivers: { name: true, allocatable: { count: true } } } };

/** Only what its pods would ask of a node. */
const daemonSet: Shape = {
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

const shapes: Readonly<Record<string, Shape>> = {
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
  PodDisruptionSchedule: written,
  CustomResourceDefinition: definition,
  Event: event,
  DisruptionLedger: { spec: true },
};

/** Undefined = a kind that is no part of a snapshot: Secrets, and all that Lull does not read. */
export function slim(object: Json): Json | undefined {
  const shape = typeof object.kind === 'string' && Object.hasOwn(shapes, object.kind) ? shapes[object.kind] : undefined;
  return shape && slimmed(object, shape);
}

/** Kinds without a shape are kept whole, but for their metadata. */
export function slimmed(object: Json, shape: Shape | undefined = shapes[String(object.kind)]): Json {
  const { apiVersion, kind, metadata: about, ...rest } = object;
  return {
    ...(apiVersion !== undefined && { apiVersion }),
    kind,
    ...(about !== undefined && {
      metadata: isMap(about) ? withoutCopies(cut(about, metadataOf(kind)) as Json) : about,
    }),
    ...(shape ? withoutOtherConditions(kind, cut(rest, shape) as Json) : rest),
  };
}

const metadataOf = (kind: unknown): Shape => (kind === 'CustomResourceDefinition' ? definitionMetadata : metadata);

/** Of nodes and pods only whether they are Ready (or cannot be resized) is asked; there is no end to what else may be said of them. */
function withoutOtherConditions(kind: unknown, rest: Json): Json {
  const { status } = rest;
  if ((kind !== 'Node' && kind !== 'Pod') || !isMap(status) || !Array.isArray(status.conditions)) return rest;
  const kept = status.conditions.filter(
    (it) => !isMap(it) || typeof it.type !== 'string' || it.type === 'Ready' || it.type === 'PodResizePending',
  );
  return { ...rest, status: { ...status, conditions: kept } };
}

function cut(value: unknown, shape: Shape): unknown {
  if (shape === true) return value;
  if (Array.isArray(value)) return value.map((item) => cut(item, shape));
  // What is broken stays as it is, so that it is found broken again.
  if (!isMap(value)) return value;
  const kept = Object.keys(shape).filter((field) => Object.hasOwn(value, field));
  return Object.fromEntries(kept.map((field) => [field, cut(value[field], shape[field] as Shape)]));
}

/** Tools leave whole copies of an object in its annotations. That there was one is kept: a patch must know. */
const copies = /last-applied-configuration$/;

function withoutCopies(about: Json): Json {
  const { annotations } = about;
  if (!isMap(annotations)) return about;
  const kept = Object.entries(annotations).map(([key, value]) => [key, copies.test(key) ? '' : value]);
  return { ...about, annotations: Object.fromEntries(kept) };
}
