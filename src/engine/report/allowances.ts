// J2: for every pool and every reason, how many more may go, by which budget, and when does that change?
import { compareText } from '../../cluster/nodeView.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import { faultOf } from '../gates/poolState.ts';
import { limitAt, nextLimitChange } from '../limits/budgets.ts';
import { consumedFor, limitQuery } from '../limits/poolBudgets.ts';
import type { Situation, Tally } from '../situation.ts';
import type { Allowance } from '../verdict.ts';

export function reportAllowances(situation: Situation): Allowance[] {
  const tallies = [...situation.tallies.values()].sort((a, b) => compareText(a.pool.name, b.pool.name));
  return tallies.flatMap((tally) => budgetReasons.map((reason) => allowance(tally, reason, situation)));
}

function allowance(tally: Tally, reason: Reason, situation: Situation): Allowance {
  const query = limitQuery(tally, reason, situation);
  const base = { pool: tally.pool.name, reason, consumed: consumedFor(reason, tally) };
  // C8: what cannot be read lets nothing go, whatever its other budgets say.
  if (faultOf(tally.pool, situation.settings)) return { ...base, limit: 0, left: 0 };
  const { limit, budget } = limitAt(query, situation.now);
  const nextChange = nextLimitChange(query, situation.now);
  return {
    ...base,
    ...(limit !== undefined && { limit, left: Math.max(0, limit - base.consumed) }),
    ...(budget && { budget: budget.index }),
    ...(nextChange !== undefined && { nextChange }),
  };
}
