// Which reasons does no budget limit, at any hour?
import { budgetYaml } from '../facts/budgetText.ts';
import { nameReasons, severityOfFree } from '../facts/reasons.ts';
import { soundPools, unlimitedHours } from '../facts/unlimited.ts';
import type { Rule } from '../rule.ts';

const name = 'budget-reason-missing';

export const budgetReasonMissing: Rule = {
  name,
  finds: 'Reasons that no budget of a pool is for.',
  why: 'A reason that no budget names, where every budget names some, has no limit: any number of nodes may go for it at once. Karpenter knows fewer reasons than Lull, so lists that were complete there are not here.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "80%"
        reasons: [Empty, Drifted]
      - nodes: "80%"
        reasons: [Underutilized]
`,
  *check(policy) {
    for (const written of soundPools(policy)) {
      // A pool without any flat budget is told by budget-topology-only.
      if (written.budgets.every(({ budget }) => budget.topologyKey !== undefined)) continue;
      for (const hours of unlimitedHours(written, policy)) {
        if (!hours.always) continue;
        const ceiling = policy.settings.defaultBudgets === 'ceiling';
        yield {
          rule: name,
          severity: severityOfFree(hours.reasons, policy.settings),
          object: written.object,
          path: written.path,
          message: `No budget is for ${nameReasons(hours.reasons)}, so any number of nodes may go for ${hours.reasons.length === 1 ? 'it' : 'them'} at once. The default of 10% holds only where no budgets are written.`,
          suggestion: budgetYaml({ nodes: '10%', ...(ceiling && { reasons: hours.reasons }) }),
        };
      }
    }
  },
};
