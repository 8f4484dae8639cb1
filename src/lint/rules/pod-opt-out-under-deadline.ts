// Which protected pods would a deadline take down together, whatever their PodDisruptionBudget says?
import type { Pdb } from '../../cluster/model.ts';
import { formatDuration } from '../../time/duration.ts';
import type { Duration } from '../../time/instant.ts';
import { optOutKeyFor } from '../facts/optOuts.ts';
import { annotationPath, asWritten, type WrittenPod } from '../facts/pods.ts';
import type { Finding, Policy, Rule } from '../rule.ts';
import { count, someOf } from '../words/lists.ts';

const name = 'pod-opt-out-under-deadline';

export const podOptOutUnderDeadline: Rule = {
  name,
  finds: 'Pods of one PodDisruptionBudget that are annotated do-not-disrupt on nodes with a terminationGracePeriod.',
  why: 'Until the deadline nothing moves them; at the deadline they are deleted whatever the budget allows. Nodes that expire together then take several of them down at once.',
  example: `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {namespace: web, name: session}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: session}}}
---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Node, metadata: {name: n-1}}
  - {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: default-1}, spec: {terminationGracePeriod: 24h}, status: {nodeName: n-1}}
  - {apiVersion: v1, kind: Pod, metadata: {namespace: web, name: session-1, labels: {app: session}, annotations: {karpenter.sh/do-not-disrupt: "true"}}, spec: {nodeName: n-1}}
  - {apiVersion: v1, kind: Node, metadata: {name: n-2}}
  - {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: default-2}, spec: {terminationGracePeriod: 24h}, status: {nodeName: n-2}}
  - {apiVersion: v1, kind: Pod, metadata: {namespace: web, name: session-2, labels: {app: session}, annotations: {karpenter.sh/do-not-disrupt: "true"}}, spec: {nodeName: n-2}}
`,
  *check(policy) {
    for (const [pdb, forced] of forcedByPdb(policy)) {
      // A single pod is what a budget of one allows.
      if (forced.length > 1) yield asFinding(pdb, forced);
    }
  },
};

interface Forced {
  readonly view: WrittenPod;
  /** The annotation that says so. */
  readonly key: string;
  readonly node: string;
  readonly deadline: Duration;
}

/** Opted-out pods under a deadline, by the budget that means to protect them. */
function forcedByPdb(policy: Policy): ReadonlyMap<Pdb, Forced[]> {
  const forced = new Map<Pdb, Forced[]>();
  for (const { node, claim, timed } of policy.cluster.nodes) {
    const deadline = claim?.spec.terminationGracePeriod;
    if (deadline === undefined) continue;
    for (const view of timed.map((it) => asWritten(it))) {
      const key = view.pdbs.length > 0 ? forcedBy(view, policy) : undefined;
      for (const { pdb } of key === undefined ? [] : view.pdbs) {
        const pods = forced.get(pdb) ?? [];
        pods.push({ view, key: key ?? '', node: node.name, deadline });
        forced.set(pdb, pods);
      }
    }
  }
  return forced;
}

/** Drift and expiry are what a deadline stands behind (A2). */
const forcedBy = (view: WrittenPod, policy: Policy): string | undefined =>
  optOutKeyFor('Drifted', view, policy) ?? optOutKeyFor('Expired', view, policy);

function asFinding(pdb: Pdb, forced: readonly Forced[]): Finding {
  const [{ view, key, deadline }] = forced as [Forced];
  const nodes = [...new Set(forced.map(({ node }) => node))];
  const names = forced.map((it) => it.view.pod.name);
  return {
    rule: name,
    severity: 'warning',
    object: view.object,
    path: annotationPath(key, view.within),
    message: `${count(forced.length, 'pod')} of PodDisruptionBudget ${pdb.namespace}/${pdb.name} (${someOf(names)}) are annotated do-not-disrupt on ${count(nodes.length, 'node')} with a terminationGracePeriod (${formatDuration(deadline)}). When it ends they are deleted, several at once if their nodes go together, whatever the budget allows.`,
    suggestion: `Give them a schedule (karpenter.sh/disruption-schedule) or a do-not-disrupt that ends (such as "8h"), so that they can be moved one by one before the deadline.`,
  };
}
