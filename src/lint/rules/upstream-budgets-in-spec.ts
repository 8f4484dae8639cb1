// Does Karpenter count by the same budgets a second time, while Lull guides it (N4)?

import { formatNodeCount } from '../../kinds/nodeCount.ts';
import { poolsKarpenterReads, useAnnotation } from '../facts/upstream.ts';
import type { Rule } from '../rule.ts';

const name = 'upstream-budgets-in-spec';

export const upstreamBudgetsInSpec: Rule = {
  name,
  finds: 'In the role guide: a pool whose own budgets stand in the spec, where Karpenter reads them too.',
  why: 'What may go is the smaller of both readings, and Karpenter counts in its own way and in UTC. Lull can only do what the budgets say if Karpenter is left free to follow.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "10%"
`,
  *check(policy) {
    if (policy.settings.role !== 'guide') return;
    for (const { object, path, budgets } of poolsKarpenterReads(policy)) {
      const free = budgets.length === 1 && budgets.every(({ budget }) => formatNodeCount(budget.nodes) === '100%');
      if (free || budgets.length === 0) continue;
      yield {
        rule: name,
        severity: 'warning',
        object,
        path,
        message:
          'Lull guides Karpenter, and Karpenter reads these budgets as well: what may go is the smaller of both readings.',
        suggestion: useAnnotation,
      };
    }
  },
};
