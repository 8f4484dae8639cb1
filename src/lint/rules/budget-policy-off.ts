// Which reasons of a budget never arise in its pool, or are never asked about (A3)?
import type { Reason } from '../../cluster/reason.ts';
import { nameReasons, offBy } from '../facts/reasons.ts';
import { writtenPools } from '../facts/writtenPools.ts';
import type { Rule } from '../rule.ts';

const name = 'budget-policy-off';

export const budgetPolicyOff: Rule = {
  name,
  finds: 'A budget for a reason that the pool turns off by another field.',
  why: 'consolidationPolicy, consolidateAfter, replicas, expireAfter and repairAfter say whether a reason arises at all. A budget for one that does not has no effect, and hides from a reader that nothing happens anyway.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    consolidationPolicy: WhenEmpty
    budgets:
      - nodes: "10%"
      - nodes: "5%"
        reasons: [Underutilized, Drifted]
`,
  *check(policy) {
    for (const { pool, object, budgets } of writtenPools(policy)) {
      for (const { budget, entry, path } of budgets) {
        const named = [...(budget.reasons ?? [])];
        const because = Map.groupBy(named, (reason) => offBy(pool, reason, policy.settings));
        for (const [cause, reasons] of because) {
          if (cause === undefined) continue;
          yield {
            rule: name,
            severity: 'info',
            object,
            path: `${path}.${'reasons' in entry ? 'reasons' : 'reason'}`,
            message: say(cause, reasons, named),
          };
        }
      }
    }
  },
};

function say(cause: string, reasons: readonly Reason[], named: readonly Reason[]): string {
  const pointless = reasons.length === named.length ? 'this budget does nothing' : 'naming it here does nothing';
  return `${nameReasons(reasons)} ${reasons.length === 1 ? 'is' : 'are'} off by ${cause} anyway, so ${pointless}.`;
}
