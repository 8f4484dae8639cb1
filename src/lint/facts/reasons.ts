// For which reasons does a node of a pool go at all, and how are several of them named?
import type { Pool } from '../../cluster/model.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Severity } from '../rule.ts';
import { andList } from '../words/lists.ts';

/** Why a reason never arises in this pool, or no budget is asked about it; undefined = it does and it is. */
export function offBy(pool: Pool, reason: Reason, { expiration }: Settings): string | undefined {
  switch (reason) {
    case 'Empty':
    case 'Underutilized':
      return consolidationOff(pool, reason);
    case 'Expired':
      if (pool.template.expireAfter === 'Never' && pool.expireEarlyAfter === undefined) return 'expireAfter: Never';
      return expiration === 'forceful' ? 'the setting expiration: forceful' : undefined;
    case 'Unhealthy':
      return pool.repairAfter === 'Never' ? 'repairAfter: Never' : undefined;
    default:
      return undefined;
  }
}

function consolidationOff(pool: Pool, reason: Reason): string | undefined {
  if (pool.replicas !== undefined) return 'replicas';
  if (pool.consolidateAfter === 'Never') return 'consolidateAfter: Never';
  return pool.consolidationPolicy === 'WhenEmpty' && reason === 'Underutilized'
    ? 'consolidationPolicy: WhenEmpty'
    : undefined;
}

/** The reasons for which nodes of this pool may go and budgets are asked. */
export const reasonsOf = (pool: Pool, settings: Settings): Reason[] =>
  budgetReasons.filter((reason) => offBy(pool, reason, settings) === undefined);

/** Those Karpenter's budgets know too (since 1.15, Unhealthy included). */
export const upstreamReasons: ReadonlySet<Reason> = new Set(['Empty', 'Underutilized', 'Drifted', 'Unhealthy']);

/** Those that budgets have always been about. */
const wellKnown: ReadonlySet<Reason> = new Set(['Empty', 'Underutilized', 'Drifted']);

/** How much it matters that reasons have no limit: for those that Karpenter limits least, only where Lull itself acts. */
export const severityOfFree = (reasons: readonly Reason[], { role }: Settings): Severity =>
  role === 'observe' && !reasons.some((reason) => wellKnown.has(reason)) ? 'info' : 'warning';

/** `Drifted`, `Empty and Underutilized`, `every reason` */
export const nameReasons = (reasons: Iterable<Reason>): string => {
  const named = [...reasons];
  return named.length === budgetReasons.length ? 'every reason' : andList(named);
};
