// Which reasons does no budget limit, at any hour?
import type { Reason } from '../../cluster/reason.ts';
import { amountOf } from '../../engine/limits/budgets.ts';
import { formatNodeCount } from '../../kinds/nodeCount.ts';
import { budgetYaml } from '../facts/budgetText.ts';
import { sizesFor } from '../facts/decisive.ts';
import { nameReasons, severityOfFree, upstreamReasons } from '../facts/reasons.ts';
import { soundPools, unlimitedHours } from '../facts/unlimited.ts';
import type { WrittenPool } from '../facts/writtenPools.ts';
import type { Policy, Rule } from '../rule.ts';

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
        yield {
          rule: name,
          severity: severityOfFree(hours.reasons, policy.settings),
          object: written.object,
          path: written.path,
          message: `No budget is for ${nameReasons(hours.reasons)}, so any number of nodes may go for ${hours.reasons.length === 1 ? 'it' : 'them'} at once. The default of 10% holds only where no budgets are written.`,
          suggestion: suggest(written, hours.reasons, policy),
        };
      }
    }
  },
};

const tenth = { percent: 10 } as const;

/** One budget more. Karpenter reads those of the spec too: with fewer reasons, and one without reasons as a ceiling of all. */
function suggest({ pool, budgets }: WrittenPool, reasons: readonly Reason[], { settings }: Policy): string {
  const ceiling = settings.defaultBudgets === 'ceiling';
  const yaml = budgetYaml({ nodes: formatNodeCount(tenth), ...(ceiling && { reasons }) });
  if (settings.role === 'drive' || pool.budgetsFrom !== 'spec') return yaml;
  const binds = sizesFor(pool.budgets).some((size) =>
    budgets.some(({ budget }) => amountOf(budget.nodes, size) > amountOf(tenth, size)),
  );
  const isRejected = ceiling && reasons.some((reason) => !upstreamReasons.has(reason));
  if (!isRejected && (ceiling || !binds)) return yaml;
  const why = isRejected
    ? "Karpenter's CRD does not know all of these reasons."
    : 'In the spec Karpenter would take one more budget for a ceiling of the others.';
  const fields = yaml.slice('- '.length).replaceAll('\n  ', ', ');
  return `${why} Write the budgets in the annotation lull.dev/budgets, and there one more: ${fields}`;
}
