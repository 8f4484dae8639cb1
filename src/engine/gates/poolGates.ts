// Gates of the pool: missing, invalid (C8), policy (A3), back-off (F4), slow replacements (F7), repair breaker (A5), recent drift (P7),
// withheld offers (N11).
import { consolidates, driftWaitOf, faultOf } from '../../cluster/pool.ts';
import type { Settings } from '../../cluster/settings.ts';
import { formatDuration } from '../../time/duration.ts';
import { after, formatInstant } from '../../time/instant.ts';
import { none, type Refusal, refuse } from '../refusal.ts';
import { amountOf } from '../rules/budgets.ts';
import { asKarpenterCounts } from '../situation.ts';
import { driftedSince } from '../wishes/driftAge.ts';
import type { Gate, SteadyGate } from './gate.ts';

export const poolMissing: SteadyGate = ({ view, pool }) => {
  if (pool) return none;
  const why =
    view.poolName === undefined
      ? 'the node has no label karpenter.sh/nodepool'
      : `NodePool ${view.poolName} does not exist`;
  return [refuse('PoolMissing', why)];
};

export const poolFault: SteadyGate = ({ pool }, { settings }) => {
  const fault = pool && faultOf(pool, settings);
  if (!fault) return none;
  const { path, message } = fault;
  return [refuse('PoolFault', `${path}: ${message}`, { owner: { kind: 'NodePool', name: pool.name } })];
};

export const poolBackingOff: Gate = ({ pool, reason }, { ledger, now }): readonly Refusal[] => {
  // An empty node needs no replacement, so failing replacements do not hold it.
  const backoff =
    reason === 'Empty' ? undefined : ledger.backoffs.find((it) => it.pool === pool?.name && now < it.until);
  if (!backoff || !pool) return none;
  const owner = { kind: 'NodePool', name: pool.name };
  return [refuse('PoolBackingOff', 'replacement nodes of this pool kept failing', { owner, liftsAt: backoff.until })];
};

/** Repair continues (F7): the node is already down, and a claim that never launches must not hold it for ever. */
export const replacementSlow: Gate = ({ pool, reason }, { slow }) =>
  (reason !== 'Unhealthy' && pool && slow.refusals.get(pool.name)) || none;

/** The pool turns this kind of consolidation off (A3). */
export const policyOff: SteadyGate = ({ pool, reason }) => {
  if (!pool || (reason !== 'Empty' && reason !== 'Underutilized') || consolidates(pool, reason)) return none;
  const why =
    pool.replicas !== undefined
      ? `the pool is static (replicas: ${pool.replicas}) and is never consolidated`
      : 'consolidateAfter: Never turns consolidation off';
  return [refuse('PolicyOff', why, { owner: { kind: 'NodePool', name: pool.name } })];
};

/** If many nodes of a pool are not Ready, the cause is probably not in the nodes (A5). */
export const repairBreaker: Gate = ({ pool, reason }, { tallies, settings }) => {
  const tally = reason === 'Unhealthy' && pool ? tallies.get(pool.name) : undefined;
  if (!tally) return none;
  const { counted } = asKarpenterCounts(tally);
  const most = amountOf(settings.repairBreaker, counted);
  if (tally.unready <= most) return none;
  const message = `${tally.unready} of ${counted} nodes of the pool are not Ready; repair stops when more than ${most} are`;
  return [refuse('RepairBreaker', message, { owner: { kind: 'NodePool', name: tally.pool.name } })];
};

/** A drifted node waits until it has been drifted for driftAfter (P7). A node that a person wants replaced has not drifted (Q1). */
export const driftTooRecent: Gate = ({ view, pool, reason, isRequested }, situation) => {
  const rule = reason === 'Drifted' && pool && !isRequested ? driftWaitOf(pool) : undefined;
  if (!rule || !pool) return none;
  const { wait, budget } = rule;
  const owner = { kind: 'NodePool', name: pool.name, ...(budget && { index: budget.index }) };
  const since = driftedSince(view, pool, situation);
  if (since === undefined)
    return [
      refuse('DriftTooRecent', 'Lull does not know since when it has been drifted, so driftAfter holds it', { owner }),
    ];
  const liftsAt = after(since, wait);
  if (situation.now >= liftsAt) return none;
  const message = `it has been drifted since ${formatInstant(since)}, less than driftAfter (${formatDuration(wait)})`;
  return [refuse('DriftTooRecent', message, { owner, liftsAt })];
};

/** Why no nodes are offered; undefined = they are. */
export const withheldWhy = ({ role, withhold }: Settings): string | undefined =>
  role === 'guide' ? withhold : undefined;

export function offersWithheld(settings: Settings): readonly Refusal[] {
  const why = withheldWhy(settings);
  return why === undefined ? none : [refuse('OffersWithheld', describeWithheld(why))];
}

export const describeWithheld = (why: string): string => `Lull offers no nodes to Karpenter at present: ${why}`;
