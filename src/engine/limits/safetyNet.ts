// Karpenter's own limit of a pool: all that holds while Lull is away or after a release, and where there is none (C17, N10).
import type { Budget, NodeCount, Pool } from '../../cluster/model.ts';
import type { Reason } from '../../cluster/reason.ts';
import { earliest, type Instant } from '../../time/instant.ts';
import { consolidates } from '../gates/policyOff.ts';
import { isActive } from './budgets.ts';

export interface NetLimit {
  readonly reason: Reason;
  /** What binds now; all of them hold. Empty = nothing does. */
  readonly atMost: readonly NodeCount[];
}

/** A reason for which Karpenter has no limit from an instant on. */
export interface NetGap {
  readonly reason: Reason;
  readonly from: Instant;
}

export interface SafetyNet {
  /** For each reason for which Karpenter itself disrupts nodes of the pool. */
  readonly limits: readonly NetLimit[];
  /** Empty = there is a limit for every reason at every hour. */
  readonly gaps: readonly NetGap[];
}

export function safetyNetOf(pool: Pool, at: Instant): SafetyNet {
  const reasons = ownReasons(pool);
  return {
    limits: reasons.map((reason) => ({
      reason,
      atMost: bindingFor(reason, pool)
        .filter((budget) => isActive(budget, at))
        .map(({ nodes }) => nodes),
    })),
    gaps: reasons.flatMap((reason) => {
      const from = firstGap(bindingFor(reason, pool), at);
      return from === undefined ? [] : [{ reason, from }];
    }),
  };
}

/** An older Provisioner has no budgets: no Karpenter that Lull can guide reads it. */
export const lacksSafetyNet = (pool: Pool, at: Instant): boolean =>
  !pool.provisioner && safetyNetOf(pool, at).gaps.length > 0;

/** What Karpenter does by itself under its budgets. */
const ownReasons = (pool: Pool): readonly Reason[] => [
  'Drifted',
  ...(['Empty', 'Underutilized'] as const).filter((reason) => consolidates(pool, reason)),
];

/** All nodes at once are no limit. */
export const isLimit = (nodes: NodeCount): boolean => 'count' in nodes || nodes.percent < 100;

const bindingFor = (reason: Reason, { karpenterBudgets }: Pool): readonly Budget[] =>
  karpenterBudgets.filter(({ nodes, reasons }) => isLimit(nodes) && (!reasons || reasons.has(reason)));

/** A gap that opens later than this many edges from now is not looked for: a daily schedule is followed for half a year. */
const mostEdges = 400;

function firstGap(budgets: readonly Budget[], at: Instant): Instant | undefined {
  if (budgets.some(({ window }) => !window)) return undefined;
  let from: Instant | undefined = at;
  for (let edges = 0; from !== undefined && edges < mostEdges; edges++) {
    const now: Instant = from;
    if (!budgets.some((budget) => isActive(budget, now))) return now;
    from = budgets.map(({ window }) => window?.nextChange(now)).reduce(earliest, undefined);
  }
  return undefined;
}
