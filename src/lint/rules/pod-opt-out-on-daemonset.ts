// Does a DaemonSet hold every node it runs on?
import type { Pod } from '../../cluster/model.ts';
import { compareText } from '../../cluster/nodeView.ts';
import { isActive, isDaemon } from '../../cluster/pod.ts';
import { optOutKey } from '../facts/optOuts.ts';
import { annotationPath, asWritten, podFacts, type WrittenPod } from '../facts/pods.ts';
import type { Finding, Policy, Rule } from '../rule.ts';

const name = 'pod-opt-out-on-daemonset';

export const podOptOutOnDaemonset: Rule = {
  name,
  finds: 'A DaemonSet most of whose pods are annotated do-not-disrupt.',
  why: 'A DaemonSet runs on every node, so that no node goes any more: neither empty ones nor drifted ones.',
  example: `apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Node, metadata: {name: n-1}}
  - {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: default-1}, status: {nodeName: n-1}}
  - apiVersion: v1
    kind: Pod
    metadata:
      namespace: kube-system
      name: agent-1
      annotations: {karpenter.sh/do-not-disrupt: "true"}
      ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: "1", controller: true}]
    spec: {nodeName: n-1}
`,
  *check(policy) {
    const written = new Set<string>();
    for (const view of podFacts(policy).pods.filter(({ within, pod }) => within !== '' && isDaemon(pod))) {
      const key = optOutKey(view, policy);
      if (key === undefined) continue;
      const set = `${view.pod.namespace}/${view.pod.name}`;
      written.add(set);
      yield finding(view, key, `do-not-disrupt stands in the template of DaemonSet ${set}: the nodes its pods run on`);
    }
    for (const [set, { pods, optedOut }] of [...daemonSetsIn(policy)].sort(([a], [b]) => compareText(a, b))) {
      const [first] = optedOut;
      // A few alone were annotated by hand; a template annotates them all.
      if (!first || written.has(set) || optedOut.length * 2 <= pods) continue;
      const share = `${optedOut.length} of the ${pods} pods of DaemonSet ${set}`;
      const message = `do-not-disrupt stands on ${share}: the nodes they run on`;
      yield finding(first, optOutKey(first, policy) ?? '', message);
    }
  },
};

const finding = (view: WrittenPod, key: string, message: string): Finding => ({
  rule: name,
  severity: 'warning',
  object: view.object,
  path: annotationPath(key, view.within),
  message: `${message} never go, not even empty.`,
  suggestion: "Remove the annotation from the DaemonSet's template: its pods are not moved, they end with their node.",
});

interface DaemonSet {
  pods: number;
  readonly optedOut: WrittenPod[];
}

/** By namespace and name, as far as they run on managed nodes. */
function daemonSetsIn(policy: Policy): ReadonlyMap<string, DaemonSet> {
  const sets = new Map<string, DaemonSet>();
  const setOf = ({ namespace, owner }: Pod): DaemonSet => {
    const key = `${namespace}/${owner?.name}`;
    const set = sets.get(key) ?? { pods: 0, optedOut: [] };
    sets.set(key, set);
    return set;
  };
  for (const { managed, pods, timed } of policy.cluster.nodes) {
    if (!managed) continue;
    for (const pod of pods) if (isDaemon(pod) && isActive(pod)) setOf(pod).pods++;
    for (const view of timed.filter(({ pod }) => isDaemon(pod)).map((it) => asWritten(it)))
      if (optOutKey(view, policy)) setOf(view.pod).optedOut.push(view);
  }
  return sets;
}
