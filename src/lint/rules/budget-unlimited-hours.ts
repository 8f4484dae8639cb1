// At which hours of the week, or on which days of the year, does no budget hold at all?
import { formatNodeCount } from '../../kinds/nodeCount.ts';
import { budgetYaml, weeklyBudgets } from '../facts/budgetText.ts';
import { type Habit, habitOf } from '../facts/habit.ts';
import { nameReasons, reasonsOf, severityOfFree } from '../facts/reasons.ts';
import { sayHabit } from '../facts/spanWords.ts';
import { soundPools, type UnlimitedHours, unlimitedHours } from '../facts/unlimited.ts';
import type { WrittenPool } from '../facts/writtenPools.ts';
import { yearAround } from '../facts/year.ts';
import type { Policy, Rule } from '../rule.ts';

const name = 'budget-unlimited-hours';

export const budgetUnlimitedHours: Rule = {
  name,
  finds:
    'Hours at which the scheduled budgets of a pool leave a reason without any limit: in an ordinary week, and where clocks change.',
  why: 'Outside its hours a budget says nothing. Where no other holds, any number of nodes may go at once; the default of 10% is gone as soon as one budget is written.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "0"
        schedule: "0 9 * * mon-fri"
        duration: 8h
      - nodes: "20%"
        schedule: "0 17 * * mon-fri"
        duration: 16h
`,
  *check(policy) {
    for (const written of soundPools(policy)) {
      for (const hours of unlimitedHours(written, policy)) {
        // A limit that is only a limit within its hours is told by budget-inverted.
        if (hours.always || (hours.scheduled.length > 0 && !hours.freezes)) continue;
        const habit = habitOf(hours.spans, hours.zone, yearAround(policy.now));
        const suggestion = suggest(hours, habit, { written, policy });
        yield {
          rule: name,
          severity: severityOfFree(hours.reasons, policy.settings),
          object: written.object,
          path: placeOf(hours, written),
          message: `No budget holds for ${nameReasons(hours.reasons)} at these hours, so any number of nodes may go at once: ${sayHabit(habit, hours.zone)}.`,
          ...(suggestion !== undefined && { suggestion }),
        };
      }
    }
  },
};

const placeOf = ({ scheduled: [first] }: UnlimitedHours, { path }: WrittenPool): string =>
  first ? `${first.path}.${first.scheduleKey}` : path;

/** Where budgets only stop nodes at times, what is missing is the limit for all other times; else the hours themselves. */
function suggest(
  { reasons, scheduled, zone }: UnlimitedHours,
  habit: Habit,
  { written, policy }: { written: WrittenPool; policy: Policy },
): string | undefined {
  const forAll = reasons.length === reasonsOf(written.pool, policy.settings).length;
  const limits = scheduled.map(({ budget }) => formatNodeCount(budget.nodes)).filter((nodes) => !/^0%?$/.test(nodes));
  const [nodes] = limits;
  if (nodes === undefined) return budgetYaml({ nodes: '10%', ...(!forAll && { reasons }) });
  if (habit.weekly.length === 0)
    return 'Let the windows overlap by an hour, so that a clock that is set back leaves none between them.';
  return weeklyBudgets(habit.weekly, { nodes, reasons: forAll ? undefined : reasons, zone });
}
