// Cases of restraint on NodePools, windows and schedules, and on Lull's own objects: pause, ledger, lease, events, Deployment (N8, N9, Q5, N12).
import { acting, always, annotated, type Case, everyone, never, noon, type Plain, updates } from './case.ts';

const condition = (type: string, status: string): Plain => ({
  type,
  status,
  reason: 'Because',
  message: '',
  lastTransitionTime: noon,
});

const mirrored = { 'lull.dev/budgets-seen': '[]' };
const both = [condition('Ready', 'True'), condition('LullReady', 'True')];

export const nodePools: readonly Case[] = [
  ...updates('NodePool', [
    { it: 'has its budgets mirrored', change: annotated(mirrored), duties: acting },
    {
      it: 'loses the mirror of its budgets',
      before: annotated(mirrored),
      change: annotated({ 'lull.dev/budgets-seen': null }),
      duties: [...acting, 'release'],
    },
    { it: 'has its budgets changed', change: annotated({ 'lull.dev/budgets': '[]' }), duties: never },
    { it: 'gets another lifetime', change: annotated({ 'lull.dev/expire-after': '1h' }), duties: never },
    { it: 'gets an annotation that Lull never writes', change: annotated({ 'lull.dev/anything': '1' }), duties: never },
    { it: 'gets an unrelated annotation', change: annotated({ 'example.com/a': '1' }), duties: never },
    { it: 'gets a label', change: { metadata: { labels: { a: 'b' } } }, duties: never },
    { it: 'gets another weight', change: { spec: { weight: 50 } }, duties: never },
    { it: 'gets another budget', change: { spec: { disruption: { budgets: [{ nodes: '0' }] } } }, duties: never },
    {
      it: 'gets a Lull condition',
      subresource: 'status',
      change: { status: { conditions: both } },
      duties: always,
    },
    {
      it: 'loses a Lull condition',
      before: { status: { conditions: both } },
      subresource: 'status',
      change: { status: { conditions: [condition('Ready', 'True')] } },
      duties: everyone,
    },
    {
      it: 'has a Lull condition changed',
      before: { status: { conditions: both } },
      subresource: 'status',
      change: { status: { conditions: [condition('Ready', 'True'), condition('LullReady', 'False')] } },
      duties: always,
    },
    {
      it: 'gets a Lull condition as its first condition',
      before: { status: null },
      subresource: 'status',
      change: { status: { conditions: [condition('LullReady', 'True')], nodes: 0 } },
      duties: always,
    },
    {
      it: "loses the last condition, which was Lull's",
      before: { status: { resources: null, conditions: [condition('LullReady', 'True')] } },
      subresource: 'status',
      change: { status: null },
      duties: everyone,
    },
    { it: 'has status.nodes changed', subresource: 'status', change: { status: { nodes: 7 } }, duties: never },
    {
      it: 'loses an unrelated condition',
      subresource: 'status',
      change: { status: { conditions: [condition('LullReady', 'True')] } },
      duties: never,
    },
    {
      it: 'has an unrelated condition changed',
      subresource: 'status',
      change: { status: { conditions: [condition('Ready', 'False')] } },
      duties: never,
    },
    {
      it: 'has status.resources changed',
      subresource: 'status',
      change: { status: { resources: { cpu: '99' } } },
      duties: never,
    },
  ]),
  { it: 'is created', kind: 'NodePool', operation: 'CREATE', duties: never },
  { it: 'is deleted', kind: 'NodePool', operation: 'DELETE', duties: never },
];

const pause = { mode: 'Block', note: 'Ann: sale' };

const pauses = (operation: 'CREATE' | 'UPDATE'): readonly Case[] => {
  const verb = operation === 'CREATE' ? 'created' : 'changed';
  const shaped = (it: string, spec: Plain, duties: Case['duties']): Case => ({
    it: `lull-pause is ${verb} ${it}`,
    kind: 'MaintenanceWindow',
    name: 'lull-pause',
    operation,
    ...(operation === 'CREATE' ? { before: { spec } } : { change: { spec } }),
    duties,
  });
  return [
    shaped('with a note', pause, always),
    shaped('with an end', { ...pause, notAfter: noon }, always),
    shaped('so that it allows', { ...pause, mode: 'Allow' }, never),
    shaped('so that some nodes may be disrupted', { ...pause, nodes: '100%' }, never),
    shaped('for some nodes', { ...pause, selector: { matchLabels: { a: 'b' } } }, never),
    shaped('for one action', { ...pause, actions: ['Drift'] }, never),
    shaped('by a schedule', { ...pause, schedules: [{ cron: '0 9 * * *', duration: '1h' }] }, never),
    shaped('with a start date', { ...pause, notBefore: noon }, never),
  ];
};

const paused = { kind: 'MaintenanceWindow', name: 'lull-pause' } as const;

export const windows: readonly Case[] = [
  ...pauses('CREATE'),
  ...pauses('UPDATE'),
  {
    ...paused,
    it: 'lull-pause is created in the name of a user',
    operation: 'CREATE',
    before: annotated({ 'lull.dev/author': 'Ann' }),
    duties: always,
  },
  {
    ...paused,
    it: 'lull-pause gets another author',
    operation: 'UPDATE',
    change: { ...annotated({ 'lull.dev/author': 'Ben' }), spec: pause },
    duties: always,
  },
  {
    ...paused,
    it: 'lull-pause is created with an additional annotation',
    operation: 'CREATE',
    before: annotated({ 'example.com/a': '1' }),
    duties: never,
  },
  {
    ...paused,
    it: 'lull-pause is created with a label',
    operation: 'CREATE',
    before: { metadata: { labels: { a: 'b' } } },
    duties: never,
  },
  {
    ...paused,
    it: 'lull-pause is created with a finalizer, so that no user can end it',
    operation: 'CREATE',
    before: { metadata: { finalizers: ['example.com/stay'] } },
    duties: never,
  },
  {
    ...paused,
    it: 'lull-pause gets a finalizer',
    operation: 'UPDATE',
    change: { metadata: { finalizers: ['example.com/stay'] } },
    duties: never,
  },
  { ...paused, it: 'lull-pause is deleted', operation: 'DELETE', duties: everyone },
  { it: 'another is created', kind: 'MaintenanceWindow', operation: 'CREATE', duties: never },
  ...updates('MaintenanceWindow', [
    { it: 'another is changed', change: { spec: { note: 'Ann' } }, duties: never },
    { it: 'another gets a status', subresource: 'status', change: { status: { open: true } }, duties: always },
    {
      it: 'another loses its status',
      before: { status: { open: true, conditions: [condition('Ready', 'True')] } },
      subresource: 'status',
      change: { status: null },
      duties: everyone,
    },
  ]),
  { it: 'another is deleted', kind: 'MaintenanceWindow', operation: 'DELETE', duties: never },
  ...updates('PodDisruptionSchedule', [
    { it: 'is changed', change: { spec: { duration: '1h' } }, duties: never },
    { it: 'gets a status', subresource: 'status', change: { status: { open: true } }, duties: always },
    {
      it: 'loses its status',
      before: { status: { open: true } },
      subresource: 'status',
      change: { status: null },
      duties: everyone,
    },
  ]),
  { it: 'is deleted', kind: 'PodDisruptionSchedule', operation: 'DELETE', duties: never },
  ...updates('HealthGate', [
    { it: 'is changed', change: { spec: { onUnknown: 'Ignore' } }, duties: never },
    { it: 'has a result', subresource: 'status', change: { status: { state: 'Healthy' } }, duties: always },
  ]),
  { it: 'is created', kind: 'HealthGate', operation: 'CREATE', duties: never },
  { it: 'is deleted', kind: 'HealthGate', operation: 'DELETE', duties: never },
];

const theirs = { source: { component: 'kubelet' }, reportingComponent: 'kubelet' };

export const own: readonly Case[] = [
  { it: 'is created', kind: 'DisruptionLedger', operation: 'CREATE', duties: acting },
  {
    it: 'is created with a finalizer',
    kind: 'DisruptionLedger',
    operation: 'CREATE',
    before: { metadata: { finalizers: ['example.com/stay'] } },
    duties: never,
  },
  ...updates('DisruptionLedger', [
    { it: 'is written', change: { spec: { seen: { Node: '5' } } }, duties: acting },
    { it: 'gets a finalizer', change: { metadata: { finalizers: ['example.com/stay'] } }, duties: never },
    { it: 'gets an annotation', change: annotated({ 'example.com/a': '1' }), duties: never },
  ]),
  { it: 'is deleted', kind: 'DisruptionLedger', operation: 'DELETE', duties: ['release'] },
  { it: 'is created', kind: 'Lease', operation: 'CREATE', duties: always },
  { it: 'is renewed', kind: 'Lease', operation: 'UPDATE', change: { spec: { holderIdentity: 'b' } }, duties: everyone },
  {
    it: 'records which settings are in force',
    kind: 'Lease',
    operation: 'UPDATE',
    change: annotated({ 'lull.dev/settings': '{}' }),
    duties: everyone,
  },
  {
    it: 'gets a label',
    kind: 'Lease',
    operation: 'UPDATE',
    change: { metadata: { labels: { a: 'b' } } },
    duties: never,
  },
  { it: 'is deleted', kind: 'Lease', operation: 'DELETE', duties: ['release'] },
  { it: 'of another name is created', kind: 'Lease', operation: 'CREATE', name: 'other', duties: never },
  {
    it: 'of another name is taken over',
    kind: 'Lease',
    operation: 'UPDATE',
    name: 'other',
    change: { spec: { holderIdentity: 'b' } },
    duties: never,
  },
  { it: 'is created', kind: 'Event', operation: 'CREATE', duties: everyone },
  {
    it: 'is created in the name of another component',
    kind: 'Event',
    operation: 'CREATE',
    before: theirs,
    duties: never,
  },
  ...updates('Event', [
    { it: 'is repeated', change: { count: 2, message: 'again', lastTimestamp: noon }, duties: everyone },
    { it: 'gets another reason', change: { reason: 'AllWell' }, duties: never },
    {
      it: 'of another component gets another message',
      before: theirs,
      change: { message: 'all is well' },
      duties: never,
    },
    { it: 'of another component is claimed', before: theirs, change: { source: { component: 'lull' } }, duties: never },
  ]),
  { it: 'is deleted', kind: 'Event', operation: 'DELETE', duties: never },
];

const scaled = (replicas: number): Omit<Case, 'it' | 'duties'> => ({
  kind: 'Deployment',
  operation: 'UPDATE',
  subresource: 'scale',
  change: { spec: { replicas } },
});

/** By RBAC Lull itself may not write Deployments, so that no policy is needed; the job may stop Lull's. */
export const deployments: readonly Case[] = [
  { ...scaled(0), it: 'is stopped', duties: everyone },
  { ...scaled(50), it: 'is scaled up', duties: always },
  {
    it: 'gets another image',
    kind: 'Deployment',
    operation: 'UPDATE',
    change: { spec: { template: { metadata: { labels: { b: 'c' } } } } },
    duties: always,
  },
];
