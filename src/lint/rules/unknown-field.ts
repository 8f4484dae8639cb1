// Fields that nothing reads: typos in budgets, windows and pod schedules (K4).
import { faultsIn, ruleOf } from '../facts/faults.ts';
import { parted, renamed } from '../facts/renamed.ts';
import { writtenAs } from '../facts/written.ts';
import type { Rule } from '../rule.ts';

const name = 'unknown-field';

export const unknownField: Rule = {
  name,
  finds:
    'A field that is not known in a MaintenanceWindow, a PodDisruptionSchedule or the annotation lull.dev/budgets, or that is close to a known one in a pool.',
  why: 'The API server rejects or drops unknown fields, and a typo in lull.dev/budgets stops its pool: nothing but interrupted nodes is disrupted until it is fixed.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default
  annotations:
    lull.dev/budgets: |
      - nodes: "1"
        reasons: [Drifted]
        topologykey: topology.kubernetes.io/zone
`,
  *check(policy) {
    for (const fault of faultsIn(policy)) {
      if (ruleOf(fault) !== name) continue;
      const { object, path, message } = fault;
      const document = writtenAs(policy, object);
      const fix = document && renamed(fault, document.object);
      yield { rule: name, severity: 'error', object, path, ...parted(message), ...(fix && { fix }) };
    }
  },
};
