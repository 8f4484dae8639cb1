// Why would a node go? The reasons, in the order in which they are tried (F1), and how hard each of them presses (A).

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

/** Reasons that a budget or a window may name: everything but Interrupted, which nothing refuses. */
export const budgetReasons = reasons.filter((reason) => reason !== 'Interrupted');

/** A2. graceful: a blocked pod always refuses; eventual: unless the claim has a terminationGracePeriod; forced: never. */
export type Kind = 'graceful' | 'eventual' | 'forced';

export const kindOf: Readonly<Record<Reason, Kind>> = {
  Interrupted: 'forced',
  Unhealthy: 'eventual',
  Empty: 'graceful',
  Drifted: 'eventual',
  Expired: 'eventual',
  Rebalance: 'graceful',
  Underutilized: 'graceful',
};
