import { describe, expect, it } from 'vitest';
import { asInstant, hour, parseInstant } from '../../time/instant.ts';
import { readObject } from '../readObject.ts';

const created = '2026-11-15T10:00:00Z';
const at = parseInstant(created) ?? asInstant(0);

function node(annotations: Record<string, unknown> = {}, more: object = {}) {
  const result = readObject({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', uid: 'u', creationTimestamp: created, annotations },
    ...more,
  });
  if (result.kind !== 'Node') throw new Error(result.kind);
  return result;
}

describe('E2: what a node’s annotations say', () => {
  it.each([
    { annotations: { 'karpenter.sh/do-not-disrupt': 'true' }, rules: { doNotDisrupt: {} } },
    { annotations: { 'karpenter.sh/do-not-disrupt': '8h' }, rules: { doNotDisrupt: { until: at + 8 * hour } } },
    { annotations: { 'karpenter.sh/do-not-repair': 'true' }, rules: { doNotRepair: true } },
    { annotations: { 'karpenter.sh/do-not-repair': 'false' }, rules: {} },
    { annotations: { 'karpenter.sh/do-not-consolidate': 'true' }, rules: { doNotConsolidate: true } },
    { annotations: { 'lull.dev/hold': 'ask Ada' }, rules: { hold: 'ask Ada' } },
    { annotations: { 'lull.dev/hold': '' }, rules: { hold: '' } },
    { annotations: { 'lull.dev/rebalance': '' }, rules: { rebalance: true } },
    { annotations: {}, rules: {} },
  ])('$annotations', ({ annotations, rules }) => {
    const { record, faults } = node(annotations);
    expect([record.rules, faults]).toEqual([rules, []]);
  });

  it.each(['false', 'True', '0s', '-5m', '1d', ''])('do-not-disrupt %j is ignored, with a warning', (value) => {
    const { record, faults } = node({ 'karpenter.sh/do-not-disrupt': value });
    expect(record.rules).toEqual({});
    expect(faults).toMatchObject([
      { object: 'Node/n', path: 'metadata.annotations[karpenter.sh/do-not-disrupt]', value, severity: 'warning' },
    ]);
    expect(faults[0]?.message).toMatch(/Use "true", or a Go duration/);
  });

  it('a duration without a creation protects for ever', () => {
    const result = readObject({
      kind: 'Node',
      metadata: { name: 'n', annotations: { 'karpenter.sh/do-not-disrupt': '8h' } },
    });
    expect(result).toMatchObject({ record: { rules: { doNotDisrupt: {} } } });
  });

  it('a boolean that was not quoted is taken as it was meant, with a warning', () => {
    const { record, faults } = node({ 'karpenter.sh/do-not-disrupt': true });
    expect(record.rules).toEqual({ doNotDisrupt: {} });
    expect(faults).toMatchObject([{ path: 'metadata.annotations[karpenter.sh/do-not-disrupt]', severity: 'warning' }]);
  });
});

describe('N2: parked nodes', () => {
  it('do-not-disrupt beside the marker is Lull’s own', () => {
    const { record, faults } = node({ 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': created });
    expect([record.rules, faults]).toEqual([{ parked: true }, []]);
  });
});

describe('A5: a node’s readiness', () => {
  it('has the status and its transition', () => {
    const conditions = [
      { type: 'MemoryPressure', status: 'False' },
      { type: 'Ready', status: 'False', lastTransitionTime: created, reason: 'KubeletNotReady', message: 'down' },
    ];
    const { record } = node({}, { status: { conditions } });
    expect(record.ready).toEqual({ status: 'False', since: at, reason: 'KubeletNotReady', message: 'down' });
  });

  it('is Unknown without a Ready condition', () => {
    expect(node().record.ready).toEqual({ status: 'Unknown' });
  });
});

describe('a node', () => {
  it('is read with all that a decision needs', () => {
    const { record, faults } = node(
      {},
      {
        metadata: { name: 'n', uid: 'u', creationTimestamp: created, deletionTimestamp: created, labels: { a: 'b' } },
        spec: {
          providerID: 'p:///n',
          unschedulable: true,
          taints: [{ key: 'k', effect: 'NoSchedule', timeAdded: created }],
        },
        status: { allocatable: { cpu: '3900m', memory: '8Gi', pods: '64' } },
      },
    );
    expect(faults).toEqual([]);
    expect(record).toEqual({
      name: 'n',
      uid: 'u',
      createdAt: at,
      deletingSince: at,
      labels: { a: 'b' },
      annotations: {},
      taints: [{ key: 'k', effect: 'NoSchedule', timeAdded: created }],
      unschedulable: true,
      providerId: 'p:///n',
      ready: { status: 'Unknown' },
      allocatable: { cpu: 3900, memory: 8 * 2 ** 30, pods: 64 },
      rules: {},
    });
  });

  it('of another API group is ignored', () => {
    expect(readObject({ apiVersion: 'longhorn.io/v1beta2', kind: 'Node', metadata: { name: 'n' } })).toEqual({
      kind: 'ignored',
    });
  });
});

describe('a claim', () => {
  it('has its own labels as its template’s, and keeps an absent lifetime absent', () => {
    const result = readObject({
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name: 'c', uid: 'u', creationTimestamp: created, labels: { a: 'b' }, annotations: { x: 'y' } },
      spec: { requirements: [{ key: 'zone', operator: 'In', values: ['a'] }], terminationGracePeriod: '1h' },
      status: {
        nodeName: 'n',
        providerID: 'p:///n',
        lastPodEventTime: created,
        conditions: [{ type: 'Drifted', status: 'True', lastTransitionTime: created, message: '', reason: 'Drifted' }],
      },
    });
    expect(result).toEqual({
      kind: 'NodeClaim',
      faults: [],
      record: {
        name: 'c',
        uid: 'u',
        createdAt: at,
        labels: { a: 'b' },
        annotations: { x: 'y' },
        nodeName: 'n',
        providerId: 'p:///n',
        conditions: { Drifted: { status: 'True', since: at, reason: 'Drifted' } },
        lastPodEventAt: at,
        spec: {
          labels: { a: 'b' },
          annotations: { x: 'y' },
          taints: [],
          startupTaints: [],
          requirements: [{ key: 'zone', operator: 'In', values: ['a'] }],
          terminationGracePeriod: hour,
        },
      },
    });
  });

  it('H1: has the termination timestamp of its node, and reports one that is not an instant', () => {
    const written = (when: string) =>
      readObject({
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodeClaim',
        metadata: { name: 'c', annotations: { 'karpenter.sh/nodeclaim-termination-timestamp': when } },
      });
    expect(written(created)).toMatchObject({ record: { terminateAt: at }, faults: [] });
    expect(written('soon')).toMatchObject({ faults: [{ value: 'soon' }] });
  });
});
