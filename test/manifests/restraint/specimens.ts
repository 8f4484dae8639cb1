// The objects to which the cases of restraint are done, each as the API server takes it and no more, and the objects around them.
import type { Case, Plain } from './case.ts';

const isMap = (value: unknown): value is Plain => typeof value === 'object' && value !== null && !Array.isArray(value);

/** With all defaults of the API server: a merge patch replaces the whole list. */
export const container = (image: string): Plain => ({
  name: 'main',
  image,
  imagePullPolicy: 'Always',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
});

const nodeClassRef = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' };
const requirements = [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }];
const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'Because',
  message: '',
  lastTransitionTime: '2026-11-15T12:00:00Z',
};
const labels = { app: 'web' };

const specimens: Readonly<Record<Case['kind'], Plain>> = {
  Node: {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { labels: { ...labels, 'karpenter.sh/nodepool': 'case-pool' } },
    spec: { podCIDR: '10.1.0.0/24' },
  },
  Pod: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', labels },
    spec: {
      automountServiceAccountToken: false,
      containers: [container('pause')],
      nodeName: 'case-leaving',
      terminationGracePeriodSeconds: 0,
    },
  },
  NodeClaim: {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      labels: { ...labels, 'karpenter.sh/nodepool': 'a' },
      annotations: { 'karpenter.sh/nodepool-hash': '123', 'karpenter.sh/nodepool-hash-version': 'v3' },
    },
    spec: { nodeClassRef, requirements },
  },
  NodePool: {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { labels },
    spec: { template: { spec: { nodeClassRef, requirements } } },
    status: { resources: { cpu: '1' }, conditions: [ready] },
  },
  MaintenanceWindow: {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'MaintenanceWindow',
    // As the API server fills it in.
    spec: { mode: 'Block', nodes: '0', note: 'them' },
  },
  PodDisruptionSchedule: {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'PodDisruptionSchedule',
    spec: { selector: { matchLabels: { app: 'trainer' } }, schedule: '0 2 * * 6', duration: '6h' },
  },
  HealthGate: {
    apiVersion: 'lull.dev/v1alpha1',
    kind: 'HealthGate',
    spec: {
      check: { manual: { healthy: true } },
      interval: '30s',
      failAfter: '0s',
      recoverAfter: '5m0s',
      onUnknown: 'Hold',
    },
  },
  DisruptionLedger: {
    apiVersion: 'lull.dev/v1alpha1',
    kind: 'DisruptionLedger',
    spec: { version: 1, commands: [] },
  },
  Lease: {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'lull-system' },
    spec: { holderIdentity: 'a', leaseDurationSeconds: 15 },
  },
  Event: {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: 'default' },
    involvedObject: { apiVersion: 'v1', kind: 'Node', name: 'case-node' },
    type: 'Normal',
    reason: 'Parked',
    message: 'it is parked',
    source: { component: 'lull' },
    reportingComponent: 'lull',
    reportingInstance: 'one',
    firstTimestamp: '2026-11-15T11:00:00Z',
    lastTimestamp: '2026-11-15T11:00:00Z',
    count: 1,
  },
  Deployment: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'lull-system' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container('pause')] } },
    },
  },
};

/** Kinds that Lull creates itself, or that have no fields of others. */
const bareKinds: ReadonlySet<Case['kind']> = new Set([
  'MaintenanceWindow',
  'DisruptionLedger',
  'Lease',
  'Event',
] as const);

const usualNames: Readonly<Partial<Record<Case['kind'], string>>> = { DisruptionLedger: 'lull', Lease: 'lull' };

/** Of the pool below, unless a server has assigned one. */
const offlineUid = 'uid-of-case-pool';

const taints = [{ key: 'example.com/spot', value: 'yes', effect: 'NoSchedule' }];

const poolSpec: Plain = {
  nodeClassRef,
  requirements: [
    ...requirements,
    { key: 'kubernetes.io/arch', operator: 'NotIn', values: ['arm64'] },
    { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a', 'b'] },
  ],
  taints,
  expireAfter: '720h',
  terminationGracePeriod: '1h',
};

const node = (name: string, more: Plain): Plain =>
  mergePatch(
    { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'karpenter.sh/nodepool': 'case-pool' } } },
    more,
  ) as Plain;

const disrupted = { spec: { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] } };

/** Nodes on which the pods run, and the pool for which claims are created. */
export const surroundings: readonly Plain[] = [
  node('case-leaving', disrupted),
  node('case-staying', {}),
  node('case-foreign', { metadata: { labels: null } }),
  {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: {
      name: 'case-pool',
      uid: offlineUid,
      annotations: { 'karpenter.sh/nodepool-hash': '77', 'karpenter.sh/nodepool-hash-version': 'v3' },
    },
    spec: {
      template: { metadata: { labels: { tier: 'web' }, annotations: { 'example.com/note': 'x' } }, spec: poolSpec },
    },
  },
];

/** As src/engine/commands/replacementClaim.ts creates it: restraintPlayed.test.ts checks its claims. */
const replacement = (uid: string): Plain => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: {
    labels: {
      tier: 'web',
      'kubernetes.io/os': 'linux',
      'topology.kubernetes.io/zone': 'a',
      'karpenter.sh/nodepool': 'case-pool',
    },
    annotations: {
      'example.com/note': 'x',
      'karpenter.sh/nodepool-hash': '77',
      'karpenter.sh/nodepool-hash-version': 'v3',
      'lull.dev/command': 'drifted-1',
    },
    ownerReferences: [
      { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: 'case-pool', uid, blockOwnerDeletion: true },
    ],
  },
  spec: {
    ...poolSpec,
    requirements: [
      ...requirements,
      { key: 'kubernetes.io/arch', operator: 'NotIn', values: ['arm64'] },
      { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a'] },
    ],
    resources: { requests: { cpu: '100m' } },
  },
});

/** The object before the case; the case's own fields are applied to it. */
export function specimenOf(each: Case, poolUid = offlineUid): Plain {
  const { kind, before = {}, name = usualNames[kind] ?? `case-${kind.toLowerCase()}`, of } = each;
  const specimen = of === undefined ? specimens[kind] : replacement(poolUid);
  const hasOthers = of === undefined && !bareKinds.has(kind) && !isBare(before);
  // A case without metadata means an object with unrelated annotations.
  const others = hasOthers ? { annotations: { 'example.com/team': 'a' } } : {};
  return [{ metadata: { name, ...others } }, before].reduce(mergePatch as Merge, specimen);
}

type Merge = (target: Plain, patch: Plain) => Plain;

const isBare = ({ metadata }: Plain): boolean => isMap(metadata) && Object.keys(metadata).length === 0;

/** RFC 7396. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result: Record<string, unknown> = isMap(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}
