// Is there a node that a MaintenanceWindow means?
import { nearLabel } from '../facts/nearLabel.ts';
import { soundWindows, windowObject } from '../facts/windows.ts';
import type { Rule } from '../rule.ts';
import { count } from '../words/lists.ts';

const name = 'window-selects-nothing';

export const windowSelectsNothing: Rule = {
  name,
  finds: 'A MaintenanceWindow that selects none of the nodes in the input.',
  why: 'It holds nothing back: the nodes it was written for may go at any time. Often a label is spelled otherwise on the nodes.',
  example: `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: batch-days}
spec:
  schedules: [{cron: 0 8 * * *, duration: 10h}]
  selector: {matchExpressions: [{key: karpenter.sh/nodePool, operator: In, values: [batch]}]}
---
apiVersion: v1
kind: Node
metadata: {name: n-1, labels: {karpenter.sh/nodepool: batch}}
---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: batch-1}
status: {nodeName: n-1}
`,
  *check(policy) {
    const nodes = policy.cluster.nodes.filter(({ managed }) => managed);
    // A file cannot say that nothing is missing.
    if (nodes.length === 0) return;
    for (const window of soundWindows(policy)) {
      if (!window.selector || nodes.some(({ windows }) => windows.includes(window))) continue;
      const labels = nodes.map(({ node }) => node.labels);
      yield {
        rule: name,
        severity: 'warning',
        object: windowObject(window),
        path: 'spec.selector',
        message: `It selects no node of the input, which holds ${count(nodes.length, 'node')} of Karpenter's: it holds nothing back.`,
        suggestion: nearLabel(window.selector, labels) ?? 'Select nodes by labels that they carry, or remove it.',
      };
    }
  },
};
