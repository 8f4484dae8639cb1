// A sound object of each kind with every field that Lull reads, for tests to mangle.
// Past 300 lines: one specimen per kind, and most of them are long.
import type { Json } from './json.ts';

const at = '2026-11-15T10:00:00Z';
const meta = { uid: 'u', creationTimestamp: '2026-11-01T00:00:00Z' };
const requirement = { key: 'example.com/tier', operator: 'In', values: ['web', 'db'] };
const selector = { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'app', operator: 'Exists' }] };
const taints = [{ key: 'dedicated', value: 'web', effect: 'NoSchedule', timeAdded: at }];
const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
/** The fields that are read if its ports do not count. */
const container = { resources: { requests: { cpu: '250m', memory: '1Gi' } } };
/** On the host network, where a container port counts as a host port unless one is set. */
const listening = {
  ...container,
  ports: [{ hostPort: 8080, hostIP: '10.0.0.1', protocol: 'TCP' }, { containerPort: 80 }],
};
const nodeTerm = {
  matchExpressions: [requirement],
  matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }],
};
const podTerm = {
  topologyKey: 'topology.kubernetes.io/zone',
  labelSelector: selector,
  namespaces: ['shop'],
  namespaceSelector: selector,
  matchLabelKeys: ['app'],
  mismatchLabelKeys: ['tenant'],
};
const podAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution: [podTerm],
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, podAffinityTerm: podTerm }],
};
/** Different from the requests: it is being resized. */
const containerStatus = {
  resources: { requests: { cpu: '500m' } },
  allocatedResources: { cpu: '400m' },
};
const condition = (type: string, status = 'True') => ({
  type,
  status,
  lastTransitionTime: at,
  reason: 'Because',
  message: 'so it is',
});
const template = {
  taints,
  startupTaints: taints,
  requirements: [requirement],
  nodeClassRef,
  expireAfter: '720h',
  terminationGracePeriod: '1h',
  kubelet: { maxPods: 110 },
};

const node: Json = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    ...meta,
    name: 'n1',
    deletionTimestamp: at,
    deletionGracePeriodSeconds: 30,
    labels: {
      'karpenter.sh/nodepool': 'blue',
      'karpenter.sh/initialized': 'true',
      'karpenter.sh/registered': 'true',
      'topology.kubernetes.io/zone': 'a',
      'example.com/tier': 'web',
    },
    annotations: {
      'karpenter.sh/do-not-disrupt': '8h',
      'karpenter.sh/do-not-repair': 'true',
      'karpenter.sh/do-not-consolidate': 'true',
      'lull.dev/hold': 'Ada looks at it',
      'lull.dev/rebalance': '',
    },
  },
  spec: { providerID: 'aws:///n1', unschedulable: false, taints },
  status: { conditions: [condition('Ready')], allocatable: { cpu: '4', memory: '16Gi', pods: '110' } },
};

const claim: Json = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: {
    ...meta,
    name: 'c1',
    deletionTimestamp: at,
    deletionGracePeriodSeconds: 30,
    labels: { 'karpenter.sh/nodepool': 'blue' },
    annotations: { 'karpenter.sh/nodepool-hash': '1' },
  },
  spec: template,
  status: {
    nodeName: 'n1',
    providerID: 'aws:///n1',
    lastPodEventTime: at,
    conditions: [condition('Drifted'), condition('Initialized')],
  },
};

const budgets = [
  {
    nodes: '10%',
    reasons: ['Drifted', 'Empty'],
    schedule: '0 9 * * mon-fri',
    duration: '8h',
    timeZone: 'Europe/Berlin',
  },
  {
    nodes: '1',
    reasons: ['Drifted'],
    topologyKey: 'topology.kubernetes.io/zone',
    sequential: true,
    settle: '10m',
    patience: '1h',
    driftAfter: '72h',
    waves: ['1', '10%'],
    haltAfter: 2,
  },
  { nodes: '5', per: '24h' },
  { maxUnavailable: '1', crontab: '@daily', duration: '1h', reason: 'Drifted' },
];

const pool: Json = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: {
    ...meta,
    name: 'blue',
    deletionTimestamp: at,
    labels: { team: 'web' },
  },
  spec: {
    weight: 10,
    replicas: 3,
    limits: { cpu: '100', memory: '1Ti' },
    disruption: {
      budgets,
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfter: '5m',
      expireAfter: '480h',
      repairAfter: '30m',
    },
    template: { metadata: { labels: { tier: 'web' }, annotations: { note: 'x' } }, spec: template },
  },
  status: { conditions: [condition('Ready')] },
};

const annotatedPool: Json = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: {
    ...meta,
    name: 'green',
    annotations: {
      'lull.dev/budgets': JSON.stringify(budgets),
      'lull.dev/expire-after': '480h',
      'lull.dev/drift-after': '72h',
    },
  },
  spec: { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' },
};

const provisioner: Json = {
  apiVersion: 'karpenter.sh/v1alpha5',
  kind: 'Provisioner',
  metadata: { ...meta, name: 'old', labels: { team: 'web' }, annotations: {} },
  spec: {
    ttlSecondsAfterEmpty: 30,
    ttlSecondsUntilExpired: 2_592_000,
    ttlAfterCreated: '30d',
    ttlAfterNotReady: '30m',
    consolidation: { enabled: false },
    weight: 1,
    limits: { resources: { cpu: '100' } },
    labels: { tier: 'web' },
    annotations: { note: 'x' },
    taints,
    startupTaints: taints,
    requirements: [requirement],
    providerRef: { apiVersion: 'karpenter.k8s.aws/v1alpha1', kind: 'AWSNodeTemplate', name: 'default' },
    kubeletConfiguration: { maxPods: 110 },
  },
};

const podAnnotations: Json = {
  'karpenter.sh/do-not-disrupt': '8h',
  'karpenter.sh/do-not-disrupt-reasons': 'Empty,Underutilized',
  'karpenter.sh/do-not-evict': 'true',
  'karpenter.sh/disruption-schedule': '0 2 * * 6;@daily',
  'karpenter.sh/disruption-schedule-duration': '4h;1h',
  'karpenter.sh/disruption-schedule-timezone': 'Europe/Berlin',
  'karpenter.sh/disruption-block-schedule': '0 9 * * mon-fri',
  'karpenter.sh/disruption-block-duration': '8h',
  'karpenter.sh/disruption-cost': '7',
  'controller.kubernetes.io/pod-deletion-cost': '8',
};

const pod: Json = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    ...meta,
    name: 'web-0',
    namespace: 'shop',
    deletionTimestamp: at,
    labels: { app: 'web' },
    annotations: podAnnotations,
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'r', controller: true }],
  },
  spec: {
    nodeName: 'n1',
    priority: 5,
    priorityClassName: 'high',
    terminationGracePeriodSeconds: 30,
    containers: [{ name: 'app', ...listening }],
    initContainers: [{ name: 'side', ...listening, restartPolicy: 'Always' }, container],
    overhead: { cpu: '10m' },
    resources: { requests: { cpu: '1' } },
    tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'web', effect: 'NoSchedule' }],
    nodeSelector: { tier: 'web' },
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [nodeTerm],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, preference: nodeTerm }],
      },
      podAffinity,
      podAntiAffinity: podAffinity,
    },
    topologySpreadConstraints: [
      {
        topologyKey: 'topology.kubernetes.io/zone',
        maxSkew: 1,
        minDomains: 2,
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: selector,
        matchLabelKeys: ['app'],
        nodeAffinityPolicy: 'Honor',
        nodeTaintsPolicy: 'Honor',
      },
    ],
    hostNetwork: true,
    volumes: [{ persistentVolumeClaim: { claimName: 'data-0' } }, { name: 'scratch', ephemeral: {} }],
  },
  status: {
    phase: 'Running',
    startTime: at,
    nominatedNodeName: 'n1',
    conditions: [condition('Ready'), { type: 'PodResizePending', reason: 'Deferred' }],
    containerStatuses: [{ name: 'app', ...containerStatus }],
    initContainerStatuses: [{ name: 'side', ...containerStatus }],
  },
};

const volumeClaim: Json = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    ...meta,
    name: 'data-0',
    namespace: 'shop',
    deletionTimestamp: at,
    annotations: { 'volume.beta.kubernetes.io/storage-class': 'fast' },
    ownerReferences: [{ kind: 'Pod', controller: true }],
  },
  spec: { volumeName: 'pv-0', storageClassName: 'fast', accessModes: ['ReadWriteOncePod'] },
};

const volume: Json = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { ...meta, name: 'pv-0', labels: { 'topology.kubernetes.io/zone': 'a__b' } },
  spec: {
    nodeAffinity: { required: { nodeSelectorTerms: [nodeTerm] } },
    csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' },
  },
};

const oldVolume: Json = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { ...meta, name: 'pv-1' },
  spec: { awsElasticBlockStore: { volumeID: 'vol-2' } },
};

const storageClass: Json = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { ...meta, name: 'fast' },
  provisioner: 'ebs.csi.aws.com',
  volumeBindingMode: 'WaitForFirstConsumer',
  allowedTopologies: [{ matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['a'] }] }],
};

const csiNode: Json = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: { ...meta, name: 'n1' },
  spec: { drivers: [{ name: 'ebs.csi.aws.com', allocatable: { count: 25 } }] },
};

const daemonSet: Json = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { ...meta, name: 'agent', namespace: 'kube-system' },
  spec: {
    template: {
      spec: {
        containers: [container],
        initContainers: [container],
        overhead: { cpu: '10m' },
        tolerations: [{ operator: 'Exists' }],
        nodeSelector: { tier: 'web' },
        hostNetwork: true,
      },
    },
  },
};

const pdb: Json = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { ...meta, name: 'web', namespace: 'shop' },
  spec: { selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
  status: { disruptionsAllowed: 1 },
};

const window: Json = {
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'MaintenanceWindow',
  metadata: { ...meta, name: 'nights' },
  spec: {
    schedules: [{ cron: '0 20 * * *', duration: '10h', timeZone: 'Europe/Berlin' }],
    actions: ['Drift', 'Expiration'],
    selector: { matchExpressions: [requirement] },
    mode: 'Allow',
    notBefore: '2026-01-01T00:00:00Z',
    notAfter: '2027-01-01T00:00:00Z',
    nodes: '10%',
    note: 'ask Ada',
  },
};

const podSchedule: Json = {
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'PodDisruptionSchedule',
  metadata: { ...meta, name: 'weekends' },
  spec: {
    selector,
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
    schedule: '0 2 * * 6',
    duration: '4h',
    timeZone: 'Europe/Berlin',
    mode: 'Block',
  },
};

const namespace: Json = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { ...meta, name: 'shop', labels: { a: 'b' } },
};

const ledger: Json = {
  apiVersion: 'lull.dev/v1alpha1',
  kind: 'DisruptionLedger',
  metadata: { name: 'lull' },
  spec: {
    version: 1,
    commands: [
      {
        id: 'drifted-1',
        reason: 'Drifted',
        pool: 'blue',
        hands: 'lull',
        nodes: [{ name: 'n9', claim: 'c9', domain: 'a' }],
        replacements: [{ name: 'c10', pool: 'blue', instanceType: 'm7i.large', assumed: true }],
        promisedTo: ['n2'],
        step: 'tainted',
        startedAt: at,
        stepAt: at,
      },
    ],
    rolls: [
      {
        pool: 'blue',
        startedAt: at,
        counted: 3,
        done: 1,
        wave: 0,
        waveAt: at,
        inFlight: ['n9'],
        expected: [{ owner: 'r', name: 'ReplicaSet shop/web', running: 2 }],
        wellSince: at,
      },
    ],
    turns: [
      {
        pool: 'blue',
        topologyKey: 'topology.kubernetes.io/zone',
        domain: 'a',
        takenAt: at,
        progressAt: at,
        inFlight: ['n9'],
        unreadyAtStart: ['n3'],
        replacements: ['c10'],
        expected: [{ owner: 'r', name: 'ReplicaSet shop/web', running: 2 }],
        wellSince: at,
        passedOver: ['b', null],
      },
    ],
    backoffs: [{ pool: 'green', until: at, delay: '1m' }],
  },
};

/** One of each kind, with every field. */
export const specimens: readonly Json[] = [
  node,
  claim,
  pool,
  annotatedPool,
  provisioner,
  pod,
  volumeClaim,
  volume,
  oldVolume,
  storageClass,
  csiNode,
  daemonSet,
  pdb,
  window,
  podSchedule,
  namespace,
  ledger,
];

/** Kinds that only `lull lint` reads: a pod's annotations are written in the template that creates it. */
export const workloads: readonly Json[] = ['Deployment', 'CronJob'].map((kind) => {
  const template = { metadata: { labels: { app: 'web' }, annotations: podAnnotations }, spec: pod.spec };
  const spec = kind === 'CronJob' ? { jobTemplate: { spec: { template } } } : { replicas: 2, template };
  const group = kind === 'CronJob' ? 'batch' : 'apps';
  return { apiVersion: `${group}/v1`, kind, metadata: { name: 'web', namespace: 'shop' }, spec };
});

export const settingsSpecimen: Json = {
  role: 'guide',
  pools: selector,
  defaultBudgets: 'ceiling',
  endingMachines: 'ignore',
  expiration: 'graceful',
  expireLead: '24h',
  drift: 'computed',
  repairAfter: '30m',
  repairBreaker: '20%',
  windowMargin: '1m',
  consolidationPause: '15s',
  replacementTimeout: '10m',
  replacementSlow: '2m',
  drainTimeout: '1h',
  offerTimeout: '2m',
  offerTimeoutUnderutilized: '6m',
  catalogue: [
    {
      name: 'm7i.large',
      cpu: '2',
      memory: '8Gi',
      offerings: [{ zone: 'a', capacityType: 'spot', price: 0.1, available: true }],
    },
  ],
};

/** Without fields that would decide everything: a node that is being deleted has no verdicts, and a held one is never disrupted. */
const free = (object: Json, ...fields: readonly string[]): Json => {
  const metadata = object.metadata as Json;
  const rest = Object.entries(metadata).filter(([key]) => !fields.includes(key));
  return { ...object, metadata: Object.fromEntries(rest) };
};
const named = (object: Json, name: string, more: Json = {}): Json => ({
  ...object,
  metadata: { ...(object.metadata as Json), name, ...more },
});

/** A small cluster in which every kind has an effect. */
export const cluster: readonly Json[] = [
  free(pool, 'deletionTimestamp'),
  ...['n1', 'n2', 'n3', 'n4'].flatMap((name, index) => {
    const sound = free(node, 'annotations', 'deletionTimestamp', 'deletionGracePeriodSeconds');
    const labels = {
      ...((node.metadata as Json).labels as Json),
      'topology.kubernetes.io/zone': index < 2 ? 'a' : 'b',
    };
    const status = { ...(claim.status as Json), nodeName: name, providerID: name };
    return [
      { ...named(sound, name, { labels }), spec: { providerID: name } },
      { ...named(free(claim, 'deletionTimestamp', 'deletionGracePeriodSeconds'), `c${name}`), status },
    ];
  }),
  free(pod, 'deletionTimestamp', 'annotations'),
  { ...named(free(pod, 'deletionTimestamp'), 'web-1'), spec: { ...(pod.spec as Json), nodeName: 'n2' } },
  annotatedPool,
  provisioner,
  free(volumeClaim, 'deletionTimestamp'),
  volume,
  oldVolume,
  storageClass,
  csiNode,
  daemonSet,
  pdb,
  window,
  podSchedule,
  namespace,
  ledger,
];
