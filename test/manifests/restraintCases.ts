// What may Lull do to which object, and what not (N12)? One table for the rules by themselves and for the real API server.

export type Role = 'observe' | 'guide' | 'drive';
export type Plain = Readonly<Record<string, unknown>>;

export interface Case {
  readonly it: string;
  readonly kind: 'Node' | 'Pod' | 'NodeClaim' | 'NodePool' | 'MaintenanceWindow';
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly subresource?: 'status' | 'eviction';
  /** Beyond what every object of the kind has: annotations, and fields of its spec. */
  readonly before?: Plain;
  /** A merge patch: null takes a field away. */
  readonly change?: Plain;
  /** Another name than the usual. */
  readonly name?: string;
  /** In which roles it is allowed; none = never. */
  readonly roles: readonly Role[];
}

/** With all that the API server would fill in: a merge patch replaces the whole list. */
export const container = (image: string): Plain => ({
  name: 'main',
  image,
  imagePullPolicy: 'Always',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
});

const acting: readonly Role[] = ['guide', 'drive'];
const always: readonly Role[] = ['observe', 'guide', 'drive'];
const never: readonly Role[] = [];

const annotated = (annotations: Plain): Plain => ({ metadata: { annotations } });
const ours = { key: 'lull.dev/disrupted', value: 'drifted-1', effect: 'NoSchedule' };
const theirs = { key: 'example.com/spot', value: 'yes', effect: 'NoSchedule' };
const noon = '2026-11-15T12:00:00Z';
const parked = { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': noon };
const unparked = { 'karpenter.sh/do-not-disrupt': null, 'lull.dev/parked': null };
const keptBefore = 'lull.dev/do-not-disrupt-before';

/** The same for nodes and pods (N2, N5). */
const parking = (kind: 'Node' | 'Pod'): readonly Case[] =>
  (
    [
      { it: 'is parked where nothing stood', before: { metadata: {} }, change: annotated(parked), roles: always },
      { it: 'is parked beside the annotations of others', change: annotated(parked), roles: always },
      { it: 'is offered', before: annotated(parked), change: annotated(unparked), roles: always },
      {
        it: 'is parked again, where somebody took do-not-disrupt off',
        before: annotated({ 'lull.dev/parked': noon }),
        change: annotated(parked),
        roles: always,
      },
      {
        it: "is parked over a user's duration, which is kept",
        before: annotated({ 'karpenter.sh/do-not-disrupt': '2h' }),
        change: annotated({ ...parked, [keptBefore]: '2h' }),
        roles: always,
      },
      {
        it: "is parked over a user's duration, which is lost",
        before: annotated({ 'karpenter.sh/do-not-disrupt': '2h' }),
        change: annotated(parked),
        roles: never,
      },
      {
        it: "gets a user's duration back",
        before: annotated({ ...parked, [keptBefore]: '2h' }),
        change: annotated({ 'karpenter.sh/do-not-disrupt': '2h', 'lull.dev/parked': null, [keptBefore]: null }),
        roles: always,
      },
      {
        it: "does not get a user's duration back",
        before: annotated({ ...parked, [keptBefore]: '2h' }),
        change: annotated({ ...unparked, [keptBefore]: null }),
        roles: never,
      },
      {
        it: "loses a user's opt-out",
        before: annotated({ 'karpenter.sh/do-not-disrupt': 'true' }),
        change: annotated({ 'karpenter.sh/do-not-disrupt': null }),
        roles: never,
      },
      {
        it: "has a user's opt-out claimed as Lull's",
        before: annotated({ 'karpenter.sh/do-not-disrupt': 'true' }),
        change: annotated({ 'lull.dev/parked': noon }),
        roles: never,
      },
      {
        it: 'is opted out without the marker',
        change: annotated({ 'karpenter.sh/do-not-disrupt': 'true' }),
        roles: never,
      },
      { it: 'gets an annotation of others', change: annotated({ 'example.com/a': '1' }), roles: never },
      { it: 'loses an annotation of others', change: annotated({ 'example.com/team': null }), roles: never },
      { it: 'has an annotation of others changed', change: annotated({ 'example.com/team': 'b' }), roles: never },
      { it: 'is held, which only people do', change: annotated({ 'lull.dev/hold': 'mine' }), roles: never },
      {
        it: "loses a person's hold",
        before: annotated({ 'lull.dev/hold': 'Ann' }),
        change: annotated({ 'lull.dev/hold': null }),
        roles: never,
      },
      { it: 'gets a label', change: { metadata: { labels: { a: 'b' } } }, roles: never },
      { it: 'loses a label', change: { metadata: { labels: { app: null } } }, roles: never },
      { it: 'gets a finalizer', change: { metadata: { finalizers: ['example.com/stay'] } }, roles: never },
    ] as const
  ).map((it) => ({ kind, operation: 'UPDATE', ...it }));

const nodes: readonly Case[] = [
  ...parking('Node'),
  ...(
    [
      { it: 'is marked as leaving', change: { spec: { taints: [ours] } }, roles: always },
      {
        it: 'is marked as leaving beside taints of others',
        before: { spec: { taints: [theirs] } },
        change: { spec: { taints: [theirs, ours] } },
        roles: always,
      },
      { it: 'is unmarked', before: { spec: { taints: [ours] } }, change: { spec: { taints: null } }, roles: always },
      {
        it: 'is unmarked beside taints of others',
        before: { spec: { taints: [ours, theirs] } },
        change: { spec: { taints: [theirs] } },
        roles: always,
      },
      { it: 'gets a taint of others', change: { spec: { taints: [theirs] } }, roles: never },
      {
        it: 'loses a taint of others with ours',
        before: { spec: { taints: [ours, theirs] } },
        change: { spec: { taints: [] } },
        roles: never,
      },
      {
        it: 'has a taint of others changed',
        before: { spec: { taints: [theirs] } },
        change: { spec: { taints: [{ ...theirs, effect: 'PreferNoSchedule' }, ours] } },
        roles: never,
      },
      {
        it: 'is marked so that pods are thrown out',
        change: { spec: { taints: [{ ...ours, effect: 'NoExecute' }] } },
        roles: never,
      },
      { it: 'is cordoned', change: { spec: { unschedulable: true } }, roles: never },
      { it: 'gets a provider id', change: { spec: { providerID: 'kwok://other' } }, roles: never },
    ] as const
  ).map((it): Case => ({ kind: 'Node', operation: 'UPDATE', ...it })),
  {
    it: 'says it is well',
    kind: 'Node',
    operation: 'UPDATE',
    subresource: 'status',
    change: { status: { nodeInfo: { kubeletVersion: 'v9' } } },
    roles: never,
  },
  { it: 'is made', kind: 'Node', operation: 'CREATE', roles: never },
  { it: 'is deleted', kind: 'Node', operation: 'DELETE', roles: ['drive'] },
];

const pods: readonly Case[] = [
  ...parking('Pod'),
  ...(
    [
      { it: 'is given less time', change: { spec: { activeDeadlineSeconds: 5 } }, roles: never },
      {
        it: 'gets another image',
        change: { spec: { containers: [container('other')] } },
        roles: never,
      },
      { it: 'says it has failed', subresource: 'status', change: { status: { phase: 'Failed' } }, roles: never },
    ] as const
  ).map((it): Case => ({ kind: 'Pod', operation: 'UPDATE', ...it })),
  { it: 'is made', kind: 'Pod', operation: 'CREATE', roles: never },
  { it: 'is deleted', kind: 'Pod', operation: 'DELETE', roles: acting },
  { it: 'is evicted', kind: 'Pod', operation: 'CREATE', subresource: 'eviction', roles: ['drive'] },
];

const hash = 'karpenter.sh/nodepool-hash';
const hashBefore = 'lull.dev/nodepool-hash-before';
const deadline = 'karpenter.sh/nodeclaim-termination-timestamp';

const nodeClaims: readonly Case[] = [
  ...(
    [
      { it: 'is nudged', change: annotated({ [hash]: 'lull-x', [hashBefore]: '123' }), roles: always },
      {
        it: 'gets its hash back',
        before: annotated({ [hash]: 'lull-x', [hashBefore]: '123' }),
        change: annotated({ [hash]: '123', [hashBefore]: null }),
        roles: always,
      },
      { it: 'is nudged, and its hash lost', change: annotated({ [hash]: 'lull-x' }), roles: never },
      {
        it: 'is nudged, and another hash kept',
        change: annotated({ [hash]: 'lull-x', [hashBefore]: '9' }),
        roles: never,
      },
      {
        it: 'gets another hash back',
        before: annotated({ [hash]: 'lull-x', [hashBefore]: '123' }),
        change: annotated({ [hash]: '9', [hashBefore]: null }),
        roles: never,
      },
      { it: 'loses its hash', change: annotated({ [hash]: null }), roles: never },
      { it: 'gets a deadline', change: annotated({ [deadline]: noon }), roles: ['drive'] },
      {
        it: 'loses its deadline',
        before: annotated({ [deadline]: noon }),
        change: annotated({ [deadline]: null }),
        roles: always,
      },
      { it: 'that was born parked is released', before: annotated(parked), change: annotated(unparked), roles: always },
      {
        it: "that was born parked over a template's duration gets it back",
        before: annotated({ ...parked, 'lull.dev/parked': 'at-birth', [keptBefore]: '2h' }),
        change: annotated({ 'karpenter.sh/do-not-disrupt': '2h', 'lull.dev/parked': null, [keptBefore]: null }),
        roles: always,
      },
      {
        it: "that was born parked over a template's duration loses it",
        before: annotated({ ...parked, 'lull.dev/parked': 'at-birth', [keptBefore]: '2h' }),
        change: annotated({ ...unparked, [keptBefore]: null }),
        roles: never,
      },
      {
        it: "loses a user's opt-out",
        before: annotated({ 'karpenter.sh/do-not-disrupt': 'true' }),
        change: annotated({ 'karpenter.sh/do-not-disrupt': null }),
        roles: never,
      },
      {
        it: 'has the version of its hash changed',
        change: annotated({ 'karpenter.sh/nodepool-hash-version': 'v9' }),
        roles: never,
      },
      { it: 'moves to another pool', change: { metadata: { labels: { 'karpenter.sh/nodepool': 'b' } } }, roles: never },
      { it: 'gets a finalizer', change: { metadata: { finalizers: ['example.com/stay'] } }, roles: never },
      { it: 'is said to be drifted', subresource: 'status', change: { status: { nodeName: 'other' } }, roles: never },
    ] as const
  ).map((it): Case => ({ kind: 'NodeClaim', operation: 'UPDATE', ...it })),
  {
    it: 'is made, and says by whom',
    kind: 'NodeClaim',
    operation: 'CREATE',
    before: annotated({ 'lull.dev/command': 'drifted-1' }),
    roles: ['drive'],
  },
  { it: 'is made, and does not say by whom', kind: 'NodeClaim', operation: 'CREATE', roles: never },
  { it: 'is deleted', kind: 'NodeClaim', operation: 'DELETE', roles: ['drive'] },
];

const condition = (type: string, status: string): Plain => ({
  type,
  status,
  reason: 'Because',
  message: '',
  lastTransitionTime: noon,
});

const nodePools: readonly Case[] = [
  ...(
    [
      { it: 'has its budgets mirrored', change: annotated({ 'lull.dev/budgets-seen': '[]' }), roles: always },
      { it: 'has its budgets changed', change: annotated({ 'lull.dev/budgets': '[]' }), roles: never },
      { it: 'gets an annotation of others', change: annotated({ 'example.com/a': '1' }), roles: never },
      { it: 'gets a label', change: { metadata: { labels: { a: 'b' } } }, roles: never },
      { it: 'gets another weight', change: { spec: { weight: 50 } }, roles: never },
      { it: 'gets another budget', change: { spec: { disruption: { budgets: [{ nodes: '0' }] } } }, roles: never },
      {
        it: "gets a condition of Lull's",
        subresource: 'status',
        change: { status: { conditions: [condition('Ready', 'True'), condition('LullReady', 'True')] } },
        roles: always,
      },
      {
        it: "gets a condition of Lull's as the first of all",
        before: { status: null },
        subresource: 'status',
        change: { status: { conditions: [condition('LullReady', 'True')], nodes: 0 } },
        roles: always,
      },
      {
        it: "loses the last condition, which was Lull's",
        before: { status: { resources: null, conditions: [condition('LullReady', 'True')] } },
        subresource: 'status',
        change: { status: null },
        roles: always,
      },
      {
        it: 'is said to have other nodes',
        subresource: 'status',
        change: { status: { nodes: 7 } },
        roles: never,
      },
      {
        it: 'loses a condition of others',
        subresource: 'status',
        change: { status: { conditions: [condition('LullReady', 'True')] } },
        roles: never,
      },
      {
        it: 'has a condition of others changed',
        subresource: 'status',
        change: { status: { conditions: [condition('Ready', 'False')] } },
        roles: never,
      },
      {
        it: 'is said to hold other resources',
        subresource: 'status',
        change: { status: { resources: { cpu: '99' } } },
        roles: never,
      },
    ] as const
  ).map((it): Case => ({ kind: 'NodePool', operation: 'UPDATE', ...it })),
  { it: 'is made', kind: 'NodePool', operation: 'CREATE', roles: never },
  { it: 'is deleted', kind: 'NodePool', operation: 'DELETE', roles: never },
];

const windows: readonly Case[] = [
  { it: 'lull-pause is made', kind: 'MaintenanceWindow', operation: 'CREATE', name: 'lull-pause', roles: always },
  {
    it: 'lull-pause is changed',
    kind: 'MaintenanceWindow',
    operation: 'UPDATE',
    name: 'lull-pause',
    change: { spec: { note: 'Ann' } },
    roles: always,
  },
  { it: 'lull-pause is deleted', kind: 'MaintenanceWindow', operation: 'DELETE', name: 'lull-pause', roles: always },
  { it: 'another is made', kind: 'MaintenanceWindow', operation: 'CREATE', roles: never },
  {
    it: 'another is changed',
    kind: 'MaintenanceWindow',
    operation: 'UPDATE',
    change: { spec: { note: 'Ann' } },
    roles: never,
  },
  { it: 'another is deleted', kind: 'MaintenanceWindow', operation: 'DELETE', roles: never },
  {
    it: 'another says what it holds',
    kind: 'MaintenanceWindow',
    operation: 'UPDATE',
    subresource: 'status',
    change: { status: { open: true } },
    roles: always,
  },
];

export const restraintCases: readonly Case[] = [...nodes, ...pods, ...nodeClaims, ...nodePools, ...windows];
