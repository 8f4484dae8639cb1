// Budgets of 0 that freeze a pool for every reason at all times (C5), and the budgets beside them that therefore never apply.
import { isZero } from '../../engine/limits/budgets.ts';
import type { WrittenBudget, WrittenPool } from './writtenPools.ts';

export interface Frozen {
  /** 0 without reasons and without hours. */
  readonly zero: WrittenBudget;
  /** Those above 0 for some reasons, at all times. */
  readonly scoped: readonly WrittenBudget[];
  /** No budget of the pool is above 0. */
  readonly alone: boolean;
}

/** Undefined where some reason can be disrupted at some hour. */
export function frozenBy({ budgets }: WrittenPool): Frozen | undefined {
  const zero = budgets.find(({ budget, scheduleKey }) => isUnscopedZero(budget) && scheduleKey === undefined);
  if (!zero) return undefined;
  const above = budgets.filter(({ budget }) => !isZero(budget.nodes));
  const scoped = above.filter(
    ({ budget, scheduleKey }) =>
      budget.reasons !== undefined && budget.topologyKey === undefined && scheduleKey === undefined,
  );
  return { zero, scoped, alone: above.length === 0 };
}

const isUnscopedZero = ({ nodes, reasons, topologyKey }: WrittenBudget['budget']): boolean =>
  isZero(nodes) && reasons === undefined && topologyKey === undefined;
