// What could not be read as it must have been meant? The faults of the readers (C8, D7, E6, E7).
import { countPods } from '../facts/crowd.ts';
import { ofFaults } from '../facts/faults.ts';
import { podFacts } from '../facts/pods.ts';
import { scheduleOf } from '../facts/schedules.ts';
import type { Finding, Policy, Rule } from '../rule.ts';

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
  check: (policy) => [...ofFaults(policy, name), ...ofUnexamined(policy)],
};

/** What is left out for its cost is told, once. */
function ofUnexamined(policy: Policy): Finding[] {
  const { unexamined } = podFacts(policy);
  const [first] = unexamined;
  if (!first) return [];
  return [
    {
      rule: name,
      severity: 'warning',
      ...scheduleOf(first),
      message: `There are too many different pod schedules to look into all of them: those of ${countPods(unexamined)} are left out, this one first.`,
      suggestion: 'Use the same schedule on pods that are alike, or check fewer objects at a time.',
    },
  ];
}
