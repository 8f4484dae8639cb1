// Does a reason arise in this pool at all, and may anything hold it back? What makes its hours meaningless.
import type { Pool } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Reason } from '../../cluster/reason.ts';
import type { Settings } from '../../cluster/settings.ts';
import { consolidates } from '../../engine/gates/policyOff.ts';

export interface Off {
  readonly text: string;
  /** It never goes; else nothing ever holds it. */
  readonly never: boolean;
}

/** Undefined where the hours of the reason mean something. */
export function sayOff(reason: Reason, pool: Pool, nodes: readonly NodeView[], settings: Settings): Off | undefined {
  switch (reason) {
    case 'Empty':
    case 'Underutilized':
      return consolidates(pool, reason) ? undefined : notConsolidated(pool);
    case 'Unhealthy':
      return (pool.repairAfter ?? settings.repairAfter) === 'Never'
        ? never('nodes are not repaired', pool, 'repairAfter: Never')
        : undefined;
    case 'Expired':
      if (neverExpires(pool, nodes)) return never('nodes do not expire', pool, 'expireAfter: Never');
      return settings.expiration === 'forceful' ? forced : undefined;
    default:
      return undefined;
  }
}

/** The fields of an older Provisioner have other names. */
const never = (why: string, { provisioner }: Pool, field: string): Off => ({
  text: `never: ${why}${provisioner ? '' : ` (${field})`}`,
  never: true,
});
const forced: Off = { text: 'at once, and nothing holds it (setting expiration: forceful)', never: false };

function notConsolidated(pool: Pool): Off {
  if (pool.replicas !== undefined) return never('the pool is static', pool, `replicas: ${pool.replicas}`);
  if (pool.consolidateAfter === 'Never') return never('nothing is consolidated', pool, 'consolidateAfter: Never');
  return never('only empty nodes are consolidated', pool, 'consolidationPolicy: WhenEmpty');
}

/** A claim keeps the lifetime it was made with, whatever its pool says today. */
function neverExpires({ template, expireEarlyAfter }: Pool, nodes: readonly NodeView[]): boolean {
  const lifetimes = [template.expireAfter, expireEarlyAfter, ...nodes.map(({ claim }) => claim?.spec.expireAfter)];
  return lifetimes.every((lifetime) => lifetime === undefined || lifetime === 'Never');
}
