import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readObject } from '../readObject.ts';

function pod(text: string) {
  const result = readObject({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, ...parse(text) });
  if (result.kind !== 'Pod') throw new Error(result.kind);
  return result;
}

describe('a pod', () => {
  it('that says nothing is whole', () => {
    expect(pod('{}')).toEqual({
      kind: 'Pod',
      faults: [],
      record: {
        namespace: 'default',
        name: 'p',
        uid: '',
        createdAt: 0,
        labels: {},
        phase: '',
        priority: 0,
        deletionCost: 0,
        requests: { pods: 1 },
        tolerations: [],
        graceSeconds: 30,
      },
    });
  });

  it('is read with all that a decision needs', () => {
    const { record, faults } = pod(`
      metadata: {name: p, namespace: ns, uid: u, labels: {app: a}, deletionTimestamp: "2026-11-15T10:00:00Z"}
      spec:
        nodeName: n
        priority: 1000
        priorityClassName: high
        terminationGracePeriodSeconds: 5
        tolerations: [{key: k, operator: Exists, tolerationSeconds: 300}]
        nodeSelector: {arch: amd64}
      status:
        phase: Running
        nominatedNodeName: m
        conditions: [{type: Initialized, status: "True"}, {type: Ready, status: "False"}]
    `);
    expect(faults).toEqual([]);
    expect(record).toMatchObject({
      namespace: 'ns',
      nodeName: 'n',
      nominatedNode: 'm',
      phase: 'Running',
      ready: 'False',
      priority: 1000,
      priorityClass: 'high',
      graceSeconds: 5,
      tolerations: [{ key: 'k', operator: 'Exists' }],
      nodeSelector: { labels: { arch: 'amd64' } },
      deletingAt: Date.UTC(2026, 10, 15, 10),
    });
  });

  // Names of nodes may be longer than labels.
  const longName = 'n'.repeat(100);

  it('with required affinity has terms, and one that cannot be read fits no node', () => {
    const { record, faults } = pod(`
      spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
        {matchExpressions: [{key: zone, operator: In, values: [a]}], matchFields: [{key: metadata.name, operator: In, values: [${longName}]}]},
        {matchExpressions: [{key: zone, operator: Like, values: [a]}]}]}}}}
    `);
    expect(record.nodeSelector).toEqual({
      labels: {},
      terms: [
        {
          labels: [{ key: 'zone', operator: 'In', values: ['a'] }],
          names: [{ key: 'metadata.name', operator: 'In', values: [longName] }],
        },
        { labels: [{ key: '', operator: 'In', values: [] }], names: [] },
      ],
    });
    expect(faults).toMatchObject([{ severity: 'warning' }]);
  });
});

describe('E11: the owner that counts', () => {
  it.each([
    { name: 'the controller', owners: '[{kind: A, name: a}, {kind: B, name: b, controller: true}]', kind: 'B' },
    { name: 'the first without one', owners: '[{kind: A, name: a}, {kind: B, name: b}]', kind: 'A' },
    {
      name: 'a StatefulSet',
      owners: '[{kind: B, controller: true}, {apiVersion: apps/v1, kind: StatefulSet}]',
      kind: 'StatefulSet',
    },
    {
      name: 'a DaemonSet before it',
      owners: '[{apiVersion: apps/v1, kind: StatefulSet, controller: true}, {apiVersion: apps/v1, kind: DaemonSet}]',
      kind: 'DaemonSet',
    },
    { name: 'a node', owners: '[{apiVersion: v1, kind: Node, name: n}]', kind: 'Node' },
    {
      name: 'another maker’s DaemonSet by its group',
      owners: '[{apiVersion: apps.kruise.io/v1alpha1, kind: DaemonSet}]',
      kind: 'DaemonSet.apps.kruise.io',
    },
    {
      name: 'the DaemonSet of extensions by its group',
      owners: '[{apiVersion: extensions/v1beta1, kind: DaemonSet}]',
      kind: 'DaemonSet.extensions',
    },
  ])('$name', ({ owners, kind }) => {
    expect(pod(`metadata: {name: p, ownerReferences: ${owners}}`).record.owner?.kind).toBe(kind);
  });
});

describe('F3: deletion cost', () => {
  const cost = (annotations: object) => pod(JSON.stringify({ metadata: { name: 'p', annotations } }));
  const own = 'karpenter.sh/disruption-cost';
  const other = 'controller.kubernetes.io/pod-deletion-cost';

  it.each([
    { annotations: { [other]: '100' }, want: 100 },
    { annotations: { [other]: '+5' }, want: 5 },
    { annotations: { [other]: '-2147483648' }, want: -2147483648 },
    { annotations: { [other]: '100', [own]: '-7' }, want: -7 },
  ])('$annotations is $want', ({ annotations, want }) => {
    const { record, faults } = cost(annotations);
    expect([record.deletionCost, faults]).toEqual([want, []]);
  });

  it.each([
    { annotations: { [other]: '2147483648' } },
    { annotations: { [other]: ' 5' } },
    { annotations: { [other]: '1e3' } },
    { annotations: { [other]: '0x10' } },
    { annotations: { [own]: '' } },
    { annotations: { [own]: 'abc', [other]: '100' } },
  ])('$annotations counts as 0, with a warning', ({ annotations }) => {
    const { record, faults } = cost(annotations);
    expect(record.deletionCost).toBe(0);
    expect(faults).toMatchObject([{ severity: 'warning' }]);
  });
});

describe('F6: what the scheduler counts', () => {
  const container = (cpu: string, more = '') => `{resources: {requests: {cpu: "${cpu}"}}${more}}`;
  const sidecar = (cpu: string) => container(cpu, ', restartPolicy: Always');

  it.each([
    { name: 'containers together', spec: `containers: [${container('1')}, ${container('500m')}]`, cpu: 1500 },
    {
      name: 'the greatest init container',
      spec: `containers: [${container('1')}], initContainers: [${container('3')}, ${container('2')}]`,
      cpu: 3000,
    },
    {
      name: 'no init container below the rest',
      spec: `containers: [${container('4')}], initContainers: [${container('3')}]`,
      cpu: 4000,
    },
    {
      name: 'sidecars beside the containers',
      spec: `containers: [${container('1')}], initContainers: [${sidecar('500m')}, ${sidecar('250m')}]`,
      cpu: 1750,
    },
    {
      name: 'an init container beside the sidecars before it',
      spec: `containers: [${container('1')}], initContainers: [${sidecar('1')}, ${container('3')}, ${sidecar('1')}]`,
      cpu: 4000,
    },
    { name: 'overhead', spec: `containers: [${container('1')}], overhead: {cpu: 250m}`, cpu: 1250 },
    {
      name: 'what the pod asks for as a whole',
      spec: `containers: [${container('1')}], resources: {requests: {cpu: "2"}}, overhead: {cpu: 250m}`,
      cpu: 2250,
    },
  ])('$name', ({ spec, cpu }) => {
    const { record, faults } = pod(`spec: {${spec}}`);
    expect([record.requests, faults]).toEqual([{ cpu, pods: 1 }, []]);
  });

  it('other resources and what a container does not ask for', () => {
    const { record } = pod('spec: {containers: [{}, {resources: {requests: {memory: 1Gi, nvidia.com/gpu: 2}}}]}');
    expect(record.requests).toEqual({ memory: 2 ** 30, 'nvidia.com/gpu': 2, pods: 1 });
  });

  it('what is not a quantity is left out, with a warning', () => {
    const { record, faults } = pod('spec: {containers: [{resources: {requests: {cpu: lots, memory: 1Gi}}}]}');
    expect(record.requests).toEqual({ memory: 2 ** 30, pods: 1 });
    expect(faults).toMatchObject([
      { path: 'spec.containers[0].resources.requests.cpu', value: 'lots', severity: 'warning' },
    ]);
  });
});
