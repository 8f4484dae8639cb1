// Is there a pod that a PodDisruptionBudget means?
import type { Pdb } from '../../cluster/model.ts';
import { countPods } from '../facts/crowd.ts';
import { nearLabel } from '../facts/nearLabel.ts';
import { pdbObject, podFacts, type WrittenPod } from '../facts/pods.ts';
import { valueAt, writtenAs } from '../facts/written.ts';
import type { Rule } from '../rule.ts';

const name = 'pdb-selects-nothing';

export const pdbSelectsNothing: Rule = {
  name,
  finds: 'A PodDisruptionBudget that selects none of the pods in its namespace.',
  why: 'The pods it was written for are not protected: a drain may take all of them at once.',
  example: `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {namespace: web, name: cart}
spec:
  maxUnavailable: 1
  selector: {matchLabels: {App: cart}}
---
apiVersion: v1
kind: Pod
metadata: {namespace: web, name: cart-1, labels: {app: cart}}
`,
  *check(policy) {
    const { pods, pdbs, guarded } = podFacts(policy);
    const near = Map.groupBy(pods, ({ pod }) => pod.namespace);
    for (const pdb of pdbs) {
      const neighbours = near.get(pdb.namespace) ?? [];
      const expected = valueAt(writtenAs(policy, pdbObject(pdb))?.object, 'status', 'expectedPods');
      // Where its own status knows pods, the input is only a part of the cluster; as it may be where the namespace shows none.
      const isWhole = neighbours.length > 0 || (expected === 0 && pods.length > 0);
      if (pdb.fault || (typeof expected === 'number' && expected > 0)) continue;
      if (pdb.selector.nothing) yield withoutSelector(pdb);
      else if (isWhole && !guarded.has(pdb)) yield finding(pdb, neighbours);
    }
  },
};

const finding = (pdb: Pdb, neighbours: readonly WrittenPod[]) => ({
  rule: name,
  severity: 'warning' as const,
  object: pdbObject(pdb),
  path: 'spec.selector',
  message: `It selects no pod of its namespace, in which the input holds ${neighbours.length > 0 ? countPods(neighbours) : 'none'}: it protects nothing.`,
  suggestion:
    nearLabel(
      pdb.selector.requirements,
      neighbours.map(({ pod }) => pod.labels),
    ) ?? 'Select pods by labels that they carry, or remove it.',
});

const withoutSelector = (pdb: Pdb) => ({
  rule: name,
  severity: 'warning' as const,
  object: pdbObject(pdb),
  path: 'spec.selector',
  message: 'It has no selector, which in policy/v1 selects no pod at all: it protects nothing.',
  suggestion:
    'Name the pods, such as selector: {matchLabels: {app: cart}}; selector: {} means every pod of the namespace.',
});
