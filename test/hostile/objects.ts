// Clusters just large enough for a rule to apply.
import type { Json } from './json.ts';

const since = '2026-01-01T00:00:00Z';

export const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const pool = (spec: Json = {}, annotations: Json = {}): Json => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'p', annotations },
  spec,
});

export const budgeted = (...budgets: unknown[]): Json => pool({ disruption: { budgets } });

/** A drifted node of the pool, with its claim. */
export const drifted = (name: string, labels: Json = {}): Json[] => [
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      creationTimestamp: since,
      labels: { 'karpenter.sh/nodepool': 'p', 'karpenter.sh/initialized': 'true', ...labels },
    },
    spec: { providerID: name },
    status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: since }] },
  },
  {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: `claim-of-${name}`.slice(0, 200),
      creationTimestamp: since,
      labels: { 'karpenter.sh/nodepool': 'p' },
    },
    status: {
      nodeName: name,
      providerID: name,
      conditions: ['Drifted', 'Initialized'].map((type) => ({ type, status: 'True', lastTransitionTime: since })),
    },
  },
];

export const window = (spec: Json, name = 'w'): Json => ({
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'MaintenanceWindow',
  metadata: { name },
  spec,
});

export const scheduled = (schedule: Json): Json =>
  window({ schedules: [{ cron: '0 9 * * *', duration: '1h', ...schedule }] });

export const podSchedule = (spec: Json, name = 's'): Json => ({
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'PodDisruptionSchedule',
  metadata: { name },
  spec: { schedule: '0 2 * * 6', duration: '4h', ...spec },
});

export const pod = (annotations: Json = {}, name = 'web'): Json => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', annotations },
  spec: { nodeName: 'n1' },
  status: { phase: 'Running', startTime: since },
});

export const pdb = (spec: Json): Json => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web', namespace: 'shop' },
  spec,
});

export const ledger = (spec: Json): Json => ({
  apiVersion: 'lull.dev/v1alpha1',
  kind: 'DisruptionLedger',
  metadata: { name: 'lull' },
  spec,
});

export const command = (index: number): Json => ({
  id: `c${index}`,
  reason: 'Drifted',
  pool: 'p',
  hands: 'lull',
  nodes: [{ name: `gone${index}` }],
  step: 'tainted',
  startedAt: '2026-11-17T10:00:00Z',
  stepAt: '2026-11-17T10:00:00Z',
});

/** One object per line: read at once, whatever it contains. */
export const lines = (...objects: readonly Json[]): string =>
  objects.map((object) => JSON.stringify(object)).join('\n');

/** With a pool and two nodes to decide about. */
export const inCluster = (...objects: readonly Json[]): string =>
  lines(pool(), ...drifted('n1'), ...drifted('n2'), ...objects);
