// Did somebody write a list of budgets with nothing in it (C1)?
import { writtenPools } from '../facts/writtenPools.ts';
import type { Rule } from '../rule.ts';

const name = 'budget-empty-list';

export const budgetEmptyList: Rule = {
  name,
  finds: 'An empty list of budgets.',
  why: 'Only an absent list means the default of 10%. An empty one sets no limit: all nodes of the pool may go at once.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets: []
`,
  *check(policy) {
    for (const { pool, object, path } of writtenPools(policy)) {
      if (pool.budgetsFrom === 'default' || pool.budgets.length > 0 || pool.fault?.path === path) continue;
      yield {
        rule: name,
        severity: 'warning',
        object,
        path,
        message: `An empty list sets no limit at all: every node of ${pool.name} may go at once, for any reason. Only an absent list means 10%.`,
        suggestion: '- nodes: "10%"',
      };
    }
  },
};
