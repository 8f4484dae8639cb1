// Which budgets stand where nobody reads them? In blocks by reason, as a design proposed and rejected.
import { ofFaults } from '../facts/faults.ts';
import type { Rule } from '../rule.ts';

const name = 'per-reason-blocks';

export const perReasonBlocks: Rule = {
  name,
  finds: 'Budgets in blocks by reason (disruption.drift.budgets, disruption.defaults) instead of one list.',
  why: 'The by-reason document describes such blocks and rejects them. Neither Lull nor Karpenter reads them: what holds is the list in disruption.budgets, or 10%.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    drift:
      budgets:
        - nodes: "20%"
`,
  check: (policy) => ofFaults(policy, name),
};
