// Did somebody write a budget for no reason at all (C1)?
import { writtenPools } from '../facts/writtenPools.ts';
import type { Rule } from '../rule.ts';

const name = 'budget-empty-reasons';

export const budgetEmptyReasons: Rule = {
  name,
  finds: 'A budget with an empty list of reasons.',
  why: 'Lull reads it as a budget for every reason. Karpenter admits it, and then the budget silently never holds.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "1"
        reasons: []
`,
  *check(policy) {
    for (const { pool, object, budgets } of writtenPools(policy)) {
      for (const { entry, path } of budgets) {
        const key = 'reasons' in entry ? 'reasons' : 'reason';
        const reasons = entry[key];
        if (!Array.isArray(reasons) || reasons.length > 0) continue;
        yield {
          rule: name,
          severity: 'warning',
          object,
          path: `${path}.${key}`,
          message:
            'An empty list is read as every reason. Karpenter reads it as none: there this budget never holds, and says nothing.',
          suggestion: 'Leave it out for every reason, or name some: reasons: [Drifted].',
          ...(pool.budgetsFrom === 'spec' && { fix: [{ path: `${path}.${key}`, remove: true as const }] }),
        };
      }
    }
  },
};
