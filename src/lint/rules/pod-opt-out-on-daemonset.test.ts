import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { podOptOutOnDaemonset } from './pod-opt-out-on-daemonset.ts';

const { example } = podOptOutOnDaemonset;
const changed = (from: string, to: string): string => example.replace(from, to);

describe('E11: pod-opt-out-on-daemonset', () => {
  it('finds its example', () => {
    expect(found(podOptOutOnDaemonset)).toEqual([
      {
        rule: 'pod-opt-out-on-daemonset',
        severity: 'warning',
        object: 'Pod/kube-system/agent-1',
        path: 'metadata.annotations[karpenter.sh/do-not-disrupt]',
        message:
          'do-not-disrupt stands on 1 of the 1 pods of DaemonSet kube-system/agent: the nodes they run on never go, not even empty.',
        suggestion:
          "Remove the annotation from the DaemonSet's template: its pods are not moved, they end with their node.",
      },
    ]);
  });

  const others = ['agent-2', 'agent-3'].map(
    (name) =>
      `  - {apiVersion: v1, kind: Pod, metadata: {namespace: kube-system, name: ${name}, ownerReferences: [{kind: DaemonSet, name: agent, uid: "1", controller: true}]}, spec: {nodeName: n-1}}\n`,
  );

  it.each([
    { name: 'one pod of three, annotated by hand', text: example + others.join('') },
    { name: 'half of them', text: example + others[0] },
    { name: 'a pod of something else', text: changed('kind: DaemonSet', 'kind: ReplicaSet') },
    { name: 'a protection that ends', text: changed('"true"}', '1h}') },
    { name: 'a node that is not managed', text: changed('status: {nodeName: n-1}', 'status: {nodeName: n-2}') },
  ])('is silent about $name', ({ text }) => {
    expect(places(podOptOutOnDaemonset, text)).toEqual([]);
  });
});
