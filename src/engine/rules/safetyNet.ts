// Karpenter's own limits of a pool, which are all that applies while Lull is not running, and their gaps (C17, N10).
import type { Budget, NodeCount, Pool } from '../../cluster/model.ts';
import { consolidates } from '../../cluster/pool.ts';
import type { Reason } from '../../cluster/reason.ts';
import { earliest, type Instant } from '../../time/instant.ts';
import { isActive } from './budgets.ts';

interface NetLimit {
  readonly reason: Reason;
  /** The limits that apply now, all of them. Empty = none. */
  readonly atMost: readonly NodeCount[];
}

/** A reason for which Karpenter has no limit from an instant on. */
interface NetGap {
  readonly reason: Reason;
  readonly from: Instant;
}

export interface SafetyNet {
  /** For each reason for which Karpenter itself disrupts nodes of the pool. */
  readonly limits: readonly NetLimit[];
  /** Empty = there is a limit for every reason at all times. */
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

/** An older Provisioner has no budgets, and no Karpenter that Lull can guide reads it. */
export const lacksSafetyNet = (pool: Pool, at: Instant): boolean =>
  !pool.provisioner && safetyNetOf(pool, at).gaps.length > 0;

/** The reasons for which Karpenter disrupts nodes of the pool under its budgets. */
const ownReasons = (pool: Pool): readonly Reason[] => [
  'Drifted',
  ...(['Empty', 'Underutilized'] as const).filter((reason) => consolidates(pool, reason)),
];

/** 100 % is not a limit. */
export const isLimit = (nodes: NodeCount): boolean => 'count' in nodes || nodes.percent < 100;

const bindingFor = (reason: Reason, { karpenterBudgets }: Pool): readonly Budget[] =>
  karpenterBudgets.filter(({ nodes, reasons }) => isLimit(nodes) && (!reasons || reasons.has(reason)));

/** How many edges to search for a gap: half a year of a daily schedule. */
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
