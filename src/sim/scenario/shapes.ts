// Which objects can stand in the box, and what must be where in them? One row a kind, as Kubernetes and Karpenter define them.
import type { Shape } from './shape.ts';

export interface Kind {
  readonly group: string;
  readonly spec: { readonly [field: string]: Shape };
}

const requirements: Shape = [{ key: 'text', operator: 'text', values: ['text'] }];
const taints: Shape = [{ key: 'text', value: 'text', effect: 'text' }];
const selector: Shape = { matchLabels: 'texts', matchExpressions: requirements };
const metadata: Shape = { labels: 'texts', annotations: 'texts' };
const containers: Shape = [
  {
    name: 'text',
    restartPolicy: 'text',
    resources: { requests: 'amounts' },
    ports: [{ hostPort: 'whole', containerPort: 'whole', hostIP: 'text', protocol: 'text' }],
  },
];
const nodeTerm: Shape = { matchExpressions: requirements, matchFields: requirements };
const podTerm: Shape = {
  topologyKey: 'text',
  labelSelector: selector,
  namespaces: ['text'],
  namespaceSelector: selector,
  matchLabelKeys: ['text'],
  mismatchLabelKeys: ['text'],
};
const podAffinity: Shape = {
  requiredDuringSchedulingIgnoredDuringExecution: [podTerm],
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 'whole', podAffinityTerm: podTerm }],
};

const pod = {
  nodeName: 'text',
  containers,
  initContainers: containers,
  overhead: 'amounts',
  resources: { requests: 'amounts' },
  nodeSelector: 'texts',
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [nodeTerm],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 'whole', preference: nodeTerm }],
    },
    podAffinity,
    podAntiAffinity: podAffinity,
  },
  topologySpreadConstraints: [
    {
      topologyKey: 'text',
      maxSkew: 'whole',
      minDomains: 'whole',
      whenUnsatisfiable: 'text',
      labelSelector: selector,
      matchLabelKeys: ['text'],
      nodeAffinityPolicy: 'text',
      nodeTaintsPolicy: 'text',
    },
  ],
  hostNetwork: 'boolean',
  volumes: [{ name: 'text', persistentVolumeClaim: { claimName: 'text' } }],
  tolerations: [{ key: 'text', operator: 'text', value: 'text', effect: 'text' }],
  priorityClassName: 'text',
  terminationGracePeriodSeconds: 'whole',
  restartPolicy: 'text',
} as const satisfies Shape;

const workload = {
  replicas: 'whole',
  parallelism: 'whole',
  completions: 'whole',
  backoffLimit: 'whole',
  podManagementPolicy: 'text',
  strategy: {
    type: 'text',
    rollingUpdate: { maxSurge: 'number or percent', maxUnavailable: 'number or percent' },
  },
  selector,
  template: { metadata, spec: pod },
} as const satisfies Shape;

export const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  [
    'NodePool',
    {
      group: 'karpenter.sh',
      spec: {
        replicas: 'whole',
        weight: 'whole',
        limits: 'amounts',
        template: {
          metadata,
          spec: { requirements, taints, startupTaints: taints, expireAfter: 'text', terminationGracePeriod: 'text' },
        },
      },
    },
  ],
  ['Deployment', { group: 'apps', spec: workload }],
  ['StatefulSet', { group: 'apps', spec: workload }],
  ['DaemonSet', { group: 'apps', spec: workload }],
  ['Job', { group: 'batch', spec: workload }],
  ['Pod', { group: '', spec: pod }],
  [
    'PodDisruptionBudget',
    {
      group: 'policy',
      spec: {
        selector,
        minAvailable: 'number or percent',
        maxUnavailable: 'number or percent',
        unhealthyPodEvictionPolicy: 'text',
      },
    },
  ],
  ['MaintenanceWindow', { group: 'karpenter.sh', spec: {} }],
  ['PodDisruptionSchedule', { group: 'karpenter.sh', spec: {} }],
  ['Namespace', { group: '', spec: {} }],
  [
    'PersistentVolumeClaim',
    { group: '', spec: { volumeName: 'text', storageClassName: 'text', accessModes: ['text'] } },
  ],
  [
    'PersistentVolume',
    {
      group: '',
      spec: {
        nodeAffinity: { required: { nodeSelectorTerms: [nodeTerm] } },
        csi: { driver: 'text', volumeHandle: 'text' },
      },
    },
  ],
  ['StorageClass', { group: 'storage.k8s.io', spec: {} }],
  ['CSINode', { group: 'storage.k8s.io', spec: { drivers: [{ name: 'text', allocatable: { count: 'whole' } }] } }],
]);
