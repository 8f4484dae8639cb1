// Cases of restraint on NodeClaims: nudges, deadlines, replacements (N6, H1, N12).
import {
  acting,
  annotated,
  type Case,
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

const hash = 'karpenter.sh/nodepool-hash';
const hashBefore = 'lull.dev/nodepool-hash-before';
const deadline = 'karpenter.sh/nodeclaim-termination-timestamp';
const command = 'lull.dev/command';

const nudged = { [hash]: 'lull-x', [hashBefore]: '123' };
const nudging = ['guide'] as const;
const restoring = [...acting, 'release'] as const;
const bornParked = { ...parked, [marker]: 'at-birth', [keptBefore]: '2h' };
const releasing = ['guide', 'release'] as const;
const withGrace = { spec: { terminationGracePeriod: '1h' } };

const changes: readonly Case[] = updates('NodeClaim', [
  { it: 'is nudged', change: annotated(nudged), duties: nudging },
  {
    it: 'gets its hash back',
    before: annotated(nudged),
    change: annotated({ [hash]: '123', [hashBefore]: null }),
    duties: restoring,
  },
  {
    it: 'keeps the hash that Karpenter wrote over the nudge',
    before: annotated({ [hash]: '456', [hashBefore]: '123' }),
    change: annotated({ [hashBefore]: null }),
    duties: restoring,
  },
  {
    it: 'gets the old hash back over the one that Karpenter wrote',
    before: annotated({ [hash]: '456', [hashBefore]: '123' }),
    change: annotated({ [hash]: '123', [hashBefore]: null }),
    duties: never,
  },
  { it: 'is nudged, and its hash is lost', change: annotated({ [hash]: 'lull-x' }), duties: never },
  {
    it: 'is nudged, and another hash is kept',
    change: annotated({ [hash]: 'lull-x', [hashBefore]: '9' }),
    duties: never,
  },
  {
    it: 'is nudged with a hash that could be Karpenter’s',
    change: annotated({ [hash]: '9', [hashBefore]: '123' }),
    duties: never,
  },
  {
    it: 'gets another hash back',
    before: annotated(nudged),
    change: annotated({ [hash]: '9', [hashBefore]: null }),
    duties: never,
  },
  {
    it: 'has its kept hash changed: the first of two steps',
    before: annotated(nudged),
    change: annotated({ [hashBefore]: '9' }),
    duties: never,
  },
  {
    it: 'loses its kept hash: the first of two steps',
    before: annotated(nudged),
    change: annotated({ [hashBefore]: null }),
    duties: never,
  },
  {
    it: 'is nudged once more, and the nudge is kept as its hash',
    before: annotated(nudged),
    change: annotated({ [hash]: 'lull-y', [hashBefore]: 'lull-x' }),
    duties: never,
  },
  { it: 'loses its hash', change: annotated({ [hash]: null }), duties: never },
  { it: 'gets a deadline', before: withGrace, change: annotated({ [deadline]: noon }), duties: ['drive'] },
  { it: 'without a terminationGracePeriod gets a deadline', change: annotated({ [deadline]: noon }), duties: never },
  {
    it: 'gets an invalid deadline',
    before: withGrace,
    change: annotated({ [deadline]: 'soon' }),
    duties: never,
  },
  {
    it: 'has its deadline moved',
    before: { ...withGrace, ...annotated({ [deadline]: noon }) },
    change: annotated({ [deadline]: '2020-01-01T00:00:00Z' }),
    duties: never,
  },
  {
    it: 'loses its deadline',
    before: annotated({ [deadline]: noon }),
    change: annotated({ [deadline]: null }),
    duties: restoring,
  },
  {
    it: 'that was created parked is released',
    before: annotated(parked),
    change: annotated(unparked),
    duties: releasing,
  },
  { it: 'is parked, which only admission does', change: annotated(parked), duties: never },
  {
    it: "that was created parked over a template's duration gets it back",
    before: annotated(bornParked),
    change: annotated({ [kept]: '2h', [marker]: null, [keptBefore]: null }),
    duties: releasing,
  },
  {
    it: "that was created parked over a template's duration loses it",
    before: annotated(bornParked),
    change: annotated({ ...unparked, [keptBefore]: null }),
    duties: never,
  },
  {
    it: "that was created parked over a template's duration loses it: the first of two steps",
    before: annotated(bornParked),
    change: annotated({ [keptBefore]: null }),
    duties: never,
  },
  {
    it: "loses a user's opt-out",
    before: annotated({ [kept]: 'true' }),
    change: annotated({ [kept]: null }),
    duties: never,
  },
  {
    it: 'has the version of its hash changed',
    change: annotated({ 'karpenter.sh/nodepool-hash-version': 'v9' }),
    duties: never,
  },
  { it: 'is claimed as a replacement', change: annotated({ [command]: 'drifted-1' }), duties: never },
  {
    it: 'loses the mark of a replacement',
    before: annotated({ [command]: 'drifted-1' }),
    change: annotated({ [command]: null }),
    duties: ['release'],
  },
  { it: 'moves to another pool', change: { metadata: { labels: { 'karpenter.sh/nodepool': 'b' } } }, duties: never },
  { it: 'gets a finalizer', change: { metadata: { finalizers: ['example.com/stay'] } }, duties: never },
  { it: 'has its status changed', subresource: 'status', change: { status: { nodeName: 'other' } }, duties: never },
]);

const replacement = (before: Plain = {}): Omit<Case, 'it' | 'duties'> => ({
  kind: 'NodeClaim',
  operation: 'CREATE',
  name: 'drifted-1-0',
  of: 'case-pool',
  before,
});

const zoneKey = 'topology.kubernetes.io/zone';

/** What a claim of the pool `case-pool` requires, without what is left out. */
const zoned = (...values: readonly string[]): Plain => ({ key: zoneKey, operator: 'In', values });
const linux = { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] };
const notArm = { key: 'kubernetes.io/arch', operator: 'NotIn', values: ['arm64'] };
const type = { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['s-4x', 's-8x'] };
/** Its label is the required zone, if there is only one. */
const asks = (...requirements: readonly Plain[]): Plain => {
  const values = requirements.find(({ key }) => key === zoneKey)?.values as readonly string[] | undefined;
  const zone = values?.length === 1 ? values[0] : null;
  return { metadata: { labels: { [zoneKey]: zone } }, spec: { requirements } };
};

const madeOnes: readonly Case[] = [
  { ...replacement(), it: 'is created as its pool specifies', duties: ['drive'] },
  {
    ...replacement(asks(linux, notArm, zoned('a', 'b'))),
    it: 'is created with the requirements of its pool',
    duties: ['drive'],
  },
  {
    ...replacement(asks(linux, notArm, zoned('b'), type)),
    it: 'is created in one of the zones, with certain types',
    duties: ['drive'],
  },
  {
    ...replacement(asks(linux, notArm, zoned('c'))),
    it: 'is created in a zone that its pool does not allow',
    duties: never,
  },
  { ...replacement(asks(linux, notArm)), it: 'is created without a requirement of its pool', duties: never },
  {
    ...replacement(asks(linux, zoned('a'), { key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] })),
    it: 'is created with an architecture that its pool excludes',
    duties: never,
  },
  {
    ...replacement(asks(linux, notArm, zoned('a'), { key: 'example.com/rack', operator: 'In', values: ['1'] })),
    it: 'is created with a requirement that its pool does not have',
    duties: never,
  },
  {
    ...replacement({ spec: { nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'other' } } }),
    it: 'is created with another node class',
    duties: never,
  },
  { ...replacement({ spec: { taints: null } }), it: 'is created without the taints of its pool', duties: never },
  {
    ...replacement({ spec: { startupTaints: [{ key: 'a', effect: 'NoExecute' }] } }),
    it: 'is created with other startup taints',
    duties: never,
  },
  {
    ...replacement({ spec: { expireAfter: '43200m' } }),
    it: 'is created with the same lifetime, spelled differently',
    duties: ['drive'],
  },
  { ...replacement({ spec: { expireAfter: 'Never' } }), it: 'is created without an expiry', duties: never },
  { ...replacement({ spec: { terminationGracePeriod: '1s' } }), it: 'is created with less grace', duties: never },
  {
    ...replacement({ metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' } } }),
    it: 'is created with an additional label',
    duties: never,
  },
  {
    ...replacement(annotated({ 'example.com/a': '1' })),
    it: 'is created with an additional annotation',
    duties: never,
  },
  { ...replacement(annotated({ [hash]: '9' })), it: 'is created with another hash', duties: never },
  { ...replacement(annotated({ [kept]: 'true' })), it: 'is created opted out', duties: never },
  {
    ...replacement(annotated({ [kept]: 'true', [marker]: 'at-birth' })),
    it: 'is created parked, by the admission policy of guide',
    duties: ['drive'],
  },
  { ...replacement(annotated({ [command]: null })), it: 'is created without the mark of a command', duties: never },
  {
    ...replacement(annotated({ [command]: 'drifted-2' })),
    it: 'is created with the mark of another command',
    duties: never,
  },
  { ...replacement({ metadata: { ownerReferences: null } }), it: 'is created without an owner', duties: never },
  {
    ...replacement({ metadata: { labels: { 'karpenter.sh/nodepool': 'other' } } }),
    it: 'is created for another pool',
    duties: never,
  },
  {
    ...replacement(asks(linux, notArm, zoned('a'), ...Array.from({ length: 9 }, () => type))),
    it: 'is created with more requirements than the policy can afford to compare',
    duties: never,
  },
  {
    ...replacement({ metadata: { finalizers: ['example.com/stay'] } }),
    it: 'is created with a finalizer',
    duties: never,
  },
];

export const nodeClaims: readonly Case[] = [
  ...changes,
  ...madeOnes,
  { it: 'is deleted', kind: 'NodeClaim', operation: 'DELETE', duties: ['drive'] },
  {
    it: 'that Lull created is deleted',
    kind: 'NodeClaim',
    operation: 'DELETE',
    before: annotated({ [command]: 'drifted-1' }),
    duties: ['drive', 'release'],
  },
];
