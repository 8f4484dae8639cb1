// The allow-list of an anonymised snapshot: words of Kubernetes, Karpenter and Lull that are kept. All others are masked.
import { annotation, label, taint } from '../../../cluster/names.ts';
import { otherKarpenterKeys, steering } from '../../../kinds/read/knownKeys.ts';
import { migratedSources } from '../../../kinds/read/storage.ts';
import type { Sort } from './masks.ts';

const words = (text: string): string[] => text.split(' ');
const under = (prefix: string, names: string): string[] => words(names).map((name) => `${prefix}${name}`);

/** Labels with an amount of the machine, or its price: their numbers are kept. */
export const amountKeys: ReadonlySet<string> = new Set([
  label.price,
  ...under(
    'karpenter.k8s.aws/instance-',
    'cpu cpu-sustained-clock-speed-mhz memory generation ebs-bandwidth network-bandwidth gpu-count gpu-memory accelerator-count local-nvme',
  ),
  ...under('karpenter.kwok.sh/instance-', 'cpu memory'),
  ...under('karpenter.azure.com/sku-', 'cpu memory gpu-count version'),
]);

/** Labels whose values are names of objects or places in the cluster: masked like those names. */
export const namingKeys: ReadonlyMap<string, Sort> = new Map<string, Sort>([
  [label.pool, 'pool'],
  [label.provisioner, 'pool'],
  [label.hostname, 'node'],
  ['kubernetes.io/metadata.name', 'namespace'],
  ['karpenter.k8s.aws/ec2nodeclass', 'class'],
  ['karpenter.kwok.sh/kwoknodeclass', 'class'],
  ['karpenter.azure.com/aksnodeclass', 'class'],
  [label.zone, 'zone'],
  ['failure-domain.beta.kubernetes.io/zone', 'zone'],
  ['topology.ebs.csi.aws.com/zone', 'zone'],
  ['topology.gke.io/zone', 'zone'],
  ['topology.disk.csi.azure.com/zone', 'zone'],
  ['topology.kubernetes.io/region', 'region'],
  ['failure-domain.beta.kubernetes.io/region', 'region'],
  [label.instanceType, 'type'],
  ['beta.kubernetes.io/instance-type', 'type'],
  // Its value is the command that marked the node.
  [taint.lullDisrupted, 'command'],
]);

const arches = new Set(['386', 'amd64', 'arm', 'arm64', 'ppc64le', 'riscv64', 's390x']);
const systems = new Set(['linux', 'windows']);

/** Labels with few possible values, which are kept. */
export const wordKeys: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [label.arch, arches],
  ['beta.kubernetes.io/arch', arches],
  [label.os, systems],
  ['beta.kubernetes.io/os', systems],
  [label.capacityType, new Set(['on-demand', 'reserved', 'spot'])],
]);

/** Keys of labels, annotations and taints that are kept. Whole keys, never a domain: users write names after the slash. */
export const knownKeys: ReadonlySet<string> = new Set([
  ...Object.values(label),
  ...Object.values(annotation),
  ...Object.values(steering),
  ...otherKarpenterKeys,
  ...[taint.karpenterDisrupted, taint.lullDisrupted, ...taint.rebalance, ...taint.interruption],
  ...amountKeys,
  ...namingKeys.keys(),
  ...wordKeys.keys(),
  ...under(
    'karpenter.k8s.aws/instance-',
    'category cpu-manufacturer encryption-in-transit-supported family gpu-manufacturer gpu-name hypervisor size',
  ),
  ...under('karpenter.kwok.sh/instance-', 'family size'),
  ...under('karpenter.azure.com/sku-', 'family name'),
  ...under(
    'node.kubernetes.io/',
    'disk-pressure exclude-from-external-load-balancers memory-pressure network-unavailable not-ready out-of-service pid-pressure unreachable unschedulable windows-build',
  ),
  'node.cloudprovider.kubernetes.io/uninitialized',
  ...under('node-role.kubernetes.io/', 'control-plane master'),
  ...under('app.kubernetes.io/', 'component instance managed-by name part-of version'),
  ...under('apps.kubernetes.io/', 'pod-index'),
  ...under('batch.kubernetes.io/', 'controller-uid job-completion-index job-name'),
  'statefulset.kubernetes.io/pod-name',
  ...['controller-revision-hash', 'pod-template-generation', 'pod-template-hash'],
  'kubectl.kubernetes.io/last-applied-configuration',
  'volume.beta.kubernetes.io/storage-class',
]);

export const knownResources =
  /^(cpu|memory|nodes|pods|ephemeral-storage|storage|hugepages-\d{1,4}[KMG]i|(nvidia|amd)\.com\/gpu)$/;

/** API groups of node classes: they name Karpenter's provider. */
export const classGroups: ReadonlySet<string> = new Set(
  words('karpenter.azure.com karpenter.k8s.aws karpenter.k8s.gcp karpenter.kwok.sh'),
);
export const classKinds: ReadonlySet<string> = new Set(
  words('AKSNodeClass AWSNodeTemplate EC2NodeClass GCENodeClass KWOKNodeClass'),
);

/** Kinds that Lull reads. */
export const readKinds: ReadonlySet<string> = new Set(
  words(
    'CSINode CustomResourceDefinition DaemonSet DisruptionLedger Event HealthGate MaintenanceWindow Namespace Node NodeClaim NodePool PersistentVolume PersistentVolumeClaim Pod PodDisruptionBudget PodDisruptionSchedule Provisioner StorageClass',
  ),
);

/** Owner kinds that every cluster has. */
export const ownerKinds: ReadonlySet<string> = new Set(
  words('CronJob DaemonSet Deployment Job Node NodeClaim NodePool Pod ReplicaSet ReplicationController StatefulSet'),
);
export const ownerGroups: ReadonlySet<string> = new Set(words('apps batch karpenter.sh'));

export const knownDrivers: ReadonlySet<string> = new Set([
  ...migratedSources.flatMap(({ driver, provisioner }) => [driver, provisioner]),
  'efs.csi.aws.com',
  'kubernetes.io/no-provisioner',
]);

/** Conditions of claims, pools, nodes and pods. */
export const conditionTypes: readonly string[] = words(
  'Consolidatable ConsistentStateFound DisruptionReason Drained Drifted Empty Expired Initialized InstanceTerminating Interrupted Launched LullReady NodeClassReady NodeRegistrationHealthy PodResizePending Ready RebalanceRecommended Rebooting Registered ValidationSucceeded VolumesDetached',
);

/** Reasons of conditions and events. */
export const conditionReasons: ReadonlySet<string> = new Set([
  ...conditionTypes,
  ...words(
    'NodePoolDrifted RequirementsDrifted InstanceTypeNotFound NodeClassDrift NodeClassDrifted AMIDrift SubnetDrift SecurityGroupDrift CapacityReservationDrift ImageDrift Unhealthy Rebalance Underutilized LaunchFailed InsufficientCapacity NodeClassNotReady NodeNotFound NodeNotReady NodeNotRegistered AwaitingReconciliation UnknownResource StartupTaintsExist KubeletReady KubeletNotReady NodeStatusUnknown ContainersNotReady PodCompleted PodFailed Deferred Infeasible Unschedulable DisruptionBlocked Unconsolidatable ConsolidationRejected',
  ),
]);
