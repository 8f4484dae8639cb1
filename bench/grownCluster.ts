// A cluster of any size for benchmarks: 20 pods a node, 50 pools, 500 PDBs, 5 % of pods with schedules, 20 windows.

import { type Change, ClusterStore } from '../src/cluster/store.ts';
import { readObject } from '../src/kinds/readObject.ts';
import { mulberry32 } from './random.ts';

export const podsPerNode = 20;
const pools = 50;
const pdbs = 500;
const namespaces = 50;
const windows = 20;
const zones = ['a', 'b', 'c'];

/** Everything was created long before the decided instant. */
const born = '2026-10-20T00:00:00Z';
export const decidedAt = '2026-11-11T10:00:00Z';

export function grow(nodes: number): ClusterStore {
  const store = new ClusterStore();
  for (const object of grownObjects(nodes)) store.apply(asChange(object));
  return store;
}

/** Raw, as the API server returns them. */
export function* grownObjects(nodes: number, podsEach = podsPerNode): Generator<unknown> {
  for (let i = 0; i < pools; i++) yield pool(i);
  for (let i = 0; i < windows; i++) yield window(i);
  for (let i = 0; i < pdbs; i++) yield pdb(i, nodes);
  const random = mulberry32(1);
  for (let i = 0; i < nodes; i++) {
    yield node(i);
    yield claim(i, random() < 0.1);
    for (let j = 0; j < podsEach; j++) yield pod(i, j, random);
  }
}

export function asChange(object: unknown): Change {
  const read = readObject(object);
  if (read.kind === 'ignored' || read.kind === 'DisruptionLedger') throw new Error('not an object of a cluster');
  return { kind: read.kind, put: read.record, faults: read.faults } as Change;
}

const nodeName = (i: number): string => `node-${String(i).padStart(5, '0')}`;
const poolName = (i: number): string => `pool-${i % pools}`;

function pool(i: number): unknown {
  const budgets = [
    { nodes: '10%' },
    { nodes: '0', reasons: ['Drifted'], schedule: '0 22 * * *', duration: '8h', timeZone: 'Europe/Berlin' },
    ...(i % 5 === 0
      ? [{ nodes: '2', reasons: ['Drifted'], topologyKey: 'topology.kubernetes.io/zone', sequential: true }]
      : []),
  ];
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: poolName(i), annotations: { 'lull.dev/budgets': JSON.stringify(budgets) } },
    spec: { disruption: { consolidateAfter: '1m' }, template: { spec: { expireAfter: '720h' } } },
  };
}

function window(i: number): unknown {
  return {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'MaintenanceWindow',
    metadata: { name: `window-${i}` },
    spec: {
      schedules: [{ cron: `0 ${i} * * mon-fri`, duration: '2h', timeZone: 'Europe/Berlin' }],
      actions: i % 2 === 0 ? ['Drift'] : ['Consolidation', 'Expiration'],
      selector: {
        matchExpressions: [{ key: 'karpenter.sh/nodepool', operator: 'In', values: [poolName(i), poolName(i + 20)] }],
      },
    },
  };
}

/** About 13 pods for every hundred nodes, a quarter of which may be unavailable; every seventh PDB allows no disruption. */
function pdb(i: number, nodes: number): unknown {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { namespace: `ns-${i % namespaces}`, name: `pdb-${i}` },
    spec: { selector: { matchLabels: { app: `app-${i}` } }, maxUnavailable: '25%' },
    status: { disruptionsAllowed: i % 7 === 0 ? 0 : Math.ceil(nodes / 300) },
  };
}

function node(i: number): unknown {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: nodeName(i), uid: `n${i}`, creationTimestamp: born, labels: labels(i) },
    spec: { providerID: `cloud:///${i}` },
    status: {
      allocatable: { cpu: '8', memory: '32Gi', pods: '110' },
      conditions: [{ type: 'Ready', status: i % 500 === 0 ? 'Unknown' : 'True', lastTransitionTime: born }],
    },
  };
}

const labels = (i: number): Record<string, string> => ({
  'karpenter.sh/nodepool': poolName(i),
  'karpenter.sh/initialized': 'true',
  'karpenter.sh/registered': 'true',
  'karpenter.sh/capacity-type': i % 3 === 0 ? 'spot' : 'on-demand',
  'topology.kubernetes.io/zone': zones[i % zones.length] as string,
  'node.kubernetes.io/instance-type': 'm5.2xlarge',
  'kubernetes.io/arch': 'amd64',
  'kubernetes.io/hostname': nodeName(i),
});

function claim(i: number, drifted: boolean): unknown {
  const condition = (type: string): unknown => ({ type, status: 'True', lastTransitionTime: born });
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: `claim-${i}`, uid: `c${i}`, creationTimestamp: born, labels: labels(i) },
    spec: { expireAfter: '720h' },
    status: {
      nodeName: nodeName(i),
      providerID: `cloud:///${i}`,
      conditions: ['Launched', 'Registered', 'Initialized', ...(drifted ? ['Drifted'] : [])].map(condition),
      lastPodEventTime: born,
    },
  };
}

function pod(i: number, j: number, random: () => number): unknown {
  // Ten PDBs per namespace; every third pod is under one.
  const namespace = Math.floor(random() * namespaces);
  const app = random() < 0.33 ? namespace + namespaces * Math.floor(random() * (pdbs / namespaces)) : pdbs + j;
  const scheduled = random() < 0.05;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: `ns-${namespace}`,
      name: `pod-${i}-${j}`,
      uid: `p${i}-${j}`,
      creationTimestamp: born,
      labels: { app: `app-${app}`, tier: 'web' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: j < 2 ? 'DaemonSet' : 'ReplicaSet',
          name: `rs-${app}`,
          uid: `rs-${app}`,
          controller: true,
        },
      ],
      ...(scheduled && {
        annotations: {
          'karpenter.sh/disruption-schedule': `0 ${Math.floor(random() * 24)} * * 6`,
          'karpenter.sh/disruption-schedule-duration': '4h',
          'karpenter.sh/disruption-schedule-timezone': 'Europe/Berlin',
        },
      }),
    },
    spec: {
      nodeName: nodeName(i),
      containers: [{ name: 'c', resources: { requests: { cpu: random() < 0.5 ? '400m' : '300m', memory: '1Gi' } } }],
    },
    status: { phase: 'Running', startTime: born, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

/** The same pod with its Ready condition inverted, as a kubelet would report it. */
export const flippedPod = (i: number, ready: boolean): unknown => {
  const object = pod(i, 5, mulberry32(i)) as { status: { conditions: { status: string }[] } };
  for (const condition of object.status.conditions) condition.status = ready ? 'True' : 'False';
  return object;
};
