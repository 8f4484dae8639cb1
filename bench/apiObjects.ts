// The objects of a large cluster, as a real API server takes them: 15 pods a node, 20 pools, a PDB for every tenth node.
import { mulberry32 } from './random.ts';

export const podsPerNode = 15;
const pools = 20;
const namespaces = 40;
const zones = ['a', 'b', 'c'];
const born = '2026-10-20T00:00:00Z';

export interface Posted {
  /** The path to create it at. */
  readonly path: string;
  readonly object: { readonly metadata: { readonly name: string } };
  /** A create request ignores the status: it is written afterwards. */
  readonly status?: object;
}

const group = '/apis/karpenter.sh/v1';
const nodeName = (i: number): string => `node-${String(i).padStart(5, '0')}`;
const poolName = (i: number): string => `pool-${i % pools}`;
const namespaceOf = (i: number): string => `ns-${i % namespaces}`;
const apps = (nodes: number): number => Math.ceil(nodes / 10);

/** Objects that others refer to come first. */
export function* basicsOf(nodes: number): Generator<Posted> {
  for (let i = 0; i < namespaces; i++)
    yield { path: '/api/v1/namespaces', object: { metadata: { name: namespaceOf(i) } } };
  for (let i = 0; i < pools; i++) yield { path: `${group}/nodepools`, object: pool(i) };
  for (let i = 0; i < apps(nodes); i++) yield pdb(i);
}

export function* nodesOf(nodes: number): Generator<Posted> {
  const random = mulberry32(1);
  for (let i = 0; i < nodes; i++) {
    yield { path: '/api/v1/nodes', object: node(i) };
    yield { path: `${group}/nodeclaims`, object: claim(i), status: claimStatus(i, random() < 0.1) };
  }
}

export function* podsOf(nodes: number): Generator<Posted> {
  const random = mulberry32(2);
  for (let i = 0; i < nodes; i++)
    for (let j = 0; j < podsPerNode; j++) yield pod(i, j, Math.floor(random() * apps(nodes)));
}

export const podPath = (i: number, app: number): string => `/api/v1/namespaces/${namespaceOf(app)}/pods/pod-${i}-0`;

/** The app of the first pod of each node, as podsOf chooses it. */
export function firstApps(nodes: number): readonly number[] {
  const random = mulberry32(2);
  return Array.from({ length: nodes }, () => {
    const [first = 0] = Array.from({ length: podsPerNode }, () => Math.floor(random() * apps(nodes)));
    return first;
  });
}

const requirements = [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }];
const nodeClassRef = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' };

function pool(i: number): Posted['object'] {
  const budgets = [{ nodes: '10%' }, { nodes: '2', topologyKey: 'topology.kubernetes.io/zone', sequential: true }];
  const annotations = { 'lull.dev/budgets': JSON.stringify(budgets) };
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: poolName(i), annotations },
    spec: {
      disruption: { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: '100%' }] },
      template: { spec: { nodeClassRef, requirements, expireAfter: 'Never' } },
    },
  } as Posted['object'];
}

const labels = (i: number): Record<string, string> => ({
  'karpenter.sh/nodepool': poolName(i),
  'karpenter.sh/initialized': 'true',
  'karpenter.sh/registered': 'true',
  'karpenter.sh/capacity-type': i % 3 === 0 ? 'spot' : 'on-demand',
  'topology.kubernetes.io/zone': zones[i % zones.length] as string,
  'node.kubernetes.io/instance-type': 'm5.2xlarge',
  'kubernetes.io/arch': 'amd64',
  'kubernetes.io/os': 'linux',
  'kubernetes.io/hostname': nodeName(i),
});

function node(i: number): Posted['object'] {
  const resources = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' };
  const condition = {
    lastHeartbeatTime: born,
    lastTransitionTime: born,
    reason: 'Kubelet',
    message: 'as it should be',
  };
  const pressures = ['MemoryPressure', 'DiskPressure', 'PIDPressure'];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: nodeName(i), labels: labels(i) },
    spec: { providerID: `cloud:///${i}` },
    status: {
      capacity: resources,
      allocatable: resources,
      conditions: [
        { type: 'Ready', status: 'True', ...condition },
        ...pressures.map((type) => ({ type, status: 'False', ...condition })),
      ],
    },
  } as Posted['object'];
}

const claim = (i: number): Posted['object'] =>
  ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: `claim-${i}`, labels: labels(i) },
    spec: { nodeClassRef, requirements, expireAfter: 'Never' },
  }) as Posted['object'];

function claimStatus(i: number, isDrifted: boolean): object {
  const types = ['Launched', 'Registered', 'Initialized', 'Ready', ...(isDrifted ? ['Drifted'] : [])];
  const conditions = types.map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: born,
    reason: type,
    message: '',
  }));
  return { nodeName: nodeName(i), providerID: `cloud:///${i}`, conditions };
}

function pdb(i: number): Posted {
  const namespace = namespaceOf(i);
  const metadata = { namespace, name: `app-${i}` };
  const selector = { matchLabels: { app: `app-${i}` } };
  const status = { disruptionsAllowed: i % 7 === 0 ? 0 : 5, currentHealthy: 15, desiredHealthy: 10, expectedPods: 15 };
  return {
    path: `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`,
    object: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata,
      spec: { selector, maxUnavailable: 5 },
    } as Posted['object'],
    status: { observedGeneration: 1, ...status },
  };
}

/** As a kubelet writes it. */
const runningStatus = {
  phase: 'Running',
  startTime: born,
  hostIP: '10.0.0.1',
  podIP: '10.1.0.1',
  qosClass: 'Burstable',
  conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
    type,
    status: 'True',
    lastTransitionTime: born,
  })),
  containerStatuses: [
    {
      name: 'main',
      ready: true,
      started: true,
      restartCount: 0,
      image: 'example.com/shop/main:1.2.3',
      imageID: 'example.com/shop/main@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
      state: { running: { startedAt: born } },
    },
  ],
};

/** As large as the pods people write. */
function pod(i: number, j: number, app: number): Posted {
  const namespace = namespaceOf(app);
  const env = Array.from({ length: 12 }, (_, k) => ({ name: `SETTING_${k}`, value: `value-of-the-setting-${k}` }));
  const resources = { requests: { cpu: '300m', memory: '1Gi' }, limits: { memory: '1Gi' } };
  const probe = { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 10 };
  const main = { name: 'main', image: 'example.com/shop/main:1.2.3', env, resources };
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `app-${app}`, uid: `rs-${app}`, controller: true };
  return {
    path: `/api/v1/namespaces/${namespace}/pods`,
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace, name: `pod-${i}-${j}`, labels: { app: `app-${app}` }, ownerReferences: [owner] },
      spec: { nodeName: nodeName(i), containers: [{ ...main, readinessProbe: probe, livenessProbe: probe }] },
    } as Posted['object'],
    status: runningStatus,
  };
}
