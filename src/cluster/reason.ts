// The reasons to disrupt a node, in the order in which they are tried (F1), and the kind of each (A).

export const reasons = [
  'Interrupted',
  'Unhealthy',
  'Empty',
  'Drifted',
  'Expired',
  'Rebalance',
  'Underutilized',
] as const;
export type Reason = (typeof reasons)[number];

/** The reasons that a budget or window may name: all but Interrupted, which no rule refuses. */
export const budgetReasons = reasons.filter((reason) => reason !== 'Interrupted');

export const isConsolidation = (reason: Reason): boolean => reason === 'Empty' || reason === 'Underutilized';

/** Whether a blocked pod refuses the disruption (A2). graceful: always; eventual: unless the claim has a terminationGracePeriod; forced: never. */
export type DisruptionKind = 'graceful' | 'eventual' | 'forced';

export const kindOf: Readonly<Record<Reason, DisruptionKind>> = {
  Interrupted: 'forced',
  Unhealthy: 'eventual',
  Empty: 'graceful',
  Drifted: 'eventual',
  Expired: 'eventual',
  Rebalance: 'graceful',
  Underutilized: 'graceful',
};
