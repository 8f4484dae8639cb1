// Tests of the lint rules about opt-outs and deadlines.
import { describe, expect, it } from 'vitest';
import { exampleOf, found, places } from '../../../test/fixtures/lintPolicy.ts';

describe('E2: node-hold-without-why', () => {
  const example = exampleOf('node-hold-without-why');

  it('finds its example', () => {
    expect(found('node-hold-without-why')).toEqual([
      {
        rule: 'node-hold-without-why',
        severity: 'info',
        object: 'Node/n-1',
        path: 'metadata.annotations[lull.dev/hold]',
        message: 'This node is held, but the annotation does not say by whom or why.',
        suggestion: 'Put it in the value, for example lull.dev/hold: "mia, kernel debugging until Friday".',
      },
    ]);
  });

  it('finds an empty value', () => {
    expect(places('node-hold-without-why', example.replace('"true"', '" "'))).toHaveLength(1);
  });

  it.each([
    { name: 'a why', text: example.replace('"true"', 'mia debugs') },
    { name: 'no hold', text: example.replace('hold', 'other') },
  ])('is silent about $name', ({ text }) => {
    expect(places('node-hold-without-why', text)).toEqual([]);
  });
});

describe('E2: node-opt-out-left', () => {
  const example = exampleOf('node-opt-out-left');
  const changed = (from: string, to: string): string => example.replace(from, to);

  it('finds its example', () => {
    expect(found('node-opt-out-left', example, { at: '2025-03-01T09:00:00Z' })).toEqual([
      {
        rule: 'node-opt-out-left',
        severity: 'info',
        object: 'Node/n-1',
        path: 'metadata.annotations[karpenter.sh/do-not-disrupt]',
        message: 'This node is 54 days old and is never disrupted for drift, expiry or consolidation.',
        suggestion: 'Remove the annotation, or use lull.dev/hold: <why>, which shows why the node is kept.',
      },
    ]);
  });

  it.each([
    { name: 'a node of 30 days', text: example, at: '2025-02-05T09:00:00Z' },
    { name: 'a protection that ends', text: changed('"true"', '48h') },
    { name: 'N2: a node that Lull parked', text: changed('"true"', '"true", lull.dev/parked: "2026-11-17T10:00:00Z"') },
    { name: "a node that is not Karpenter's", text: changed('nodeName: n-1', 'nodeName: n-2') },
    {
      name: 'a node that does not say how old it is',
      text: changed('creationTimestamp: "2025-01-06T09:00:00Z"', 'uid: "1"'),
    },
  ])('is silent about $name', ({ text, at }) => {
    expect(places('node-opt-out-left', text, at === undefined ? {} : { at })).toEqual([]);
  });
});

describe('E1: pod-opt-out-duration', () => {
  const example = exampleOf('pod-opt-out-duration');
  const karpenter = (version: string): string =>
    `${example}---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {namespace: kube-system, name: karpenter, labels: {app.kubernetes.io/name: karpenter, app.kubernetes.io/version: "${version}"}}\n`;

  it('finds its example', () => {
    expect(found('pod-opt-out-duration')).toEqual([
      {
        rule: 'pod-opt-out-duration',
        severity: 'info',
        object: 'Job/ml/train',
        path: 'spec.template.metadata.annotations[karpenter.sh/do-not-disrupt]',
        message:
          'A pod of Job ml/train is protected for 4h after its start. Karpenter before 1.12.0 ignores durations: there only Lull in guide or drive protects the pod.',
        suggestion: 'Upgrade Karpenter to 1.12.0 or newer, or use "true" and remove it when the pod may be moved.',
      },
    ]);
  });

  it.each(['1.0.8', '1.1.5', '1.9.0', 'v1.11.2'])(
    'finds it beside Karpenter %s, which ignores durations',
    (version) => {
      expect(places('pod-opt-out-duration', karpenter(version))).toHaveLength(1);
    },
  );

  it.each([
    { it: 'beside Karpenter 1.12.0', text: karpenter('1.12.0') },
    { it: 'beside Karpenter 1.15.0', text: karpenter('v1.15.0') },
    { it: 'about "true"', text: example.replace('4h', '"true"') },
    { it: 'about a value that protects nothing', text: example.replace('4h', 'soon') },
    { it: 'about the old name', text: example.replace('disrupt: 4h', 'evict: "true"') },
  ])('is silent $it', ({ text }) => {
    expect(places('pod-opt-out-duration', text)).toEqual([]);
  });
});

describe('E8: pod-opt-out-and-schedule', () => {
  const changed = (from: string, to: string): string => exampleOf('pod-opt-out-and-schedule').replace(from, to);

  it('finds its example', () => {
    expect(found('pod-opt-out-and-schedule')).toEqual([
      {
        rule: 'pod-opt-out-and-schedule',
        severity: 'warning',
        object: 'Pod/ml/trainer',
        path: 'metadata.annotations[karpenter.sh/do-not-disrupt]',
        message:
          'Pod ml/trainer is annotated do-not-disrupt, which wins over its window (0 2 * * 6 for 4h): it is never moved.',
        suggestion: 'Remove karpenter.sh/do-not-disrupt and keep the schedule, or remove the schedule.',
      },
    ]);
  });

  it('finds the old name too', () => {
    expect(places('pod-opt-out-and-schedule', changed('do-not-disrupt', 'do-not-evict'))).toEqual([
      'warning Pod/ml/trainer metadata.annotations[karpenter.sh/do-not-evict]',
    ]);
  });

  it('finds a schedule from outside', () => {
    const text = `{apiVersion: karpenter.sh/v1alpha1, kind: PodDisruptionSchedule, metadata: {name: nights}, spec: {selector: {}, schedule: 0 2 * * *, duration: 4h}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: web, name: cart, annotations: {karpenter.sh/do-not-disrupt: "true"}}}`;
    expect(found('pod-opt-out-and-schedule', text)[0]?.message).toContain(
      'wins over the window of nights (0 2 * * * for 4h)',
    );
  });

  it.each([
    { name: 'a protection that ends', text: changed('"true"', '8h') },
    {
      name: 'a protection from some reasons',
      text: changed('"true"', '"true"\n    karpenter.sh/do-not-disrupt-reasons: Underutilized'),
    },
    {
      name: 'N5: a protection that Lull wrote',
      text: changed('"true"', '"true"\n    lull.dev/parked: "2026-11-17T10:00:00Z"'),
    },
    { name: 'a value that protects nothing', text: changed('"true"', '"false"') },
    { name: 'a schedule that is ignored', text: changed('0 2 * * 6', 'soon') },
  ])('is silent about $name', ({ text }) => {
    expect(places('pod-opt-out-and-schedule', text)).toEqual([]);
  });
});

describe('E11: pod-opt-out-on-daemonset', () => {
  const example = exampleOf('pod-opt-out-on-daemonset');
  const changed = (from: string, to: string): string => example.replace(from, to);

  it('finds its example', () => {
    expect(found('pod-opt-out-on-daemonset')).toEqual([
      {
        rule: 'pod-opt-out-on-daemonset',
        severity: 'warning',
        object: 'Pod/kube-system/agent-1',
        path: 'metadata.annotations[karpenter.sh/do-not-disrupt]',
        message:
          'do-not-disrupt is set on 1 of the 1 pods of DaemonSet kube-system/agent: the nodes they run on are never disrupted, not even when empty.',
        suggestion:
          "Remove the annotation from the DaemonSet's template: its pods are never moved to another node, they end with their own.",
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
    expect(places('pod-opt-out-on-daemonset', text)).toEqual([]);
  });
});

describe('H3: pod-opt-out-under-deadline', () => {
  const example = exampleOf('pod-opt-out-under-deadline');
  const changed = (from: string | RegExp, to: string): string => example.replace(from, to);

  it('finds its example', () => {
    expect(found('pod-opt-out-under-deadline')).toEqual([
      {
        rule: 'pod-opt-out-under-deadline',
        severity: 'warning',
        object: 'Pod/web/session-1',
        path: 'metadata.annotations[karpenter.sh/do-not-disrupt]',
        message:
          '2 pods of PodDisruptionBudget web/session (session-1 and session-2) are annotated do-not-disrupt on 2 nodes with a terminationGracePeriod (24h). When it ends they are deleted whatever the budget allows, several at the same time if their nodes are disrupted together.',
        suggestion:
          'Give them a schedule (karpenter.sh/disruption-schedule) or a do-not-disrupt that ends (such as "8h"), so that they can be moved one by one before the deadline.',
      },
    ]);
  });

  it.each([
    {
      name: 'a single pod',
      text: changed('name: session-2, labels: {app: session}', 'name: session-2, labels: {app: other}'),
    },
    { name: 'nodes without a deadline', text: changed(/spec: \{terminationGracePeriod: 24h\}, /g, '') },
    { name: 'pods without a budget', text: changed('matchLabels: {app: session}', 'matchLabels: {app: other}') },
    { name: 'a protection that ends', text: changed(/"true"/g, '8h') },
    {
      name: 'a protection from consolidation alone',
      text: changed(/"true"/g, '"true", karpenter.sh/do-not-disrupt-reasons: "Empty,Underutilized"'),
    },
  ])('is silent about $name', ({ text }) => {
    expect(places('pod-opt-out-under-deadline', text)).toEqual([]);
  });
});

describe('H2: pod-grace-over-deadline', () => {
  const example = exampleOf('pod-grace-over-deadline');
  const changed = (from: string | RegExp, to: string): string => example.replace(from, to);

  it('finds its example', () => {
    expect(found('pod-grace-over-deadline')).toEqual([
      {
        rule: 'pod-grace-over-deadline',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.template.spec.terminationGracePeriod',
        message:
          'Nodes of default have 30m to terminate, but pod ml/trainer may take 2h: pods that are still running then are killed.',
        suggestion:
          'Make terminationGracePeriod longer than 2h, or the terminationGracePeriodSeconds of the pods shorter.',
      },
    ]);
  });

  it('names the claim where the template no longer says so, and the longest pod', () => {
    const longer = `  - {apiVersion: v1, kind: Pod, metadata: {namespace: ml, name: slow}, spec: {nodeName: n-1, terminationGracePeriodSeconds: 10800}}\n`;
    const [finding] = found(
      'pod-grace-over-deadline',
      changed('spec: {template: {spec: {terminationGracePeriod: 30m}}}', 'spec: {}') + longer,
    );
    expect(finding).toMatchObject({ object: 'NodeClaim/default-1', path: 'spec.terminationGracePeriod' });
    expect(finding?.message).toContain('pod ml/slow may take 3h (and 1 more pod longer than that)');
  });

  it.each([
    { name: 'a deadline just as long', text: changed(/30m/g, '2h') },
    { name: 'claims without one, though the template has', text: changed('spec: {terminationGracePeriod: 30m}, ', '') },
    {
      name: 'a pod that has ended',
      text: changed(
        'terminationGracePeriodSeconds: 7200}',
        'terminationGracePeriodSeconds: 7200}, status: {phase: Failed}',
      ),
    },
    {
      name: 'a mirror pod, which belongs to its node',
      text: changed(
        'name: trainer',
        'name: trainer, ownerReferences: [{kind: Node, name: n-1, uid: "1", controller: true}]',
      ),
    },
  ])('is silent about $name', ({ text }) => {
    expect(places('pod-grace-over-deadline', text)).toEqual([]);
  });
});
