// Are a pool's budgets ever open while the windows over its nodes are?
import type { Reason } from '../../cluster/reason.ts';
import { openByBudgets } from '../../engine/limits/poolHours.ts';
import { everOpen } from '../facts/hours.ts';
import { budgetsPath, type PoolFacts, poolFacts, windowSetsOf } from '../facts/pools.ts';
import { reasonsOf } from '../facts/reasons.ts';
import { permittingHours, reasonsText } from '../facts/windows.ts';
import type { Policy, Rule } from '../rule.ts';
import { andList } from '../words/lists.ts';

const name = 'window-and-budgets-never-meet';

export const windowAndBudgetsNeverMeet: Rule = {
  name,
  finds: 'A pool whose budgets of zero close it whenever the MaintenanceWindows over its nodes are open.',
  why: 'Budgets and windows must both permit. Each looks sensible by itself; together they let nothing go, ever.',
  example: `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: nights-only}
spec:
  mode: Allow
  schedules: [{cron: 0 22 * * *, duration: 6h}]
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - {nodes: 10%}
      - {nodes: "0", schedule: 0 18 * * *, duration: 14h}
`,
  *check(policy) {
    for (const facts of poolFacts(policy)) {
      const { windows, reasons } = closedFor(facts, policy);
      if (reasons.length === 0) continue;
      yield {
        rule: name,
        severity: 'warning',
        object: facts.object,
        path: budgetsPath(facts.pool),
        message: `The budgets of ${facts.pool.name} and the windows over its nodes (${andList([...windows].sort())}) are never open together: nothing ever goes for ${reasonsText(new Set(reasons))}.`,
        suggestion: 'Leave the hours to one of them: to the windows, or to budgets of zero.',
      };
    }
  },
};

/** The reasons for which each opens but both never do, and the windows that have to do with it. */
function closedFor(facts: PoolFacts, policy: Policy): { windows: ReadonlySet<string>; reasons: readonly Reason[] } {
  const windows = new Set<string>();
  const reasons = reasonsOf(facts.pool, policy.settings).filter((reason) => {
    const budgets = openByBudgets(facts.pool, reason);
    if (!everOpen([budgets], policy.now)) return false;
    const never = windowSetsOf(facts, policy).filter((set) => {
      const hours = permittingHours(set, reason);
      return everOpen(hours, policy.now) && !everOpen([budgets, ...hours], policy.now);
    });
    for (const window of never.flat()) if (window.reasons.has(reason)) windows.add(window.name);
    return never.length > 0;
  });
  return { windows, reasons };
}
