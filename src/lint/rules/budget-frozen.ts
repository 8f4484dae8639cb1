// A budget of 0 without reasons and hours: the pool is frozen for good, and budgets for single reasons beside it never apply (C5).
import type { Reason } from '../../cluster/reason.ts';
import { budgetReasons } from '../../cluster/reason.ts';
import { formatNodeCount } from '../../kinds/nodeCount.ts';
import { budgetYaml } from '../facts/budgetText.ts';
import { frozenBy } from '../facts/frozen.ts';
import { nameReasons, upstreamReasons } from '../facts/reasons.ts';
import { soundPools } from '../facts/unlimited.ts';
import type { WrittenBudget, WrittenPool } from '../facts/writtenPools.ts';
import type { Rule } from '../rule.ts';
import { andList } from '../words/lists.ts';

const name = 'budget-frozen';

export const budgetFrozen: Rule = {
  name,
  finds: 'A budget of 0 at all times and for every reason, alone or beside budgets for single reasons.',
  why: 'A 0 without reasons freezes every reason, also those that another budget names: nothing is ever disrupted voluntarily. Nodes then go only when they expire by force, or are interrupted.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "0"
      # Meant: empty nodes may go.
      - nodes: "20%"
        reasons: [Empty]
`,
  *check(policy) {
    for (const written of soundPools(policy)) {
      const frozen = frozenBy(written);
      if (!frozen || !(frozen.alone || frozen.scoped.length > 0)) continue;
      const { zero, scoped } = frozen;
      yield {
        rule: name,
        severity: 'warning',
        object: written.object,
        path: `${zero.path}.${'nodes' in zero.entry ? 'nodes' : 'maxUnavailable'}`,
        message:
          scoped.length > 0
            ? `A budget of 0 without reasons freezes every reason at all times, so ${andList(scoped.map(sayScoped))} never ${scoped.length === 1 ? 'applies' : 'apply'}.`
            : 'This is the only limit, at all times and for every reason: nothing of this pool is ever disrupted voluntarily.',
        suggestion: scoped.length > 0 ? unfrozen(scoped, written) : lifted,
      };
    }
  },
};

const sayScoped = ({ budget: { index, nodes, reasons } }: WrittenBudget): string =>
  `budgets[${index}] (${formatNodeCount(nodes)} for ${nameReasons(reasons ?? [])})`;

const lifted = `# a freeze that ends: a MaintenanceWindow with notAfter and a note, beside
${budgetYaml({ nodes: '10%' })}`;

/** The 0 for the other reasons alone. Karpenter's CRD does not know all of them: there one budget stays without reasons. */
function unfrozen(scoped: readonly WrittenBudget[], { pool }: WrittenPool): string {
  const named = new Set(scoped.flatMap(({ budget }) => [...(budget.reasons ?? [])]));
  const others = budgetReasons.filter((reason) => !named.has(reason));
  const all = pool.budgetsFrom === 'annotation' ? others : others.filter((reason) => upstreamReasons.has(reason));
  const [only, ...more] = scoped;
  const keep = pool.budgetsFrom === 'annotation' || more.length > 0;
  const rest = keep ? scoped.map(asWritten) : only ? [budgetYaml({ nodes: formatNodeCount(only.budget.nodes) })] : [];
  return ['# in place of these budgets', frozenFor(all), ...rest].join('\n');
}

const frozenFor = (reasons: readonly Reason[]): string => budgetYaml({ nodes: '0', reasons });

const asWritten = ({ budget: { nodes, reasons } }: WrittenBudget): string =>
  budgetYaml({ nodes: formatNodeCount(nodes), reasons: [...(reasons ?? [])] });
