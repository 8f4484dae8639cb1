// Which pods does more than one PodDisruptionBudget mean (E10)?
import { isEvictable } from '../../cluster/pod.ts';
import { pdbObject, podFacts, type WrittenPod } from '../facts/pods.ts';
import { capital } from '../facts/say.ts';
import type { Rule } from '../rule.ts';
import { andList, count, someOf } from '../words/lists.ts';

const name = 'pdb-two-on-one-pod';

export const pdbTwoOnOnePod: Rule = {
  name,
  finds: 'Pods that two or more PodDisruptionBudgets select.',
  why: 'Kubernetes refuses to evict such a pod, whatever the budgets allow: its node can never be drained.',
  example: `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {namespace: web, name: cart}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: cart}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {namespace: web, name: everything}
spec: {maxUnavailable: 50%, selector: {}}
---
apiVersion: v1
kind: Pod
metadata: {namespace: web, name: cart-1, labels: {app: cart}}
`,
  *check(policy) {
    const overlaps = Map.groupBy(podFacts(policy).pods.filter(isOverlapping), ({ pdbs }) =>
      pdbs.map(({ pdb }) => pdbObject(pdb)).join(' '),
    );
    for (const pods of overlaps.values()) {
      const [first, ...others] = (pods[0] as WrittenPod).pdbs.map(({ pdb }) => pdb);
      if (!first) continue;
      yield {
        rule: name,
        severity: 'error',
        object: pdbObject(first),
        path: 'spec.selector',
        message: `${capital(sayPods(pods))} selected by this and by ${andList(others.map((pdb) => pdb.name))} too. Kubernetes evicts no pod with more than one PodDisruptionBudget.`,
        suggestion: 'Change the selectors so that each pod has one budget.',
      };
    }
  },
};

/** `3 pods (a, b and c) are`, `the pods of Deployment web are`: those that a template here makes are told with it. */
function sayPods(views: readonly WrittenPod[]): string {
  const templates = views.filter(({ within }) => within !== '');
  const made = new Set(templates.map(({ object }) => object));
  const alone = views.filter(({ within, maker }) => within === '' && !made.has(maker));
  const names = templates.map(({ pod }) => `${pod.owner?.kind} ${pod.name}`);
  const told = [
    ...(names.length > 0 ? [`the pods of ${someOf(names)}`] : []),
    ...(alone.length > 0 ? [`${count(alone.length, 'pod')} (${someOf(alone.map(({ pod }) => pod.name))})`] : []),
  ];
  return `${andList(told)} ${names.length === 0 && alone.length === 1 ? 'is' : 'are'}`;
}

/** A budget that cannot be read is taken to mean whatever it might: that is told as its fault. */
const isOverlapping = ({ pod, pdbs }: WrittenPod): boolean =>
  pdbs.length > 1 && isEvictable(pod) && pdbs.every(({ pdb }) => pdb.fault === undefined);
