// Does a budget let fewer nodes go at night than by day, where the night was to be the time for it?

import type { Budget } from '../../cluster/model.ts';
import { isZero, limitAt } from '../../engine/limits/budgets.ts';
import { formatNodeCount } from '../../kinds/nodeCount.ts';
import type { Instant } from '../../time/instant.ts';
import { nameBudget, weeklyBudgets } from '../facts/budgetText.ts';
import { type Habit, habitOf, minutesADay, type WeekStretch } from '../facts/habit.ts';
import { phasesOf } from '../facts/phases.ts';
import { reasonsOf } from '../facts/reasons.ts';
import { sayHabit } from '../facts/spanWords.ts';
import { soundPools } from '../facts/unlimited.ts';
import type { WrittenBudget, WrittenPool } from '../facts/writtenPools.ts';
import { openSpans, otherHours, yearAround } from '../facts/year.ts';
import type { Policy, Rule } from '../rule.ts';

const name = 'budget-tighter-off-hours';

export const budgetTighterOffHours: Rule = {
  name,
  finds: 'A limit above 0 that holds only at nights or weekends and is tighter than that of all other hours.',
  why: 'A schedule says when a limit holds, not when nodes may go. Who wants the work done at night has to stop it by day; written so, more goes by day.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "10%"
      # Meant: drift only at night, one by one.
      - nodes: "1"
        reasons: [Drifted]
        schedule: "0 2 * * *"
        duration: 4h
`,
  *check(policy) {
    const year = yearAround(policy.now);
    for (const written of soundPools(policy)) {
      for (const { budget, schedule, path, scheduleKey } of written.budgets.filter(isLimit)) {
        const zone = schedule?.cron.zone;
        if (!budget.window || !zone) continue;
        const open = openSpans(budget.window, year);
        const habit = habitOf(open, zone, year);
        const looser = isOffHours(habit) ? looserOutside(budget, written, policy) : undefined;
        if (!looser) continue;
        const { weekly } = habitOf(otherHours(open, year), zone, year);
        const reasons = budget.reasons && [...budget.reasons];
        yield {
          rule: name,
          severity: 'info',
          object: written.object,
          path: `${path}.${scheduleKey}`,
          message: `Fewer nodes may go ${sayHabit(habit, zone)} (${formatNodeCount(budget.nodes)}) than at all other hours (${nameBudget(looser)}). If they are to go in these hours only, stop them at the others.`,
          suggestion: weeklyBudgets(weekly, { nodes: '0', reasons, zone }),
        };
      }
    }
  },
};

const isLimit = ({ budget: { nodes, topologyKey }, schedule }: WrittenBudget): boolean =>
  schedule !== undefined && topologyKey === undefined && !isZero(nodes);

/** Of any pool that is not tiny. */
const typicalSize = 100;

/** What decides at other hours, for a reason that this budget decides at its own, and lets more go. */
function looserOutside(mine: Budget, { pool }: WrittenPool, { now, settings }: Policy): Budget | undefined {
  const phases = phasesOf(pool, now);
  for (const reason of reasonsOf(pool, settings)) {
    const limit = (at: Instant) => limitAt({ pool, reason, counted: typicalSize, rule: settings.defaultBudgets }, at);
    const inside = phases.filter(({ at }) => mine.window?.isOpen(at)).map(({ at }) => limit(at));
    const outside = phases.filter(({ at }) => !mine.window?.isOpen(at)).map(({ at }) => limit(at));
    const own = inside.find(({ budget }) => budget === mine)?.limit;
    const [first] = outside;
    if (own !== undefined && outside.every((it) => it.limit !== undefined && it.limit > own)) return first?.budget;
  }
  return undefined;
}

const workdayStart = 8 * 60;
const workdayEnd = 18 * 60;

const isOffHours = ({ weekly }: Habit): boolean => weekly.length > 0 && !weekly.some(touchesWork);

/** Whether a stretch lies in part between 8 and 18 o'clock of a weekday. */
function touchesWork({ days, start, length }: WeekStretch): boolean {
  return days.some((weekday) =>
    Array.from({ length: Math.ceil((start + length) / minutesADay) }, (_, later) => later).some((later) => {
      const from = start - later * minutesADay;
      return (weekday + later) % 7 < 5 && from < workdayEnd && from + length > workdayStart;
    }),
  );
}
