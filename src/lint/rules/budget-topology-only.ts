// Is a topology budget the only budget of a pool?
import { bindsDrift } from '../facts/budgets.ts';
import { nameReasons, reasonsOf } from '../facts/reasons.ts';
import { soundPools } from '../facts/unlimited.ts';
import type { Rule } from '../rule.ts';

const name = 'budget-topology-only';

export const budgetTopologyOnly: Rule = {
  name,
  finds: 'A pool with topology budgets and no other.',
  why: 'A topology budget binds drift alone. For everything else the pool has no limit, and the default of 10% is gone as soon as one budget is written.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "1"
        topologyKey: topology.kubernetes.io/zone
        sequential: true
        reasons: [Drifted]
`,
  *check(policy) {
    for (const { pool, object, path, budgets } of soundPools(policy)) {
      if (!budgets.every(({ budget }) => budget.topologyKey !== undefined)) continue;
      const drifts = budgets.some(({ budget }) => bindsDrift(budget));
      const free = reasonsOf(pool, policy.settings).filter((reason) => reason !== 'Drifted' || !drifts);
      if (free.length === 0) continue;
      yield {
        rule: name,
        severity: 'warning',
        object,
        path,
        message: `Topology budgets limit drift alone, and ${pool.name} has no other: any number of its nodes may go at once for ${nameReasons(free)}.`,
        suggestion: '- nodes: "10%"',
      };
    }
  },
};
