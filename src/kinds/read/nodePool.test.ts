import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { hour, minute, second } from '../../time/instant.ts';
import { readObject } from '../readObject.ts';

function pool(spec: string, { version = 'v1', annotations = {}, kind = 'NodePool' } = {}) {
  const result = readObject({
    apiVersion: `karpenter.sh/${version}`,
    kind,
    metadata: { name: 'p', annotations },
    spec: parse(spec),
  });
  if (result.kind !== 'NodePool') throw new Error(result.kind);
  return result;
}

describe('A3: defaults of a pool', () => {
  it('fills in absent fields', () => {
    const { record, faults } = pool('{}');
    expect(faults).toEqual([]);
    expect(record).toMatchObject({
      name: 'p',
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfter: 15 * second,
      weight: 0,
      limits: {},
      template: { expireAfter: 720 * hour, labels: {}, taints: [], requirements: [] },
      conditions: {},
      deleting: false,
      provisioner: false,
    });
    for (const field of ['uid', 'repairAfter', 'expireEarlyAfter', 'replicas', 'fault'])
      expect(record).not.toHaveProperty(field);
  });

  it.each([
    { text: 'WhenEmpty', want: 'WhenEmpty' },
    { text: 'WhenEmptyOrUnderutilized', want: 'WhenEmptyOrUnderutilized' },
    { text: 'WhenUnderutilized', want: 'WhenEmptyOrUnderutilized' },
    { text: 'Balanced', want: 'Balanced' },
  ])('consolidationPolicy $text is $want', ({ text, want }) => {
    const { record, faults } = pool(`{disruption: {consolidationPolicy: ${text}}}`);
    expect([record.consolidationPolicy, faults]).toEqual([want, []]);
  });

  it.each([
    { text: '30s', want: 30 * second },
    { text: '1h30m', want: 90 * minute },
    { text: '0s', want: 0 },
    { text: 'Never', want: 'Never' },
  ])('consolidateAfter $text is read', ({ text, want }) => {
    expect(pool(`{disruption: {consolidateAfter: ${text}}}`).record.consolidateAfter).toBe(want);
  });
});

describe('C1: any other bad value on a pool', () => {
  it.each([
    { spec: '{disruption: {consolidateAfter: soon}}', path: 'spec.disruption.consolidateAfter', say: 'or Never' },
    { spec: '{disruption: {consolidateAfter: 30}}', path: 'spec.disruption.consolidateAfter', say: '1h30m' },
    { spec: '{disruption: {consolidateAfter: never}}', path: 'spec.disruption.consolidateAfter', say: 'Never' },
    {
      spec: '{disruption: {consolidationPolicy: whenempty}}',
      path: 'spec.disruption.consolidationPolicy',
      say: 'WhenEmpty,',
    },
    { spec: '{disruption: {repairAfter: -5m}}', path: 'spec.disruption.repairAfter', say: '1h30m' },
    { spec: '{disruption: []}', path: 'spec.disruption', say: 'map' },
    { spec: '{weight: -1}', path: 'spec.weight', say: '100' },
    { spec: '{weight: heavy}', path: 'spec.weight', say: '100' },
    { spec: '{replicas: -100}', path: 'spec.replicas', say: 'whole' },
    { spec: '{limits: {cpu: lots}}', path: 'spec.limits.cpu', say: '16Gi' },
    { spec: '{template: {spec: {expireAfter: 1hr}}}', path: 'spec.template.spec.expireAfter', say: 'Never' },
    {
      spec: '{template: {spec: {terminationGracePeriod: Never}}}',
      path: 'spec.template.spec.terminationGracePeriod',
      say: '8h',
    },
    {
      spec: '{template: {spec: {requirements: [{key: a, operator: Bogus}]}}}',
      path: 'spec.template.spec.requirements[0].operator',
      say: 'NotIn',
    },
    {
      spec: '{template: {spec: {requirements: [{key: a, operator: Gt}]}}}',
      path: 'spec.template.spec.requirements[0].values',
      say: 'whole number',
    },
    { spec: '{template: {spec: {taints: [5]}}}', path: 'spec.template.spec.taints[0]', say: 'map' },
    { spec: '5', path: 'spec', say: 'map' },
  ])('$spec is a fault of the pool', ({ spec, path, say }) => {
    const { record, faults } = pool(spec);
    expect(faults).toMatchObject([{ object: 'NodePool/p', path, severity: 'error' }]);
    expect(faults[0]?.message).toContain(say);
    expect(record.fault).toBe(faults[0]);
  });

  it('a pool without a name has a fault', () => {
    const result = readObject({ kind: 'NodePool' });
    expect(result).toMatchObject({ record: { name: '', fault: { path: 'metadata.name' } } });
  });
});

describe('C2: consolidation directly under spec', () => {
  it('is read, with a note', () => {
    const { record, faults } = pool('{consolidationPolicy: WhenEmpty, consolidateAfter: 10m}');
    expect(record).toMatchObject({ consolidationPolicy: 'WhenEmpty', consolidateAfter: 10 * minute });
    expect(faults).toMatchObject([
      { path: 'spec.consolidationPolicy', severity: 'info' },
      { path: 'spec.consolidateAfter', severity: 'info' },
    ]);
  });

  it('gives way to the new place', () => {
    expect(pool('{consolidateAfter: 10m, disruption: {consolidateAfter: 1m}}').record.consolidateAfter).toBe(minute);
  });
});

describe('N7, A7: lifetimes and repair', () => {
  const early = { 'lull.dev/expire-after': '100h' };
  it.each([
    { name: 'v1: the template has the hard one', spec: '{template: {spec: {expireAfter: 48h}}}', hard: 48 * hour },
    {
      name: 'v1: disruption has the early one',
      spec: '{disruption: {expireAfter: 24h}}',
      hard: 720 * hour,
      early: 24 * hour,
    },
    {
      name: 'v1beta1: disruption has the hard one',
      spec: '{disruption: {expireAfter: 24h}}',
      version: 'v1beta1',
      hard: 24 * hour,
    },
    { name: 'v1beta1: Never', spec: '{disruption: {expireAfter: Never}}', version: 'v1beta1', hard: 'Never' },
    { name: 'v1beta1: the default', spec: '{}', version: 'v1beta1', hard: 720 * hour },
    {
      name: 'the annotation has the early one',
      spec: '{disruption: {expireAfter: 24h}}',
      annotations: early,
      hard: 720 * hour,
      early: 100 * hour,
    },
  ])('$name', ({ spec, version = 'v1', annotations = {}, hard, early }) => {
    const { record, faults } = pool(spec, { version, annotations });
    expect(faults).toEqual([]);
    expect(record.template.expireAfter).toBe(hard);
    expect(record.expireEarlyAfter).toBe(early);
  });

  it('a bad annotation is a fault of the pool', () => {
    expect(pool('{}', { annotations: { 'lull.dev/expire-after': 'soon' } }).record.fault).toMatchObject({
      path: 'metadata.annotations[lull.dev/expire-after]',
    });
  });

  it('P7: lull.dev/drift-after is a duration; anything else is a fault of the pool', () => {
    expect(pool('{}', { annotations: { 'lull.dev/drift-after': '72h' } }).record.driftAfter).toBe(72 * hour);
    expect(pool('{}').record.driftAfter).toBeUndefined();
    for (const wrong of ['soon', 'Never', '-1h', '3d'])
      expect(pool('{}', { annotations: { 'lull.dev/drift-after': wrong } }).record.fault).toMatchObject({
        path: 'metadata.annotations[lull.dev/drift-after]',
      });
  });

  it('repairAfter is the pool’s own', () => {
    expect(pool('{disruption: {repairAfter: 10m}}').record.repairAfter).toBe(10 * minute);
    expect(pool('{disruption: {repairAfter: Never}}').record.repairAfter).toBe('Never');
  });
});

describe('I1: the template', () => {
  it('is read with all that drifts', () => {
    const { record, faults } = pool(`
      weight: 10
      replicas: 3
      limits: {cpu: "100", memory: 10Gi, nodes: "5"}
      template:
        metadata: {labels: {team: a}, annotations: {note: x}}
        spec:
          taints: [{key: gpu, value: "yes", effect: NoSchedule}]
          startupTaints: [{key: boot, effect: NoExecute}]
          requirements: [{key: zone, operator: In, values: [a]}, {key: cpu, operator: Gte, values: ["4"], minValues: 2}]
          nodeClassRef: {group: k.sh, kind: C, name: default}
          terminationGracePeriod: 1h
          kubelet: {maxPods: 20}
    `);
    expect(faults).toEqual([]);
    expect(record).toMatchObject({ weight: 10, replicas: 3, limits: { cpu: 100_000, memory: 10 * 2 ** 30, nodes: 5 } });
    expect(record.template).toEqual({
      labels: { team: 'a' },
      annotations: { note: 'x' },
      taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }],
      startupTaints: [{ key: 'boot', effect: 'NoExecute' }],
      requirements: [
        { key: 'zone', operator: 'In', values: ['a'] },
        { key: 'cpu', operator: 'Gte', values: ['4'], minValues: 2 },
      ],
      nodeClassRef: { group: 'k.sh', kind: 'C', name: 'default' },
      expireAfter: 720 * hour,
      terminationGracePeriod: hour,
      kubelet: { maxPods: 20 },
    });
  });

  it('v1beta1 has the group of the class in its apiVersion', () => {
    const { record } = pool('{template: {spec: {nodeClassRef: {apiVersion: k.sh/v1, kind: C, name: n}}}}', {
      version: 'v1beta1',
    });
    expect(record.template.nodeClassRef).toEqual({ group: 'k.sh', kind: 'C', name: 'n' });
  });
});

describe('A7: Provisioner', () => {
  const read = (spec: string, version = 'v1alpha5') => pool(spec, { version, kind: 'Provisioner' });

  it('what v1alpha5 leaves out is off', () => {
    const { record, faults } = read('{}');
    expect(faults).toEqual([]);
    expect(record).toMatchObject({
      consolidateAfter: 'Never',
      repairAfter: 'Never',
      template: { expireAfter: 'Never' },
      provisioner: true,
    });
  });

  it('what v1beta1 leaves out has the defaults', () => {
    const { record } = read('{}', 'v1beta1');
    expect(record).toMatchObject({ consolidateAfter: 15 * second, template: { expireAfter: 720 * hour } });
    expect(record.repairAfter).toBeUndefined();
  });

  it.each([
    { spec: '{ttlSecondsUntilExpired: 86400}', want: { template: { expireAfter: 24 * hour } } },
    { spec: '{ttlAfterCreated: 1d}', want: { template: { expireAfter: 24 * hour } } },
    { spec: '{ttlAfterCreated: 1d12h}', want: { template: { expireAfter: 36 * hour } } },
    { spec: '{ttlAfterCreated: 30m}', want: { template: { expireAfter: 30 * minute } } },
    { spec: '{ttlAfterNotReady: 30m}', want: { repairAfter: 30 * minute } },
    { spec: '{ttlSecondsAfterEmpty: 30}', want: { consolidationPolicy: 'WhenEmpty', consolidateAfter: 30 * second } },
    {
      spec: '{consolidation: {enabled: true}}',
      want: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: 15 * second },
    },
    { spec: '{consolidation: {enabled: false}}', want: { consolidateAfter: 'Never' } },
    { spec: '{limits: {resources: {cpu: 10}}}', want: { limits: { cpu: 10_000 } } },
    {
      spec: '{labels: {a: b}, providerRef: {name: x}}',
      want: { template: { labels: { a: 'b' }, nodeClassRef: { group: '', kind: '', name: 'x' } } },
    },
    {
      spec: '{template: {labels: {a: b}, taints: [{key: t, effect: NoSchedule}]}}',
      want: { template: { labels: { a: 'b' }, taints: [{ key: 't' }] } },
    },
    {
      spec: '{template: {metadata: {labels: {a: b}}, spec: {taints: [{key: t, effect: NoSchedule}]}}}',
      want: { template: { labels: { a: 'b' }, taints: [{ key: 't' }] } },
    },
  ])('$spec', ({ spec, want }) => {
    const { record, faults } = read(spec);
    expect(faults).toEqual([]);
    expect(record).toMatchObject(want);
  });

  it.each([
    { spec: '{ttlAfterNotReady: 1d}', path: 'spec.ttlAfterNotReady' },
    { spec: '{ttlAfterCreated: often}', path: 'spec.ttlAfterCreated' },
    { spec: '{ttlAfterCreated: 5}', path: 'spec.ttlAfterCreated' },
    { spec: '{ttlSecondsAfterEmpty: 30, consolidation: {enabled: true}}', path: 'spec.ttlSecondsAfterEmpty' },
  ])('$spec is a fault of the pool', ({ spec, path }) => {
    expect(read(spec).record.fault).toMatchObject({ object: 'Provisioner/p', path });
  });
});

describe('K5: what Lull itself writes to the status of a pool', () => {
  it('does not change the record', () => {
    const pool = { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'web' }, spec: {} };
    const ready = { type: 'Ready', status: 'True' };
    const own = { type: 'LullTurn', status: 'True', reason: 'Rolling', message: 'zone a has the turn.' };
    const before = readObject({ ...pool, status: { conditions: [ready] } });
    expect(readObject({ ...pool, status: { conditions: [own, ready], lull: { role: 'guide' } } })).toEqual(before);
    expect(readObject({ ...pool, status: { conditions: [{ ...ready, status: 'False' }] } })).not.toEqual(before);
  });
});
