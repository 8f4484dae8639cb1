// Karpenter's own reading of spec.disruption.budgets, which binds beside Lull's: the smaller of both holds (C5, N4).
import type { Pool } from '../../cluster/model.ts';
import type { Reason } from '../../cluster/reason.ts';
import { isBesideKarpenter } from '../../cluster/settings.ts';
import { none, refuse } from '../refusal.ts';
import { isConsumed, type Situation, type Tally } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { type Limit, type LimitQuery, limitAt, limitReaches } from './budgets.ts';
import { sayUse } from './poolBudgets.ts';
import type { SharedLimit } from './sharedLimit.ts';

/** What Karpenter itself will call it: everything it does not know is nudged into drift (N6). */
export const karpenterReason = (reason: Reason): Reason =>
  reason === 'Empty' || reason === 'Underutilized' ? reason : 'Drifted';

export function openKarpenterBudgets(situation: Situation): SharedLimit {
  const started = new Map<string, number>();
  const count = ({ view, pool }: Wish, change: 1 | -1): void => {
    // What is not Ready was counted as the round began.
    if (pool && view.state.counted && !isConsumed(view, 'Drifted', situation))
      started.set(pool.name, (started.get(pool.name) ?? 0) + change);
  };
  return {
    refuse: ({ pool, reason }) => {
      const tally = pool && isReadByKarpenter(pool, situation) ? situation.tallies.get(pool.name) : undefined;
      if (!tally) return none;
      const query = asKarpenter(tally, reason);
      const { limit, budget } = karpenterLimit(tally, reason, situation);
      const consumed = tally.consumed + (started.get(tally.pool.name) ?? 0);
      if (limit === undefined || consumed < limit) return none;
      const liftsAt = tally.consumed >= limit ? limitReaches(tally.consumed + 1, query, situation.now) : undefined;
      const owner = { kind: 'NodePool', name: tally.pool.name, ...(budget && { index: budget.index }) };
      return [
        refuse('KarpenterBudget', sentence(tally, limit, sayUse(consumed, consumed - tally.consumed)), {
          owner,
          liftsAt,
        }),
      ];
    },
    spend: (wish) => count(wish, 1),
    takeBack: (wish) => count(wish, -1),
  };
}

/**
 * Whether Karpenter enforces what it reads in the pool's spec. Budgets that it cannot read as written (a topology, a zone) belong to
 * drive: guide refuses such a pool altogether (PoolFault), and observe shows Lull's own reading.
 */
export const isReadByKarpenter = ({ karpenterFault }: Pool, { settings }: Pick<Situation, 'settings'>): boolean =>
  isBesideKarpenter(settings) && karpenterFault === undefined;

/** How many Karpenter itself would let go at once. */
export const karpenterLimit = (tally: Tally, reason: Reason, { now }: Pick<Situation, 'now'>): Limit =>
  limitAt(asKarpenter(tally, reason), now);

/** The pool with the budgets that Karpenter reads: the same object for the same pool, so that answers are remembered. */
const readings = new WeakMap<Pool, Pool>();

export function readingOf(pool: Pool): Pool {
  const reading = readings.get(pool) ?? { ...pool, budgets: pool.karpenterBudgets };
  readings.set(pool, reading);
  return reading;
}

const asKarpenter = ({ pool, counted }: Tally, reason: Reason): LimitQuery => ({
  pool: readingOf(pool),
  reason: karpenterReason(reason),
  counted,
  rule: 'ceiling',
});

const sentence = ({ pool }: Tally, limit: number, use: string): string =>
  `Karpenter reads spec.disruption.budgets of ${pool.name} as ${limit} at a time; ${use}. Of this and the budgets that Lull reads the smaller holds`;
