// Which sequential budgets of a pool are never used, because another stands before them (C15)?
import { activeTopologyBudgets } from '../../engine/limits/domains.ts';
import { bindsDrift } from '../facts/budgets.ts';
import { nameBudget } from '../facts/budgetText.ts';
import { phasesOf } from '../facts/phases.ts';
import { soundPools } from '../facts/unlimited.ts';
import type { Rule } from '../rule.ts';

const name = 'budget-sequential-unused';

export const budgetSequentialUnused: Rule = {
  name,
  finds: 'A sequential budget that never has its turn, because one before it is active whenever it is.',
  why: 'Only the first active sequential budget of a pool is used. Those behind it do nothing: neither their key nor their number holds.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "10%"
      - nodes: "2"
        topologyKey: topology.kubernetes.io/zone
        sequential: true
      - nodes: "1"
        topologyKey: example.com/rack
        sequential: true
`,
  *check(policy) {
    for (const { pool, object, budgets } of soundPools(policy)) {
      const used = new Set(phasesOf(pool, policy.now).flatMap(({ at }) => activeTopologyBudgets(pool, at)));
      const sequential = budgets.filter(({ budget }) => budget.sequential && bindsDrift(budget));
      const [first] = sequential;
      for (const { budget, path } of sequential) {
        if (used.has(budget) || !first) continue;
        yield {
          rule: name,
          severity: 'warning',
          object,
          path: `${path}.sequential`,
          message: `Only the first active sequential budget of a pool is used, and ${nameBudget(first.budget)} stands before this one whenever it is active: it does nothing.`,
          suggestion: 'Keep one sequential budget, or give each hours of its own.',
        };
      }
    }
  },
};
