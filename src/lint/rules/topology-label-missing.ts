// Which nodes does a topology budget not know where to put? Those without its label (C14).
import type { NodeView } from '../../cluster/nodeView.ts';
import { bindsDrift } from '../facts/budgets.ts';
import { budgetsPath, poolFacts } from '../facts/pools.ts';
import type { Rule } from '../rule.ts';
import { someOf } from '../words/lists.ts';

const name = 'topology-label-missing';

export const topologyLabelMissing: Rule = {
  name,
  finds: 'Nodes of a pool that lack the label its topology budget goes by, while others carry it.',
  why: 'All nodes without the label are one domain of their own, wherever they run, and are taken last: two real zones may then be disrupted at once.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - {nodes: "1", reasons: [Drifted], topologyKey: topology.kubernetes.io/zone, sequential: true}
      - {nodes: 10%}
---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Node, metadata: {name: n-1, labels: {karpenter.sh/nodepool: default, karpenter.sh/initialized: "true", topology.kubernetes.io/zone: eu-central-1a}}}
  - {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: default-1}, status: {nodeName: n-1}}
  - {apiVersion: v1, kind: Node, metadata: {name: n-2, labels: {karpenter.sh/nodepool: default, karpenter.sh/initialized: "true"}}}
  - {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: default-2}, status: {nodeName: n-2}}
`,
  *check(policy) {
    const isKnown = (key: string): boolean => policy.cluster.nodes.some(({ node }) => node.labels[key] !== undefined);
    for (const { pool, object, nodes } of poolFacts(policy)) {
      for (const { index, topologyKey } of pool.budgets.filter(bindsDrift)) {
        if (topologyKey === undefined || !isKnown(topologyKey)) continue;
        const lacking = nodes.filter((view) => lacks(view, topologyKey));
        if (lacking.length === 0) continue;
        yield {
          rule: name,
          severity: 'warning',
          object,
          path: `${budgetsPath(pool)}[${index}].topologyKey`,
          message: `${lacking.length} of ${nodes.length} nodes of ${pool.name} have no label ${topologyKey} (${someOf(lacking.map(({ node }) => node.name))}). They count as one domain of their own, wherever they run, and are taken last.`,
          suggestion: `Label these nodes with ${topologyKey}, and the pool's template too, so that new nodes carry it.`,
        };
      }
    }
  },
};

/** A node that is still coming up may get its labels yet. */
const lacks = ({ node, state }: NodeView, key: string): boolean => state.counted && node.labels[key] === undefined;
