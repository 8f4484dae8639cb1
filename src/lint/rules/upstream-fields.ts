// Which fields of a budget does Karpenter not know, so that it reads the budget as another one (C17, N9)?
import { formatNodeCount } from '../../kinds/nodeCount.ts';
import { poolsKarpenterReads, severityBeside, useAnnotation } from '../facts/upstream.ts';
import type { WrittenBudget } from '../facts/writtenPools.ts';
import type { Rule } from '../rule.ts';
import { andList } from '../words/lists.ts';

const name = 'upstream-fields';

export const upstreamFields: Rule = {
  name,
  finds: 'Fields of Lull (timeZone, topologyKey, sequential, settle, patience) in budgets that Karpenter reads too.',
  why: "Karpenter's CRD rejects or drops these fields. Where the CRD is patched they stay, and Karpenter still ignores them: a topology budget is a flat one to it, with two zones at once, and hours are in UTC.",
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "10%"
      - nodes: "1"
        topologyKey: topology.kubernetes.io/zone
        sequential: true
        reasons: [Drifted]
`,
  *check(policy) {
    for (const { object, budgets } of poolsKarpenterReads(policy)) {
      for (const written of budgets) {
        const fields = unknown.filter((field) => field in written.entry);
        const [first] = fields;
        if (first === undefined) continue;
        yield {
          rule: name,
          severity: severityBeside(policy, 'info'),
          object,
          path: `${written.path}.${first}`,
          message: `Karpenter does not know ${andList(fields)}: ${readAs(written)}.`,
          suggestion: useAnnotation,
        };
      }
    }
  },
};

const unknown = ['timeZone', 'topologyKey', 'sequential', 'settle', 'patience'];

function readAs({ budget, entry }: WrittenBudget): string {
  const flat = `it reads this as ${formatNodeCount(budget.nodes)} of the whole pool, in all domains at once`;
  const inUtc = 'it reads the hours as UTC';
  const misread = [...(budget.topologyKey === undefined ? [] : [flat]), ...('timeZone' in entry ? [inUtc] : [])];
  return misread.length > 0 ? andList(misread) : 'it rejects or drops them';
}
