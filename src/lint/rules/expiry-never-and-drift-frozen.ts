// Is there a pool whose nodes nothing ever renews?
import { openByBudgets } from '../../engine/limits/poolHours.ts';
import { everOpen } from '../facts/hours.ts';
import { expireAfterPath, poolFacts, windowSetsOf } from '../facts/pools.ts';
import { permittingHours } from '../facts/windows.ts';
import type { Rule } from '../rule.ts';

const name = 'expiry-never-and-drift-frozen';

export const expiryNeverAndDriftFrozen: Rule = {
  name,
  finds: 'A pool with expireAfter: Never whose budgets or MaintenanceWindows never let a node go for drift.',
  why: 'Neither age nor a new image replaces its nodes: they run what they were born with, security holes included, until somebody deletes them.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: database}
spec:
  template: {spec: {expireAfter: Never}}
  disruption:
    budgets: [{nodes: "0", reasons: [Drifted]}, {nodes: 10%}]
`,
  *check(policy) {
    for (const facts of poolFacts(policy)) {
      const { pool, object } = facts;
      // Older Provisioners expire nothing unless told to.
      const expires = typeof pool.template.expireAfter === 'number' || typeof pool.expireEarlyAfter === 'number';
      if (expires || pool.provisioner) continue;
      const budgets = openByBudgets(pool, 'Drifted');
      const sets = windowSetsOf(facts, policy);
      if (sets.some((set) => everOpen([budgets, ...permittingHours(set, 'Drifted')], policy.now))) continue;
      yield {
        rule: name,
        severity: 'warning',
        object,
        path: expireAfterPath(policy, facts),
        message: `Nodes of ${pool.name} never expire, and its budgets and windows never let one go for Drifted: no new image ever reaches them.`,
        suggestion: 'Open the pool for Drifted at some hour, such as a night of the week; or give it an expireAfter.',
      };
    }
  },
};
