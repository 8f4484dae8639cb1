// What may people write on pods, nodes and pools to steer Lull? The annotations that are read here and nowhere else.
import { annotation } from '../cluster/names.ts';

export const steering = {
  doNotDisrupt: annotation.doNotDisrupt,
  parked: annotation.parked,
  keptBefore: annotation.keptBefore,
  /** E1: the old name of do-not-disrupt. */
  doNotEvict: 'karpenter.sh/do-not-evict',
  /** E3. */
  doNotDisruptReasons: 'karpenter.sh/do-not-disrupt-reasons',
  /** E2. */
  doNotRepair: 'karpenter.sh/do-not-repair',
  doNotConsolidate: 'karpenter.sh/do-not-consolidate',
  hold: annotation.hold,
  rebalance: annotation.rebalance,
  /** E4, E5. */
  schedule: 'karpenter.sh/disruption-schedule',
  scheduleDuration: 'karpenter.sh/disruption-schedule-duration',
  timeZone: 'karpenter.sh/disruption-schedule-timezone',
  blockSchedule: 'karpenter.sh/disruption-block-schedule',
  blockDuration: 'karpenter.sh/disruption-block-duration',
  /** F3. */
  disruptionCost: 'karpenter.sh/disruption-cost',
  deletionCost: 'controller.kubernetes.io/pod-deletion-cost',
  /** C17, N7. */
  budgets: annotation.budgets,
  expireAfter: annotation.expireAfter,
} as const;

/** Keys under karpenter.sh/ that nothing here reads, but Karpenter writes or people may: none is a typo (K4). */
export const otherKarpenterKeys: readonly string[] = [
  'capacity-type',
  'discovery',
  'disrupted',
  'disruption',
  'do-not-sync-taints',
  'emptiness-timestamp',
  'initialized',
  'interruption',
  'linked',
  'machine-name',
  'managed-by',
  'nodeclaim',
  'nodeclaim-min-values-relaxed',
  'nodeclaim-termination-timestamp',
  'nodepool',
  'nodepool-hash',
  'nodepool-hash-version',
  'provisioner-hash',
  'provisioner-name',
  'registered',
  'stored-version-migrated',
  'termination',
  'unregistered',
  'voluntary-disruption',
].map((name) => `karpenter.sh/${name}`);
