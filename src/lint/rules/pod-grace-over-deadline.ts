// Do pods get the time to end that they ask for, before their node's deadline?
import type { Pod } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { isActive, isMirror } from '../../cluster/pod.ts';
import { formatDuration } from '../../time/duration.ts';
import { asDuration, type Duration, second } from '../../time/instant.ts';
import { poolFacts } from '../facts/pools.ts';
import type { Rule } from '../rule.ts';
import { count } from '../words/lists.ts';

const name = 'pod-grace-over-deadline';

export const podGraceOverDeadline: Rule = {
  name,
  finds: 'A terminationGracePeriod of nodes that is shorter than the terminationGracePeriodSeconds of pods on them.',
  why: 'At the deadline of the node such a pod is killed, however long it was promised to have.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec: {template: {spec: {terminationGracePeriod: 30m}}}
---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Node, metadata: {name: n-1, labels: {karpenter.sh/nodepool: default}}}
  - {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: default-1}, spec: {terminationGracePeriod: 30m}, status: {nodeName: n-1}}
  - {apiVersion: v1, kind: Pod, metadata: {namespace: ml, name: trainer}, spec: {nodeName: n-1, terminationGracePeriodSeconds: 7200}}
`,
  *check(policy) {
    for (const { pool, object, nodes } of poolFacts(policy)) {
      const cut = nodes.flatMap(cutShort).sort((a, b) => b.pod.graceSeconds - a.pod.graceSeconds);
      const [longest] = cut;
      if (!longest) continue;
      const { pod, claim, deadline } = longest;
      const inTemplate = pool.template.terminationGracePeriod !== undefined;
      const grace = formatDuration(asDuration(pod.graceSeconds * second));
      const others = cut.length > 1 ? `, and ${count(cut.length - 1, 'more pod')} too long` : '';
      yield {
        rule: name,
        severity: 'warning',
        object: inTemplate ? object : `NodeClaim/${claim}`,
        path: inTemplate ? 'spec.template.spec.terminationGracePeriod' : 'spec.terminationGracePeriod',
        message: `Nodes of ${pool.name} are given ${formatDuration(deadline)} to end, but pod ${pod.namespace}/${pod.name} may take ${grace}${others}: what has not ended by then is killed.`,
        suggestion: `Make terminationGracePeriod longer than ${grace}, or terminationGracePeriodSeconds of the pods shorter.`,
      };
    }
  },
};

interface CutShort {
  readonly pod: Pod;
  readonly claim: string;
  readonly deadline: Duration;
}

/** The pods of a node that ask for more time than it gives them. */
function cutShort({ claim, pods }: NodeView): CutShort[] {
  const deadline = claim?.spec.terminationGracePeriod;
  if (deadline === undefined || !claim) return [];
  return pods
    .filter((pod) => isActive(pod) && !isMirror(pod) && pod.graceSeconds * second > deadline)
    .map((pod) => ({ pod, claim: claim.name, deadline }));
}
