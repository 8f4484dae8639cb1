// Does a topology budget go by a label that nothing has?
import type { Pool } from '../../cluster/model.ts';
import { bindsDrift } from '../facts/budgets.ts';
import { nearKey } from '../facts/nearLabel.ts';
import { budgetsPath, poolFacts } from '../facts/pools.ts';
import type { Rule } from '../rule.ts';

const name = 'topology-key-unknown';

export const topologyKeyUnknown: Rule = {
  name,
  finds: 'A topology budget whose label no node of the input carries.',
  why: 'All nodes are then one domain without a name: the budget limits the whole pool at once instead of zone by zone.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - {nodes: "1", reasons: [Drifted], topologyKey: topology.kubernetes.io/Zone, sequential: true}
      - {nodes: 10%}
---
apiVersion: v1
kind: Node
metadata: {name: n-1, labels: {karpenter.sh/nodepool: default, topology.kubernetes.io/zone: eu-central-1a}}
`,
  *check(policy) {
    const labels = policy.cluster.nodes.map(({ node }) => node.labels);
    if (labels.length === 0) return;
    for (const { pool, object } of poolFacts(policy)) {
      for (const { index, topologyKey } of pool.budgets.filter(bindsDrift)) {
        if (topologyKey === undefined || isPromised(pool, topologyKey)) continue;
        if (labels.some((each) => each[topologyKey] !== undefined)) continue;
        yield {
          rule: name,
          severity: 'warning',
          object,
          path: `${budgetsPath(pool)}[${index}].topologyKey`,
          message: `No node has a label ${topologyKey}, so all nodes of ${pool.name} are one domain: this budget limits the pool as a whole.`,
          suggestion: nearKey(topologyKey, labels) ?? 'Name a label of the nodes, such as topology.kubernetes.io/zone.',
        };
      }
    }
  },
};

/** Nodes still to be made will carry it. */
const isPromised = ({ template }: Pool, key: string): boolean =>
  template.labels[key] !== undefined || template.requirements.some((requirement) => requirement.key === key);
