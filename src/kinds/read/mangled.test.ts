// Whatever an object holds, reading it gives a record or nothing, never an exception.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ReadResult, readObject } from '../readObject.ts';
import { readSettings } from '../readSettings.ts';
import { readDocuments } from '../text/documents.ts';
import { writeLedger } from './disruptionLedger.ts';

const at = '2026-11-15T10:00:00Z';
const metadata = {
  name: 'x',
  namespace: 'ns',
  uid: 'u',
  creationTimestamp: at,
  deletionTimestamp: at,
  deletionGracePeriodSeconds: 30,
  labels: { a: 'b' },
  annotations: {
    'karpenter.sh/do-not-disrupt': '8h',
    'karpenter.sh/do-not-disrupt-reasons': 'Empty',
    'karpenter.sh/do-not-repair': 'true',
    'karpenter.sh/disruption-schedule': '0 2 * * 6;@daily',
    'karpenter.sh/disruption-schedule-duration': '4h;1h',
    'karpenter.sh/disruption-schedule-timezone': 'Europe/Berlin',
    'karpenter.sh/disruption-block-schedule': '0 2 * * 0',
    'karpenter.sh/disruption-cost': '7',
    'lull.dev/hold': 'why',
    'lull.dev/expire-after': '24h',
  },
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u', controller: true }],
};
const requirement = { key: 'zone', operator: 'In', values: ['a'] };
const selector = { matchLabels: { app: 'a' }, matchExpressions: [requirement] };
const resources = { requests: { cpu: '1', memory: '1Gi' } };
const podTerm = {
  topologyKey: 'zone',
  labelSelector: selector,
  namespaces: ['a'],
  namespaceSelector: selector,
  matchLabelKeys: ['a'],
  mismatchLabelKeys: ['b'],
};
const podAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution: [podTerm],
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: podTerm }],
};
const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: at, reason: 'R', message: 'm' }];
const budget = {
  nodes: '10%',
  reasons: ['Drifted'],
  schedule: '0 9 * * *',
  duration: '8h',
  timeZone: 'UTC',
  topologyKey: 'zone',
  sequential: true,
  settle: '1m',
  patience: '1h',
};
const nodeSpec = {
  taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }],
  requirements: [requirement],
  nodeClassRef: { group: 'g', kind: 'K', name: 'n' },
  expireAfter: '720h',
  terminationGracePeriod: '1h',
};
const ledger = writeLedger({ version: 1, commands: [], turns: [], backoffs: [] });

/** A hold is for nodes. */
const poolMetadata = { ...metadata, annotations: { 'lull.dev/expire-after': '24h' } };

const whole: Record<string, unknown>[] = [
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata,
    spec: { providerID: 'p', unschedulable: true, taints: nodeSpec.taints },
    status: { conditions, allocatable: { cpu: '4' } },
  },
  {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata,
    spec: nodeSpec,
    status: { conditions, nodeName: 'n', providerID: 'p', lastPodEventTime: at },
  },
  {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: poolMetadata,
    spec: {
      weight: 1,
      replicas: 1,
      limits: { cpu: '10' },
      disruption: {
        budgets: [budget, { maxUnavailable: 1, crontab: '@daily', duration: '1h', reason: 'drift' }],
        consolidateAfter: '1m',
        consolidationPolicy: 'WhenEmpty',
        expireAfter: '24h',
        repairAfter: '10m',
      },
      template: { metadata: { labels: { a: 'b' } }, spec: nodeSpec },
    },
    status: { conditions },
  },
  {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { ...metadata, annotations: { 'lull.dev/budgets': '[{"nodes": "1"}]' } },
  },
  {
    apiVersion: 'karpenter.sh/v1alpha5',
    kind: 'Provisioner',
    metadata: poolMetadata,
    spec: {
      ...nodeSpec,
      labels: { a: 'b' },
      ttlSecondsAfterEmpty: 30,
      ttlSecondsUntilExpired: 60,
      ttlAfterCreated: '1d',
      ttlAfterNotReady: '30m',
      consolidation: { enabled: false },
      limits: { resources: { cpu: '1' } },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: {
      nodeName: 'n',
      priority: 5,
      containers: [{ name: 'c', resources, ports: [{ hostPort: 80, hostIP: '1.2.3.4', protocol: 'UDP' }] }],
      initContainers: [{ resources, restartPolicy: 'Always' }],
      overhead: { cpu: '1' },
      resources,
      tolerations: [{ key: 'k', operator: 'Exists' }],
      nodeSelector: { a: 'b' },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [requirement], matchFields: [requirement] }],
          },
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, preference: { matchExpressions: [requirement] } },
          ],
        },
        podAffinity,
        podAntiAffinity: podAffinity,
      },
      topologySpreadConstraints: [
        { topologyKey: 'zone', maxSkew: 1, minDomains: 2, labelSelector: selector, matchLabelKeys: ['a'] },
      ],
      hostNetwork: true,
      volumes: [
        { name: 'v', persistentVolumeClaim: { claimName: 'c' } },
        { name: 'e', ephemeral: { volumeClaimTemplate: {} } },
      ],
    },
    status: {
      phase: 'Running',
      startTime: at,
      conditions,
      containerStatuses: [{ name: 'c', resources: { requests: { cpu: '2' } }, allocatedResources: { cpu: '1' } }],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata,
    spec: { volumeName: 'v', storageClassName: 's', accessModes: ['ReadWriteOncePod'] },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata,
    spec: {
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [requirement] }] } },
      csi: { driver: 'd', volumeHandle: 'h' },
    },
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata,
    provisioner: 'd',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }],
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata,
    spec: { drivers: [{ name: 'd', allocatable: { count: 3 } }] },
  },
  {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata,
    spec: { template: { spec: { containers: [{ resources }], tolerations: [{ operator: 'Exists' }] } } },
  },
  {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata,
    spec: { selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    status: { disruptionsAllowed: 1 },
  },
  {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'MaintenanceWindow',
    metadata,
    spec: {
      schedules: [{ cron: '0 9 * * *', duration: '1h', timeZone: 'UTC' }],
      actions: ['Drift'],
      selector,
      mode: 'Allow',
      notBefore: at,
      notAfter: '2027-11-15T10:00:00Z',
      nodes: '10%',
      note: 'n',
    },
  },
  {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'PodDisruptionSchedule',
    metadata,
    spec: {
      selector,
      namespaceSelector: selector,
      schedule: '0 2 * * 6',
      duration: '4h',
      timeZone: 'UTC',
      mode: 'Block',
    },
  },
  { apiVersion: 'v1', kind: 'Namespace', metadata },
  {
    ...ledger,
    metadata,
    spec: {
      version: 1,
      commands: [{ id: 'x', nodes: [{ name: 'n' }] }],
      turns: [{}],
      backoffs: [{ pool: 'p', until: at, delay: '1m' }],
    },
  },
];

const strange = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    true,
    false,
    0,
    -1,
    1.5,
    2 ** 53,
    NaN,
    Infinity,
    '',
    ' ',
    'x',
    '10%',
    '-5m',
    '9999999h',
    '* * * * *',
    [],
    {},
    [null],
    [[]],
    [5],
    { a: null },
    { a: [] },
    '\u0000',
    '__proto__',
    'constructor',
  ),
  fc.anything({ maxDepth: 2 }),
);

/** fast-check prefers small numbers, which would replace nearly everything near the root. */
const evenly = fc.infiniteStream(fc.noBias(fc.nat({ max: 999 })));
const share = 60;

/** The same object with strange values at some of its paths. */
function mangle(object: object, seeds: readonly unknown[], pick: () => number): unknown {
  const inside = (value: unknown): unknown => {
    if (pick() < share) return seeds[pick() % seeds.length];
    return typeof value === 'object' && value !== null ? mangle(value, seeds, pick) : value;
  };
  if (Array.isArray(object)) return object.map(inside);
  const keep = new Set(['kind', 'apiVersion']);
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, keep.has(key) ? value : inside(value)]));
}

const mangled = fc
  .tuple(fc.constantFrom(...whole), fc.array(strange, { minLength: 1, maxLength: 6 }), evenly)
  .map(([object, seeds, stream]) => mangle(object, seeds, () => stream.next().value));

function check(result: ReadResult): void {
  if (result.kind === 'ignored') return;
  expect(result.record).toBeDefined();
  const said = result.faults.map((fault) => `${fault.path}: ${fault.message}`);
  expect(new Set(said).size).toBe(said.length);
  // What is wrong, then what would be right.
  for (const fault of result.faults) expect(fault.message).toMatch(/\S[.:] .*\S[.?]$/s);
}

describe('K1: nothing throws', () => {
  it.each(whole.map((object) => ({ object })))('$object.kind is sound as written', ({ object }) => {
    const result = readObject(object);
    expect(result.kind).not.toBe('ignored');
    check(result);
  });

  it('for objects with anything anywhere', () => {
    fc.assert(
      fc.property(mangled, (object) => check(readObject(object))),
      { numRuns: 3000, seed: 7 },
    );
  });

  it('for anything at all', () => {
    fc.assert(
      fc.property(fc.anything(), (object) => check(readObject(object))),
      { numRuns: 500, seed: 7 },
    );
    expect(readObject({ kind: 'constructor' })).toEqual({ kind: 'ignored' });
  });

  it('for settings with anything anywhere', () => {
    const settings = {
      role: 'guide',
      pools: selector,
      expireLead: 'auto',
      repairBreaker: '20%',
      catalogue: [{ name: 'n', cpu: '1', offerings: [{ zone: 'a', capacityType: 'c', price: 1 }] }],
    };
    const changed = fc
      .tuple(fc.array(strange, { minLength: 1 }), evenly)
      .map(([seeds, stream]) => mangle(settings, seeds, () => stream.next().value));
    fc.assert(
      fc.property(changed, fc.array(fc.string()), (file, pairs) => {
        readSettings(file, pairs);
      }),
      { numRuns: 1000, seed: 7 },
    );
  });

  it('for texts of any kind', () => {
    const piece = fc.constantFrom(
      'kind: Pod\n',
      '- ',
      ': ',
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      '\n',
      '\t',
      '---\n',
      '&a ',
      '*a ',
      '# ',
      '| \n',
      'a',
      '1',
      '<<: ',
      '!!x ',
      '\u0000',
      '{"kind":"Pod"}\n',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const { documents, errors } = readDocuments(pieces.join(''), 'f');
        for (const document of documents) document.position('metadata.labels[a/b][0].c');
        for (const error of errors)
          expect(error).toMatchObject({ file: 'f', line: expect.any(Number), message: expect.stringMatching(/\. \S/) });
      }),
      { numRuns: 3000, seed: 7 },
    );
  });
});
