// Every YAML example of the five documents, unchanged except that `//` comments are written with `#`.
import { describe, expect, it } from 'vitest';
import { readObject } from './readObject.ts';
import { readDocuments } from './text/documents.ts';

function read(text: string) {
  const { documents, errors } = readDocuments(text, 'seed.yaml');
  expect(errors).toEqual([]);
  return documents.map((document) => readObject(document.object, (path) => document.position(path)));
}

function faultsOf(text: string, severity: string): string[] {
  return read(text).flatMap((result) =>
    result.kind === 'ignored'
      ? ['ignored']
      : result.faults.filter((fault) => fault.severity === severity).map((fault) => fault.path),
  );
}

const pool = (budgets: string, version = 'v1'): string => `
apiVersion: karpenter.sh/${version}
kind: NodePool
metadata:
  name: default
spec:
  disruption:
    budgets:
${budgets}`;

const budgetsOnly = (budgets: string): string => pool(budgets.replace(/^/gm, '    '), 'v1beta1');

const window = (name: string, spec: string): string => `
apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata:
  name: ${name}
spec:
${spec}`;

const pod = (annotations: string): string => `
apiVersion: v
kind: Pod
metadata:
  name: long-running-task
  annotations:
${annotations}`;

describe('the examples of the documents read without errors', () => {
  it.each([
    {
      name: 'zones one at a time',
      text: pool(`
      - nodes: "1"
        topologyKey: topology.kubernetes.io/zone
        sequential: true
        reasons: [Drifted]`),
    },
    {
      name: 'with a global budget',
      text: pool(`
      # Only allow drift during business hours
      - nodes: "0"
        schedule: "0 17 * * mon-fri"
        duration: 16h
        reasons: [Drifted]
      # During the active window, roll one zone at a time
      - nodes: "1"
        topologyKey: topology.kubernetes.io/zone
        sequential: true
        reasons: [Drifted]
      # Consolidation can still proceed independently
      - nodes: "10%"`),
    },
    {
      name: 'a percentage of a zone',
      text: pool(`
      - nodes: "25%"
        topologyKey: topology.kubernetes.io/zone
        sequential: true
        reasons: [Drifted]`),
    },
    {
      name: 'a default beside reasons',
      text: budgetsOnly(`
  - nodes: 10
    reasons: [drifted, underutilized]
    schedule: "* * * * *"
  - nodes: 30
    schedule: "* * * * *"`),
    },
    {
      name: 'two budgets for drifted',
      text: budgetsOnly(`
  - nodes: 15
    reasons: [drifted, underutilized]
    schedule: "* * * * *"
  - nodes: 10
    reasons: [drifted]
    schedule: "* * * * *"
  - nodes: 5
    schedule: "* * * * *"`),
    },
    {
      name: 'no default',
      text: budgetsOnly(`
  - nodes: 10
    reasons: [drift, underutilized]
    schedule: "* * * * *"
  - nodes: 5
    reasons: [empty]
    schedule: "* * * * *"`),
    },
    {
      name: 'the list approach',
      text: pool(
        `
    - schedule: "* * * * *"
      reason: [drifted, underutilized]
      nodes: 10
    # For all other reasons , only allow 5 nodes to be disrupted at a time
    - nodes: 5
      schedule: "* * * * *"`,
        'v1beta1',
      ),
    },
    {
      name: 'the single reason approach',
      text: pool(
        `
    - schedule: "* * * * *"
      reason: drifted
      nodes: 10
    - nodes: 5
      schedule: "* * * * *"`,
        'v1beta1',
      ),
    },
    {
      name: 'the defaults of disruption controls',
      text: `
apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata:
  name: default
spec:
  disruption:
    consolidationPolicy: WhenUnderutilized
    consolidateAfter: 15s
    budgets:
    - maxUnavailable: 10%`,
    },
    {
      name: 'a pod’s schedule',
      text: pod(
        '    karpenter.sh/disruption-schedule: "0 2 * * 6"\n    karpenter.sh/disruption-schedule-duration: "4h"',
      ),
    },
    {
      name: 'a pod’s block',
      text: pod(
        '    karpenter.sh/disruption-block-schedule: "0 9 * * 1-5"\n    karpenter.sh/disruption-block-duration: "8h"',
      ),
    },
    {
      name: 'weekends only',
      text: pod(
        '    karpenter.sh/disruption-schedule: "0 2 * * 6"    # 2 AM Saturday\n    karpenter.sh/disruption-schedule-duration: "6h"  # Until 8 AM',
      ),
    },
    {
      name: 'after hours only',
      text: pod(
        '    karpenter.sh/disruption-schedule: "0 22 * * *"\n    karpenter.sh/disruption-schedule-duration: "8h"',
      ),
    },
    {
      name: 'anytime Sunday',
      text: pod(
        '    karpenter.sh/disruption-schedule: "0 0 * * 0"\n    karpenter.sh/disruption-schedule-duration: "24h"',
      ),
    },
    {
      name: 'a PodDisruptionSchedule',
      text: `
apiVersion: karpenter.sh/v1
kind: PodDisruptionSchedule
metadata:
  name: ml-training-schedule
spec:
  selector:
    matchLabels:
      app: ml-training
  schedule: "0 2 * * 6"
  duration: 4h`,
    },
    {
      name: 'the window nights',
      text: window(
        'nights',
        `
  schedules: # Multiple schedules for heterogenous durations
    - cron: "0 6 * * 1-5"
      duration: 1h
    - cron: "0 9 * * 1-5"
      duration: 10h
  actions: # Applies to
    - Expiration
    - Consolidation
    - Drift
    - Rebalance
  selector: # Nodes that match these
    matchExpressions: # v1.nodeSelectorTerms
    - key: topology.kubernetes.io/zone
      operator: In
      values: [ "us-west-2a" ]`,
      ),
    },
    {
      name: 'the window disable-everything',
      text: window(
        'disable-everything',
        '  actions:\n    - Expiration # disable expiration\n    - Consolidation\n    - Drift\n    - Rebalance',
      ),
    },
    {
      name: 'the window critical',
      text: window(
        'critical',
        `
  schedules:
    - cron: "0 9 * * 1-5"
      duration: 8h
  actions:
    - Consolidation
    - Drift
    - Rebalance
  selector:
    matchExpressions:
    - key: topology.kubernetes.io/zone
      operator: In
      values: [ "us-west-2a" ]
    - key: company.name/billing-label
      operator: In
      values: [ "team-a", "team-b" ]`,
      ),
    },
    {
      name: 'the window nights-spot-amd, whose weekend is 6-7',
      text: window(
        'nights-spot-amd',
        `
  schedules:
    - cron: "0 0 * * 1-5"
      duration: 9h
    - cron: "0 17 * * 1-5"
      duration: 8h
    - cron: "0 0 * * 6-7"
      duration: 24h
  actions:
    - Drift
  selector:
    matchExpressions:
    - key: karpenter.sh/provisioner-name
      operator: In
      values: [ "default" ]
    - key: kubernetes.io/arch
      operator: In
      values: [ "amd" ]`,
      ),
    },
  ])('$name', ({ text }) => {
    expect(faultsOf(text, 'error')).toEqual([]);
    expect(faultsOf(text, 'warning')).toEqual([]);
  });

  it('controls per reason, a rejected design, are not read, with a warning for each', () => {
    const text = `
apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata:
  name: example-nodepool
spec:
  disruption:
    defaults:
      budgets:
        - nodes: 10%
          schedule: "0 0 1 * *"
          duration: 1h
    consolidation:
      consolidationPolicy: WhenUnderutilized
      disruptAfter: "30m"
    drift:
      budgets:
        - nodes: "20%"
          schedule: "0 0 1 * *"
          duration: "1h"`;
    expect(faultsOf(text, 'error')).toEqual([]);
    expect(faultsOf(text, 'warning')).toEqual(
      ['defaults', 'drift', 'consolidation'].map((key) => `spec.disruption.${key}`),
    );
  });
});

describe('examples with something left open', () => {
  it('choices written with || are errors, each in its place', () => {
    const text = `
apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata:
  name: default
spec:
  consolidationPolicy: WhenUnderutilized || WhenEmpty
  consolidateAfter: 10m || Never # metav1.Duration
  disruption:
    budgets:
    # On Weekdays during business hours, don't do any deprovisioning.
    - crontab: "0 9 * * mon-fri"
      duration: 8h
      maxUnavailable: 0
    # Every other time, only allow 10 nodes to be deprovisioned simultaneously
    - maxUnavailable: 10`;
    expect(faultsOf(text, 'error')).toEqual(['spec.consolidationPolicy', 'spec.consolidateAfter']);
    const chosen = text.replace(' || WhenEmpty', '').replace(' || Never', '');
    expect(faultsOf(chosen, 'error')).toEqual([]);
    const [result] = read(chosen);
    expect(result).toMatchObject({
      record: { consolidateAfter: 600_000, budgets: [{ nodes: { count: 0 } }, { nodes: { count: 10 } }] },
    });
    const faults = result?.kind === 'NodePool' ? result.faults : [];
    expect(faults.find((fault) => fault.path === 'spec.consolidationPolicy')?.position).toEqual({
      file: 'seed.yaml',
      line: 7,
      column: 3,
    });
  });

  it('a pool and a Provisioner without a name lack just that', () => {
    const nameless = `
apiVersion: karpenter.sh/v1
kind: NodePool
spec:
  disruption:
    budgets:
    - schedule: "0 2 * * 6"
      duration: 4h
      nodes: "100%"
    - nodes: "0"  # Block at all other times
---
apiVersion: karpenter.sh/v1beta1
kind: Provisioner
spec:
    template: {}
    ttlAfterCreated: 1d       # metav1.Duration
    ttlAfterNotReady: 30m     # metav1.Duration`;
    expect(faultsOf(nameless, 'error')).toEqual(['metadata.name', 'metadata.name']);
    expect(read(nameless)[1]).toMatchObject({
      record: { template: { expireAfter: 86_400_000 }, repairAfter: 1_800_000, provisioner: true },
    });
  });
});
