// A3: does the pool want this kind of consolidation at all?
import type { Pool } from '../../cluster/model.ts';
import { none, refuse } from '../refusal.ts';
import type { Gate } from './gate.ts';

export function consolidates(pool: Pool, reason: 'Empty' | 'Underutilized'): boolean {
  if (pool.replicas !== undefined || pool.consolidateAfter === 'Never') return false;
  return reason === 'Empty' || pool.consolidationPolicy !== 'WhenEmpty';
}

export const policyOff: Gate = ({ pool, reason }) => {
  if (!pool || (reason !== 'Empty' && reason !== 'Underutilized') || consolidates(pool, reason)) return none;
  const why =
    pool.replicas !== undefined
      ? `the pool is static (replicas: ${pool.replicas}) and is never consolidated`
      : 'consolidateAfter: Never turns consolidation off';
  return [refuse('PolicyOff', why, { owner: { kind: 'NodePool', name: pool.name } })];
};
