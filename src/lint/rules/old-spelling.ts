// What is written as older documents wrote it, and what is the text of today (C2)?
import { faultsIn, ruleOf } from '../facts/faults.ts';
import { respelled } from '../facts/respelled.ts';
import { writtenAs } from '../facts/written.ts';
import type { Rule } from '../rule.ts';

const name = 'old-spelling';

export const oldSpelling: Rule = {
  name,
  finds: 'Fields and values that are spelled as in older documents.',
  why: 'Lull reads them, but Karpenter and its CRD of today do not, and readers know the new names.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - crontab: "0 9 * * mon-fri"
        duration: 8h
        maxUnavailable: 0
      - maxUnavailable: 10
`,
  *check(policy) {
    for (const fault of faultsIn(policy)) {
      if (ruleOf(fault) !== name) continue;
      const { object, path, message, severity } = fault;
      const document = writtenAs(policy, object);
      const fix = document && respelled(fault, document.object);
      yield { rule: name, severity, object, path, message, ...(fix && { fix }) };
    }
  },
};
