// Which fields are nearly, but not quite, ones that Lull reads?
import { ofFaults } from '../facts/faults.ts';
import type { Rule } from '../rule.ts';

const name = 'unknown-field';

export const unknownField: Rule = {
  name,
  finds: 'A field whose name is one slip away from one that is known.',
  why: 'Unknown fields are ignored, so that a slip of the pen silently leaves out what it was to say.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "1"
        reason: [Drifted]
        topologykey: topology.kubernetes.io/zone
`,
  check: (policy) => ofFaults(policy, name),
};
