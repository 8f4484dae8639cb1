// Is there a pool to speak for the node, can it be read (C8), and is it not backing off (F4)?
import type { Fault } from '../../cluster/fault.ts';
import type { Pool } from '../../cluster/model.ts';
import type { Settings } from '../../cluster/settings.ts';
import { none, type Refusal, refuse } from '../refusal.ts';
import type { Gate } from './gate.ts';

export const poolMissing: Gate = ({ view, pool }) => {
  if (pool) return none;
  const why =
    view.poolName === undefined
      ? 'the node has no label karpenter.sh/nodepool'
      : `there is no NodePool ${view.poolName}`;
  return [refuse('PoolMissing', why)];
};

export const poolFault: Gate = ({ pool }, { settings }) => {
  const fault = pool && faultOf(pool, settings);
  if (!fault) return none;
  const { path, message } = fault;
  return [refuse('PoolFault', `${path}: ${message}`, { owner: { kind: 'NodePool', name: pool.name } })];
};

/** C8, and beside Karpenter what it cannot read (N4). */
export const faultOf = ({ fault, karpenterFault }: Pool, { role }: Settings): Fault | undefined =>
  fault ?? (role === 'guide' ? karpenterFault : undefined);

export const poolBackingOff: Gate = ({ pool, reason }, { ledger, now }): readonly Refusal[] => {
  // Emptying needs no replacement, so failing replacements are no reason to keep an empty node.
  const backoff =
    reason === 'Empty' ? undefined : ledger.backoffs.find((it) => it.pool === pool?.name && now < it.until);
  if (!backoff || !pool) return none;
  const owner = { kind: 'NodePool', name: pool.name };
  return [refuse('PoolBackingOff', 'replacements of this pool kept failing', { owner, liftsAt: backoff.until })];
};

/** F7. Repair goes on: its node serves nothing already, and a claim that never launches must not keep it for ever. */
export const replacementSlow: Gate = ({ pool, reason }, { slow }) =>
  (reason !== 'Unhealthy' && pool && slow.refusals.get(pool.name)) || none;
