// Does a pool name a kind of consolidation and switch it off at the same time (A3)?
import { poolFacts } from '../facts/pools.ts';
import { valueAt, writtenAs } from '../facts/written.ts';
import type { Rule } from '../rule.ts';

const name = 'consolidation-never';

export const consolidationNever: Rule = {
  name,
  finds: 'A pool with a consolidationPolicy and consolidateAfter: Never.',
  why: 'Never switches consolidation off altogether, empty nodes included, whatever the policy says.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    consolidationPolicy: WhenEmptyOrUnderutilized
    consolidateAfter: Never
`,
  *check(policy) {
    for (const { pool, object } of poolFacts(policy)) {
      const written = writtenAs(policy, object)?.object;
      const named = ['spec.disruption', 'spec'].find(
        (holder) => valueAt(written, ...holder.split('.'), 'consolidationPolicy') !== undefined,
      );
      if (pool.consolidateAfter !== 'Never' || named === undefined) continue;
      yield {
        rule: name,
        severity: 'info',
        object,
        path: `${named}.consolidationPolicy`,
        message: `consolidateAfter: Never switches consolidation off, so this policy has no effect: even empty nodes of ${pool.name} stay.`,
        suggestion: 'Give consolidateAfter a duration such as 30s, unless no consolidation is meant.',
      };
    }
  },
};
