// What are things called in the cluster? Labels, annotations, taints and conditions that Karpenter, Kubernetes and Lull use.

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
  /** Written by eks-node-viewer and the KWOK provider: the price of this very node. */
  price: 'eks-node-viewer/instance-price',
} as const;

export const annotation = {
  doNotDisrupt: 'karpenter.sh/do-not-disrupt',
  poolHash: 'karpenter.sh/nodepool-hash',
  poolHashVersion: 'karpenter.sh/nodepool-hash-version',
  parked: 'lull.dev/parked',
  /** N2: what do-not-disrupt said before Lull wrote "true" there, where Karpenter reads no protection in it. */
  keptBefore: 'lull.dev/do-not-disrupt-before',
  command: 'lull.dev/command',
  /** N9: a copy of the fields of a pool's spec.disruption that only the patched CRD keeps, the CRD under which they were seen last, and
   * since when they are missing. */
  budgetsSeen: 'lull.dev/budgets-seen',
  budgetsSeenUnder: 'lull.dev/budgets-seen-under',
  budgetsGone: 'lull.dev/budgets-seen-gone',
  /** N6: what `karpenter.sh/nodepool-hash` said before Lull changed it. */
  hashBefore: 'lull.dev/nodepool-hash-before',
  terminateAt: 'karpenter.sh/nodeclaim-termination-timestamp',
  /** E2, A. */
  hold: 'lull.dev/hold',
  rebalance: 'lull.dev/rebalance',
  /** C17, N7. */
  budgets: 'lull.dev/budgets',
  expireAfter: 'lull.dev/expire-after',
  /** Q5: who made a MaintenanceWindow, such as a pause. */
  author: 'lull.dev/author',
  /** Restarts Lull's own pods when its settings change. */
  settingsSum: 'lull.dev/settings-sum',
} as const;

/** What `lull.dev/parked` says on a claim that was parked by admission, which knows no time, and on its node until it is parked again. */
export const atBirth = 'at-birth';

/** Every annotation of Lull's, by where it is read: those that people write, and the marks that Lull writes itself. Any other key
 * under lull.dev/ is an error there (K4). */
export const lullKeys = {
  pool: {
    written: [annotation.budgets, annotation.expireAfter],
    marks: [annotation.budgetsSeen, annotation.budgetsSeenUnder, annotation.budgetsGone],
  },
  node: {
    written: [annotation.hold, annotation.rebalance],
    marks: [annotation.parked, annotation.keptBefore, annotation.command, annotation.hashBefore],
  },
  pod: { written: [], marks: [annotation.parked, annotation.keptBefore, annotation.settingsSum] },
} as const satisfies Record<string, { readonly written: readonly string[]; readonly marks: readonly string[] }>;

/** Where a key under lull.dev/ may be written. */
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
