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
  hold: 'lull.dev/hold',
  rebalance: 'lull.dev/rebalance',
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
  budgets: 'lull.dev/budgets',
  expireAfter: 'lull.dev/expire-after',
} as const;
