// Is there a window that a budget of 0 at all times keeps shut?
import { isZero } from '../../engine/limits/budgets.ts';
import { formatNodeCount } from '../../kinds/nodeCount.ts';
import { nameBudget, weeklyBudgets } from '../facts/budgetText.ts';
import { habitOf } from '../facts/habit.ts';
import { shutWindows } from '../facts/shutWindows.ts';
import { sayHabit } from '../facts/spanWords.ts';
import { soundPools, zoneOf } from '../facts/unlimited.ts';
import type { WrittenBudget } from '../facts/writtenPools.ts';
import { openSpans, otherHours, type Span, yearAround } from '../facts/year.ts';
import type { Rule } from '../rule.ts';
import { andList } from '../words/lists.ts';

const name = 'budget-shut';

export const budgetShut: Rule = {
  name,
  finds: 'A budget of 0 at all times beside one that is to let nodes go in a window.',
  why: 'The least of the active budgets wins, so a 0 without a schedule wins always: nothing goes, not even in the window.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - schedule: "0 2 * * 6"
        duration: 4h
        nodes: "100%"
      - nodes: "0"  # Block at all other times
`,
  *check(policy) {
    const year = yearAround(policy.now);
    for (const written of soundPools(policy)) {
      const windows = shutWindows(written, policy);
      const zero = written.budgets.find(isAlwaysZero);
      if (windows.length === 0 || !zero) continue;
      yield {
        rule: name,
        severity: 'warning',
        object: written.object,
        path: `${zero.path}.${'nodes' in zero.entry ? 'nodes' : 'maxUnavailable'}`,
        message: `0 holds at all times and the least wins, so nothing ever goes: the hours of ${andList(windows.map((it) => sayWindow(it, year)))} open nothing.`,
        ...suggest(windows, zero, year),
      };
    }
  },
};

const isAlwaysZero = ({ budget: { nodes, topologyKey }, scheduleKey }: WrittenBudget): boolean =>
  isZero(nodes) && topologyKey === undefined && scheduleKey === undefined;

function sayWindow(written: WrittenBudget, year: Span): string {
  const { window } = written.budget;
  const zone = zoneOf([written]);
  return `${nameBudget(written.budget)}, ${window ? sayHabit(habitOf(openSpans(window, year), zone, year), zone) : 'always'},`;
}

/** The same freeze, but for the window alone. */
function suggest(windows: readonly WrittenBudget[], zero: WrittenBudget, year: Span): { suggestion?: string } {
  const [only, ...others] = windows;
  if (!only?.budget.window || others.length > 0) return {};
  const zone = zoneOf([only]);
  const { weekly } = habitOf(otherHours(openSpans(only.budget.window, year), year), zone, year);
  if (weekly.length === 0) return {};
  const reasons = zero.budget.reasons && [...zero.budget.reasons];
  const freeze = weeklyBudgets(weekly, { nodes: '0', reasons, zone });
  return {
    suggestion: `# in place of the 0 at all times; ${formatNodeCount(only.budget.nodes)} may stay as it is\n${freeze}`,
  };
}
