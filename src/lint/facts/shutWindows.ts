// Which windows of a pool let nothing go, because a 0 holds at all times?
import type { Budget } from '../../cluster/model.ts';
import { isZero } from '../../engine/limits/budgets.ts';
import type { Policy } from '../rule.ts';
import { casesOf, isAsked } from './decisive.ts';
import type { WrittenBudget, WrittenPool } from './writtenPools.ts';

/** Scheduled budgets above 0 beside which, whenever they hold, a budget of 0 without a schedule decides. */
export function shutWindows({ pool, budgets }: WrittenPool, policy: Policy): WrittenBudget[] {
  const cases = casesOf(pool, policy) ?? [];
  return budgets.filter(({ budget }) => {
    if (!budget.window || budget.topologyKey !== undefined || isZero(budget.nodes)) return false;
    const asked = cases.filter((it) => isAsked(pool, budget, it, policy));
    const deciders = new Set(asked.flatMap(({ deciders }) => [...deciders]));
    return asked.length > 0 && [...deciders].every(({ nodes }) => isZero(nodes)) && [...deciders].some(isAlways);
  });
}

const isAlways = ({ window }: Budget): boolean => window === undefined;
