// Cases of restraint on Nodes and Pods: parking, taints, evictions and deletions (N2, N5, G6, H2, N12).
import {
  acting,
  always,
  annotated,
  type Case,
  type Duty,
  kept,
  keptBefore,
  marker,
  never,
  noon,
  type Plain,
  parked,
  unparked,
  updates,
} from './case.ts';
import { container } from './specimens.ts';

const ours = { key: 'lull.dev/disrupted', value: 'drifted-1', effect: 'NoSchedule' };
const theirs = { key: 'example.com/spot', value: 'yes', effect: 'NoSchedule' };

interface Parking {
  readonly parks: readonly Duty[];
  readonly unparks: readonly Duty[];
}

const durationKept = { ...parked, [keptBefore]: '2h' };
const restored = { [kept]: '2h', [marker]: null, [keptBefore]: null };

/** The same for nodes and pods (N2, N5). */
const parking = (kind: 'Node' | 'Pod', { parks, unparks }: Parking): readonly Case[] =>
  updates(kind, [
    { it: 'is parked without other annotations', before: { metadata: {} }, change: annotated(parked), duties: parks },
    { it: 'is parked beside other annotations', change: annotated(parked), duties: parks },
    { it: 'is offered', before: annotated(parked), change: annotated(unparked), duties: unparks },
    {
      it: 'is parked again after a user removed do-not-disrupt',
      before: annotated({ [marker]: noon }),
      change: annotated(parked),
      duties: parks,
    },
    {
      it: 'is parked again after a user wrote another value',
      before: annotated({ [marker]: noon, [kept]: '5h', [keptBefore]: '2h' }),
      change: annotated({ ...parked, [keptBefore]: '5h' }),
      duties: parks,
    },
    {
      it: "is parked again, and a user's newer value is lost",
      before: annotated({ [marker]: noon, [kept]: '5h', [keptBefore]: '2h' }),
      change: annotated({ [kept]: 'true' }),
      duties: never,
    },
    {
      it: 'is offered, and the value that a user wrote stays',
      before: annotated({ [marker]: noon, [kept]: '5h', [keptBefore]: '2h' }),
      change: annotated({ [marker]: null, [keptBefore]: null }),
      duties: unparks,
    },
    {
      it: "is parked over a user's duration, which is kept",
      before: annotated({ [kept]: '2h' }),
      change: annotated(durationKept),
      duties: parks,
    },
    {
      it: "is parked over a user's duration, which is lost",
      before: annotated({ [kept]: '2h' }),
      change: annotated(parked),
      duties: never,
    },
    {
      it: "is parked over a user's duration, and another is kept",
      before: annotated({ [kept]: '2h' }),
      change: annotated({ ...parked, [keptBefore]: '9h' }),
      duties: never,
    },
    { it: 'is parked, and a duration is kept that no user wrote', change: annotated(durationKept), duties: never },
    {
      it: "gets a user's duration back",
      before: annotated(durationKept),
      change: annotated(restored),
      duties: unparks,
    },
    {
      it: "does not get a user's duration back",
      before: annotated(durationKept),
      change: annotated({ ...unparked, [keptBefore]: null }),
      duties: never,
    },
    {
      it: "loses a user's duration while it is parked: the first of two steps",
      before: annotated(durationKept),
      change: annotated({ [keptBefore]: null }),
      duties: never,
    },
    {
      it: "has a user's duration changed while it is parked: the first of two steps",
      before: annotated(durationKept),
      change: annotated({ [keptBefore]: '1s' }),
      duties: never,
    },
    {
      it: 'is parked, and a duration is written beside it: the first of two steps to an opt-out',
      before: annotated(parked),
      change: annotated({ [keptBefore]: 'true' }),
      duties: never,
    },
    {
      it: 'loses only the marker, so that the opt-out looks like a user’s',
      before: annotated(parked),
      change: annotated({ [marker]: null }),
      duties: never,
    },
    {
      it: 'loses only do-not-disrupt',
      before: annotated(parked),
      change: annotated({ [kept]: null }),
      duties: never,
    },
    {
      it: 'has the time of its parking changed',
      before: annotated(parked),
      change: annotated({ [marker]: '2020-01-01T00:00:00Z' }),
      duties: never,
    },
    {
      it: "loses a user's opt-out",
      before: annotated({ [kept]: 'true' }),
      change: annotated({ [kept]: null }),
      duties: never,
    },
    {
      it: "has a user's opt-out claimed as Lull's",
      before: annotated({ [kept]: 'true' }),
      change: annotated({ [marker]: noon }),
      duties: never,
    },
    {
      it: "has a user's duration claimed as Lull's",
      before: annotated({ [kept]: '2h' }),
      change: annotated({ [marker]: noon }),
      duties: never,
    },
    { it: 'gets only the marker', change: annotated({ [marker]: noon }), duties: never },
    { it: 'is opted out without the marker', change: annotated({ [kept]: 'true' }), duties: never },
    { it: 'gets an unrelated annotation', change: annotated({ 'example.com/a': '1' }), duties: never },
    { it: 'loses an unrelated annotation', change: annotated({ 'example.com/team': null }), duties: never },
    { it: 'has an unrelated annotation changed', change: annotated({ 'example.com/team': 'b' }), duties: never },
    { it: 'gets an annotation that Lull never writes', change: annotated({ 'lull.dev/anything': '1' }), duties: never },
    { it: 'gets the mark of a command', change: annotated({ 'lull.dev/command': 'drifted-1' }), duties: never },
    { it: 'is held, which only users do', change: annotated({ 'lull.dev/hold': 'mine' }), duties: never },
    {
      it: "loses a user's hold",
      before: annotated({ 'lull.dev/hold': 'Ann' }),
      change: annotated({ 'lull.dev/hold': null }),
      duties: never,
    },
    { it: 'gets a label', change: { metadata: { labels: { a: 'b' } } }, duties: never },
    { it: 'loses a label', change: { metadata: { labels: { app: null } } }, duties: never },
    { it: 'gets a finalizer', change: { metadata: { finalizers: ['example.com/stay'] } }, duties: never },
  ]);

const notKarpenters = { metadata: { labels: { 'karpenter.sh/nodepool': null } } };

export const nodes: readonly Case[] = [
  ...parking('Node', { parks: acting, unparks: ['guide', 'release'] }),
  ...updates('Node', [
    { it: 'is tainted for disruption', change: { spec: { taints: [ours] } }, duties: ['drive'] },
    {
      it: 'is tainted for disruption beside other taints',
      before: { spec: { taints: [theirs] } },
      change: { spec: { taints: [theirs, ours] } },
      duties: ['drive'],
    },
    {
      it: 'is tainted for another command',
      before: { spec: { taints: [ours] } },
      change: { spec: { taints: [{ ...ours, value: 'drifted-2' }] } },
      duties: ['drive'],
    },
    {
      it: 'that Karpenter did not create is tainted for disruption',
      before: notKarpenters,
      change: { spec: { taints: [ours] } },
      duties: never,
    },
    {
      it: 'that Karpenter did not create is parked',
      before: notKarpenters,
      change: annotated(parked),
      duties: acting,
    },
    {
      it: 'is untainted',
      before: { spec: { taints: [ours] } },
      change: { spec: { taints: null } },
      duties: [...acting, 'release'],
    },
    {
      it: 'is untainted beside other taints',
      before: { spec: { taints: [ours, theirs] } },
      change: { spec: { taints: [theirs] } },
      duties: [...acting, 'release'],
    },
    { it: 'gets an unrelated taint', change: { spec: { taints: [theirs] } }, duties: never },
    {
      it: 'loses an unrelated taint with ours',
      before: { spec: { taints: [ours, theirs] } },
      change: { spec: { taints: [] } },
      duties: never,
    },
    {
      it: 'has an unrelated taint changed',
      before: { spec: { taints: [theirs] } },
      change: { spec: { taints: [{ ...theirs, effect: 'PreferNoSchedule' }, ours] } },
      duties: never,
    },
    {
      it: 'is tainted with NoExecute',
      change: { spec: { taints: [{ ...ours, effect: 'NoExecute' }] } },
      duties: never,
    },
    { it: 'is cordoned', change: { spec: { unschedulable: true } }, duties: never },
    { it: 'gets a provider id', change: { spec: { providerID: 'kwok://other' } }, duties: never },
    {
      it: 'loses the mark of a command, which Karpenter copied from its claim',
      before: annotated({ 'lull.dev/command': 'drifted-1' }),
      change: annotated({ 'lull.dev/command': null }),
      duties: ['release'],
    },
    {
      it: 'has its status changed',
      subresource: 'status',
      change: { status: { nodeInfo: { kubeletVersion: 'v9' } } },
      duties: never,
    },
  ]),
  { it: 'is created', kind: 'Node', operation: 'CREATE', duties: never },
  { it: 'is deleted', kind: 'Node', operation: 'DELETE', duties: ['drive'] },
  {
    it: 'that Karpenter did not create is deleted',
    kind: 'Node',
    operation: 'DELETE',
    before: notKarpenters,
    duties: never,
  },
];

const on = (nodeName: string): Plain => ({ spec: { nodeName } });
const tolerating = (...tolerations: readonly Plain[]): Plain => ({ spec: { tolerations } });
const owned = (kind: string, apiVersion: string): Plain => ({
  metadata: {
    ownerReferences: [
      { apiVersion, kind, name: 'owner', uid: 'b8a0c9a2-0000-4000-8000-000000000000', controller: true },
    ],
  },
});

const deletions: readonly Omit<Case, 'kind' | 'operation'>[] = [
  { it: 'on a node that Karpenter drains is deleted', duties: acting },
  {
    it: 'of a DaemonSet on a node that Karpenter drains is deleted',
    before: owned('DaemonSet', 'apps/v1'),
    duties: acting,
  },
  { it: 'on a Karpenter node that is not drained is deleted', before: on('case-staying'), duties: acting },
  { it: 'on a node that Karpenter did not create is deleted', before: on('case-foreign'), duties: never },
  { it: 'that is pending is deleted', before: { spec: { nodeName: null } }, duties: never },
  { it: 'is deleted without any grace period', graceSeconds: 0, duties: never },
  { it: 'that is static is deleted', before: owned('Node', 'v1'), duties: never },
  { it: 'that tolerates everything is deleted', before: tolerating({ operator: 'Exists' }), duties: never },
  {
    it: 'that tolerates the disruption taint is deleted',
    before: tolerating({ key: 'karpenter.sh/disrupted', operator: 'Exists', effect: 'NoSchedule' }),
    duties: never,
  },
  {
    it: 'that tolerates other taints is deleted',
    before: tolerating({ key: 'CriticalAddonsOnly', operator: 'Exists' }, { key: 'a', operator: 'Equal', value: 'b' }),
    duties: acting,
  },
];

const evictions: readonly Omit<Case, 'kind' | 'operation'>[] = [
  { it: 'is evicted', duties: ['drive'] },
  { it: 'is evicted without its grace period', graceSeconds: 0, duties: never },
];

const leading = 'lull.dev/leader';
const labelled = (labels: Plain): Plain => ({ metadata: { labels } });
/** A pod of Lull's Deployment. */
const lulls = (labels: Plain = {}): Plain => ({
  metadata: { namespace: 'lull-system', labels },
  spec: { serviceAccountName: 'lull', serviceAccount: 'lull' },
});

const leaders: readonly Omit<Case, 'kind' | 'operation'>[] = [
  {
    it: 'of Lull gets the leader label',
    before: lulls(),
    change: labelled({ [leading]: 'true' }),
    isOwnPod: true,
    duties: always,
  },
  {
    it: 'of Lull loses the leader label',
    before: lulls({ [leading]: 'true' }),
    change: labelled({ [leading]: null }),
    isOwnPod: true,
    duties: always,
  },
  {
    it: 'of a Lull that was killed loses the leader label',
    before: lulls({ [leading]: 'true' }),
    change: labelled({ [leading]: null }),
    duties: always,
  },
  {
    it: 'of another Lull gets the leader label',
    before: lulls(),
    change: labelled({ [leading]: 'true' }),
    duties: never,
  },
  {
    it: 'of Lull gets the leader label with another value',
    before: lulls(),
    change: labelled({ [leading]: 'yes' }),
    isOwnPod: true,
    duties: never,
  },
  {
    it: 'of Lull gets the leader label and another one',
    before: lulls(),
    change: labelled({ [leading]: 'true', 'app.kubernetes.io/name': 'other' }),
    isOwnPod: true,
    duties: never,
  },
  {
    it: 'of Lull gets the leader label and loses another one',
    before: lulls(),
    change: labelled({ [leading]: 'true', app: null }),
    isOwnPod: true,
    duties: never,
  },
  { it: "that is not Lull's gets the leader label", change: labelled({ [leading]: 'true' }), duties: never },
  {
    it: "that is not Lull's loses the leader label",
    before: labelled({ [leading]: 'true' }),
    change: labelled({ [leading]: null }),
    duties: never,
  },
];

export const pods: readonly Case[] = [
  ...updates('Pod', leaders),
  ...parking('Pod', { parks: ['guide'], unparks: [...acting, 'release'] }),
  ...updates('Pod', [
    { it: 'gets a shorter activeDeadlineSeconds', change: { spec: { activeDeadlineSeconds: 5 } }, duties: never },
    { it: 'gets another image', change: { spec: { containers: [container('other')] } }, duties: never },
    {
      it: 'has its status changed to Failed',
      subresource: 'status',
      change: { status: { phase: 'Failed' } },
      duties: never,
    },
  ]),
  { it: 'is created', kind: 'Pod', operation: 'CREATE', duties: never },
  ...deletions.map((each): Case => ({ kind: 'Pod', operation: 'DELETE', ...each })),
  ...evictions.map((each): Case => ({ kind: 'Pod', operation: 'CREATE', subresource: 'eviction', ...each })),
];
