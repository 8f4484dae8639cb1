// Did somebody write when nodes may go, where a budget says when they are limited?
import type { Reason } from '../../cluster/reason.ts';
import { isZero } from '../../engine/limits/budgets.ts';
import { formatNodeCount } from '../../kinds/nodeCount.ts';
import { weeklyBudgets } from '../facts/budgetText.ts';
import { habitOf } from '../facts/habit.ts';
import { nameReasons, reasonsOf } from '../facts/reasons.ts';
import { sayHabit } from '../facts/spanWords.ts';
import { soundPools, unlimitedHours } from '../facts/unlimited.ts';
import { type WrittenBudget, type WrittenPool, writtenPools } from '../facts/writtenPools.ts';
import { yearAround } from '../facts/year.ts';
import type { Finding, Policy, Rule } from '../rule.ts';

const name = 'budget-inverted';

export const budgetInverted: Rule = {
  name,
  finds: 'A budget above 0 with a schedule, where no budget limits its reasons at all other hours.',
  why: 'A schedule says when a limit holds, not when nodes may go. Written to allow disruption in a window, it limits it in the window and leaves the rest of the week free.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      # Meant: consolidate in office hours only.
      - nodes: "10%"
        reasons: [Empty, Underutilized]
        schedule: "0 9 * * mon-fri"
        duration: 8h
      - nodes: "1"
        reasons: [Drifted]
`,
  *check(policy) {
    for (const written of soundPools(policy)) yield* inSoundPool(written, policy);
    for (const written of writtenPools(policy)) if (!written.sound) yield* inBrokenPool(written, policy);
  },
};

function* inSoundPool(written: WrittenPool, policy: Policy): Generator<Finding> {
  for (const { reasons, spans, always, scheduled, freezes, zone } of unlimitedHours(written, policy)) {
    const [first] = scheduled;
    if (always || freezes || !first) continue;
    const habit = habitOf(spans, zone, yearAround(policy.now));
    yield {
      ...finding(first, written),
      message: `${sayPurpose(first)} ${nameReasons(reasons)} ${reasons.length === 1 ? 'has' : 'have'} no limit at all outside it: ${sayHabit(habit, zone)}.`,
      ...(habit.weekly.length > 0 && {
        suggestion: `${intro}\n${weeklyBudgets(habit.weekly, { nodes: '0', reasons: namedBy(scheduled, reasons), zone })}`,
      }),
    };
  }
}

const intro = '# to let nodes go in these hours only, stop them at all others';

const sayPurpose = ({ budget }: WrittenBudget): string =>
  `This schedule says when at most ${formatNodeCount(budget.nodes)} may go, not when nodes may go.`;

/** Where the author named none, neither does the suggestion. */
const namedBy = (scheduled: readonly WrittenBudget[], reasons: readonly Reason[]): readonly Reason[] | undefined =>
  scheduled.some(({ budget }) => budget.reasons === undefined) ? undefined : reasons;

const finding = ({ path, scheduleKey }: WrittenBudget, { object }: WrittenPool) => ({
  rule: name,
  severity: 'warning' as const,
  object,
  path: `${path}.${scheduleKey}`,
});

/** Where a budget cannot be read its hours are not known, but whether anything else would hold beside it is. */
function* inBrokenPool(written: WrittenPool, { settings }: Policy): Generator<Finding> {
  const isFor = ({ budget: { reasons, topologyKey } }: WrittenBudget, reason: Reason): boolean =>
    (reasons === undefined || reasons.has(reason)) && (topologyKey === undefined || reason === 'Drifted');
  for (const mine of written.budgets) {
    if (mine.scheduleKey === undefined || isZero(mine.budget.nodes)) continue;
    const beside = written.budgets.filter((it) => it.scheduleKey === undefined || isZero(it.budget.nodes));
    const free = reasonsOf(written.pool, settings).filter(
      (reason) => isFor(mine, reason) && !beside.some((it) => isFor(it, reason)),
    );
    if (free.length === 0) continue;
    yield {
      ...finding(mine, written),
      message: `${sayPurpose(mine)} Outside its hours ${nameReasons(free)} would have no limit at all.`,
    };
  }
}
