// What else was noticed while reading?
import { ofFaults } from '../facts/faults.ts';
import type { Rule } from '../rule.ts';

const name = 'note';

export const note: Rule = {
  name,
  finds: 'What has no effect as it is written, such as a time zone without a schedule.',
  why: 'It changes nothing, and whoever wrote it expected it to.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "10%"
        timeZone: Europe/Berlin
`,
  check: (policy) => ofFaults(policy, name),
};
