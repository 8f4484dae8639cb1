// What else does a pool say of its nodes' lives? When they are consolidated, expire, are repaired, and how long a drain may take.
import type { Pool } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Settings } from '../../cluster/settings.ts';
import { consolidates } from '../../engine/gates/policyOff.ts';
import { defaultConsolidateAfter, defaultExpireAfter } from '../../kinds/nodePool.ts';
import type { Duration } from '../../time/instant.ts';
import { sayDuration } from './clockWords.ts';
import { count, someOf } from './lists.ts';

/** A sentence each; what is as by default is not worth one. */
export const sayLives = (pool: Pool, nodes: readonly NodeView[], settings: Settings): string[] =>
  [sayConsolidation(pool), sayExpiry(pool), sayRepair(pool, settings), sayGrace(pool, nodes)].filter(
    (sentence) => sentence !== undefined,
  );

/** The fields of an older Provisioner have other names. */
const by = (field: string, { provisioner }: Pool): string => (provisioner ? '' : ` (${field})`);

function sayConsolidation(pool: Pool): string | undefined {
  const { consolidateAfter, consolidationPolicy } = pool;
  if (!consolidates(pool, 'Empty') || consolidateAfter === 'Never') return undefined;
  if (consolidateAfter === defaultConsolidateAfter && consolidationPolicy !== 'Balanced') return undefined;
  const which = consolidates(pool, 'Underutilized') ? 'An empty or underutilized node' : 'An empty node';
  const balanced = consolidationPolicy === 'Balanced' ? '; Balanced is read as WhenEmptyOrUnderutilized' : '';
  const when = `${sayDuration(consolidateAfter)} after the last pod came to it or left it`;
  return `${which} may go ${when}${by('consolidateAfter', pool)}${balanced}.`;
}

function sayExpiry(pool: Pool): string | undefined {
  const { template, expireEarlyAfter: early } = pool;
  const hard = template.expireAfter;
  if (isTimed(early) && (!isTimed(hard) || early < hard)) {
    const end = isTimed(hard) ? `; at ${sayDuration(hard)} Karpenter takes it, whatever holds it` : '';
    return `A node is to be replaced when it is ${sayDuration(early)} old${end}.`;
  }
  if (!isTimed(hard) || hard === defaultExpireAfter) return undefined;
  return `A node expires when it is ${sayDuration(hard)} old${by('expireAfter', pool)}.`;
}

const isTimed = (length: Duration | 'Never' | undefined): length is Duration =>
  length !== undefined && length !== 'Never';

function sayRepair(pool: Pool, settings: Settings): string | undefined {
  const { repairAfter } = pool;
  if (!isTimed(repairAfter) || repairAfter === settings.repairAfter) return undefined;
  return `A node is unhealthy when it has not been Ready for ${sayDuration(repairAfter)}${by('repairAfter', pool)}.`;
}

/** A2, H: what pods are told of this is told with the nodes that have it. */
const waived = '(terminationGracePeriod): drift, expiry and repair do not wait for pods that refuse';

function sayGrace(
  { template: { terminationGracePeriod: grace } }: Pool,
  nodes: readonly NodeView[],
): string | undefined {
  if (grace !== undefined) return `A node that is to go has ${sayDuration(grace)} to drain ${waived}.`;
  const timed = nodes.filter(({ claim }) => claim?.spec.terminationGracePeriod !== undefined);
  if (timed.length === 0) return undefined;
  const names = someOf(timed.map(({ node }) => node.name));
  return `${count(timed.length, 'node')} (${names}) must have drained by a deadline ${waived}.`;
}
