// What could not be read as it must have been meant? The faults of the readers (C8, D7, E6, E7).
import { ofFaults } from '../facts/faults.ts';
import type { Rule } from '../rule.ts';

const name = 'fault';

export const fault: Rule = {
  name,
  finds: 'A value that cannot be read.',
  why: 'What is wrong in a rule makes it fail closed: a pool with such a budget moves nothing, a window blocks, a pod schedule holds its pods. On a pod or node it is left out.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "100%"
        duration: 10m
`,
  check: (policy) => ofFaults(policy, name),
};
