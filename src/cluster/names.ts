// Names of labels, annotations and taints that Karpenter, Kubernetes and Lull use.

export const label = {
  pool: 'karpenter.sh/nodepool',
  provisioner: 'karpenter.sh/provisioner-name',
  initialized: 'karpenter.sh/initialized',
  registered: 'karpenter.sh/registered',
  capacityType: 'karpenter.sh/capacity-type',
  zone: 'topology.kubernetes.io/zone',
  instanceType: 'node.kubernetes.io/instance-type',
  hostname: 'kubernetes.io/hostname',
  arch: 'kubernetes.io/arch',
  os: 'kubernetes.io/os',
  /** The price of this node, written by eks-node-viewer and the KWOK provider. */
  price: 'eks-node-viewer/instance-price',
  /** On the pod of the Lull that leads. */
  leader: 'lull.dev/leader',
} as const;

export const annotation = {
  doNotDisrupt: 'karpenter.sh/do-not-disrupt',
  poolHash: 'karpenter.sh/nodepool-hash',
  poolHashVersion: 'karpenter.sh/nodepool-hash-version',
  parked: 'lull.dev/parked',
  /** The value of do-not-disrupt before Lull replaced it with "true", because Karpenter did not read it as a protection (N2). */
  keptBefore: 'lull.dev/do-not-disrupt-before',
  command: 'lull.dev/command',
  /** A copy of the fields of a pool's spec.disruption that only the patched CRD keeps, the CRD version under which they were last seen,
   * and since when they are missing (N9). */
  budgetsSeen: 'lull.dev/budgets-seen',
  budgetsSeenUnder: 'lull.dev/budgets-seen-under',
  budgetsGone: 'lull.dev/budgets-seen-gone',
  /** The value of `karpenter.sh/nodepool-hash` before Lull changed it (N6). */
  hashBefore: 'lull.dev/nodepool-hash-before',
  terminateAt: 'karpenter.sh/nodeclaim-termination-timestamp',
  /** Written by users: keep a node (E2), replace a node (A). */
  hold: 'lull.dev/hold',
  rebalance: 'lull.dev/rebalance',
  /** Written by users: budgets (C17) and expiry (N7) for a pool whose CRD has no such fields, and how long a drifted node waits (P7). */
  budgets: 'lull.dev/budgets',
  expireAfter: 'lull.dev/expire-after',
  driftAfter: 'lull.dev/drift-after',
  /** Written by users on a pool or a node: replace the nodes created before this instant (Q1). */
  rollRequested: 'lull.dev/roll-requested',
  /** Written by users: nodes of this pool need approval (Q2); the nodes of a pool, or one node, are approved until this instant. */
  approval: 'lull.dev/approval',
  approved: 'lull.dev/approved',
  /** Who created a MaintenanceWindow, such as a pause (Q5). */
  author: 'lull.dev/author',
  /** A checksum that restarts Lull's own pods when its settings change. */
  settingsSum: 'lull.dev/settings-sum',
} as const;

/** The value of `lull.dev/parked` on a claim parked at admission, which knows no time, and on its node until it is parked again. */
export const atBirth = 'at-birth';

/** Every annotation of Lull, by the kind of object it is read from: `written` by users, `marks` by Lull itself. Any other key under
 * lull.dev/ is an error there (K4). */
export const lullKeys = {
  pool: {
    written: [
      annotation.budgets,
      annotation.expireAfter,
      annotation.driftAfter,
      annotation.rollRequested,
      annotation.approval,
      annotation.approved,
    ],
    marks: [annotation.budgetsSeen, annotation.budgetsSeenUnder, annotation.budgetsGone],
  },
  node: {
    written: [annotation.hold, annotation.rebalance, annotation.rollRequested, annotation.approved],
    marks: [annotation.parked, annotation.keptBefore, annotation.command, annotation.hashBefore],
  },
  pod: { written: [], marks: [annotation.parked, annotation.keptBefore, annotation.settingsSum] },
} as const satisfies Record<string, { readonly written: readonly string[]; readonly marks: readonly string[] }>;

/** The kinds of object that may have keys under lull.dev/. */
export type KeyPlace = keyof typeof lullKeys;

export const taint = {
  karpenterDisrupted: 'karpenter.sh/disrupted',
  lullDisrupted: 'lull.dev/disrupted',
  rebalance: ['aws-node-termination-handler/rebalance-recommendation'],
  interruption: [
    'aws-node-termination-handler/spot-itn',
    'aws-node-termination-handler/scheduled-maintenance',
    'aws-node-termination-handler/asg-lifecycle-termination',
    'cloud.google.com/impending-node-termination',
  ],
} as const;

/** A short hash of a text, the same on every machine: 64-bit FNV-1a in two halves, in base 36. Not for secrets; collisions among a thousand names do not matter. */
export function fingerprint(text: string): string {
  let low = 0x811c9dc5;
  let high = 0xcbf29ce4;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193) >>> 0;
    high = Math.imul(high ^ ((code << 5) | (low & 31)), 0x01000193) >>> 0;
  }
  return (high.toString(36) + low.toString(36)).slice(0, 10).padEnd(10, '0');
}
