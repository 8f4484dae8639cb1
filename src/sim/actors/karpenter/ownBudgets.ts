// How many more may Karpenter take of a pool? By its own, flat reading of spec.disruption.budgets [f], of which all that name a reason bind.
import type { Pool as PoolRecord } from '../../../cluster/model.ts';
import { label } from '../../../cluster/names.ts';
import { readObject } from '../../../kinds/readObject.ts';
import { isDeleting, type Json } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import type { Claim, Node, Pool } from '../manifest.ts';
import { isTrue } from '../status.ts';
import type { Cause } from './candidates.ts';

/** [m]: what is not Ready uses it up; [d]: so do deleted claims. Over all reasons alike. */
export function budgetLeft(
  pool: Pool,
  reason: Cause,
  { world, isTaken }: { world: World; isTaken: (node: string) => boolean },
): number {
  let [total, used] = [0, 0];
  for (const claim of world.claimsByPool.of(pool.metadata.name).values() as Iterable<Claim>) {
    const node = world.objects.get('Node', claim.status?.nodeName ?? '') as Node | undefined;
    if (node?.metadata.labels?.[label.initialized] !== 'true' || isTrue(claim, 'InstanceTerminating')) continue;
    total++;
    if (!isTrue(node, 'Ready') || isDeleting(claim) || isTaken(node.metadata.name)) used++;
  }
  return Math.max(0, limitOf(pool, reason, { total, world }) - used);
}

function limitOf(pool: Pool, reason: Cause, { total, world }: { total: number; world: World }): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { nodes, reasons, window } of recordOf(pool).karpenterBudgets) {
    if ((reasons && !reasons.has(reason)) || (window && !window.isOpen(world.clock.now))) continue;
    least = Math.min(least, 'count' in nodes ? nodes.count : Math.ceil((nodes.percent * total) / 100));
  }
  return least;
}

const records = new WeakMap<Pool, PoolRecord>();

function recordOf(pool: Pool): PoolRecord {
  const known = records.get(pool);
  if (known) return known;
  const read = readObject(pool as unknown as Json);
  if (read.kind !== 'NodePool') throw new Error(`${pool.metadata.name} is no pool`);
  records.set(pool, read.record);
  return read.record;
}
