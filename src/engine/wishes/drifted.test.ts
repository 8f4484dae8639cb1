import { describe, expect, it } from 'vitest';
import { decide, longAgo, machine, type Plain, pool, Story, startsOf, verdictOf } from '../../../test/build.ts';

const ref = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
const taint = { key: 'team', value: 'a', effect: 'NoSchedule' };

const manyValues = Array.from({ length: 99 }, (_, index) => `v${index}`);

/** A pool whose template has these annotations. */
function annotated(annotations: Record<string, string>): Plain {
  const web = pool() as { spec: { template: { metadata: Plain } } } & Plain;
  const metadata = { ...web.spec.template.metadata, annotations };
  return { ...web, spec: { ...web.spec, template: { ...web.spec.template, metadata } } };
}

/** What the wish rests on; undefined = there is none. */
function driftOf(web: Plain, claim: NonNullable<Parameters<typeof machine>[1]>['claim'], settings: Plain = {}) {
  const round = decide([web, machine('n1', { claim: claim ?? {} })], { settings: { drift: 'computed', ...settings } });
  return round.verdicts.find(({ reason }) => reason === 'Drifted')?.detail;
}

describe('I1, I3: a field that differs is drift, and is named with old and new value', () => {
  it.each([
    {
      field: 'a label',
      web: pool('web', { templateLabels: { tier: 'db' } }),
      claim: { labels: { tier: 'web' } },
      detail: 'label tier: was web, now db',
    },
    {
      field: 'a label that came',
      web: pool('web', { templateLabels: { tier: 'db' } }),
      claim: {},
      detail: 'label tier: was absent, now db',
    },
    {
      field: 'a label that went',
      web: pool(),
      claim: { labels: { tier: 'web' } },
      detail: 'label tier: was web, now absent',
    },
    {
      field: 'an annotation that went',
      web: pool(),
      claim: { annotations: { owner: 'ada' } },
      detail: 'annotation owner: was ada, now absent',
    },
    {
      field: 'taints',
      web: pool('web', { template: { taints: [taint] } }),
      claim: {},
      detail: 'taints: was absent, now team=a:NoSchedule',
    },
    {
      field: 'startupTaints',
      web: pool(),
      claim: { spec: { startupTaints: [taint] } },
      detail: 'startupTaints: was team=a:NoSchedule, now absent',
    },
    {
      field: 'nodeClassRef',
      web: pool('web', { template: { nodeClassRef: { ...ref, name: 'next' } } }),
      claim: { spec: { nodeClassRef: ref } },
      detail: 'nodeClassRef: was karpenter.k8s.aws/EC2NodeClass/default, now karpenter.k8s.aws/EC2NodeClass/next',
    },
    {
      field: 'expireAfter',
      web: pool('web', { template: { expireAfter: '48h' } }),
      claim: { spec: { expireAfter: 'Never' } },
      detail: 'expireAfter: was Never, now 48h',
    },
    {
      field: 'terminationGracePeriod',
      web: pool('web', { template: { terminationGracePeriod: '1h' } }),
      claim: {},
      detail: 'terminationGracePeriod: was absent, now 1h',
    },
    {
      field: 'kubelet settings',
      web: pool('web', { template: { kubelet: { maxPods: 50, clusterDNS: ['10.0.0.10'] } } }),
      claim: { spec: { kubelet: { clusterDNS: ['10.0.0.10'], maxPods: 110 } } },
      detail: 'kubelet: was {clusterDNS: ["10.0.0.10"], maxPods: 110}, now {clusterDNS: ["10.0.0.10"], maxPods: 50}',
    },
    {
      field: 'a label that is called like what every object inherits',
      web: pool('web', { templateLabels: { constructor: 'x' } }),
      claim: {},
      detail: 'label constructor: was absent, now x',
    },
    {
      field: 'an annotation that is longer than a sentence',
      web: annotated({ note: `${'x'.repeat(500)}B${'y'.repeat(500)}` }),
      claim: { annotations: { note: `${'x'.repeat(500)}A${'y'.repeat(500)}` } },
      detail: `annotation note: was …${'x'.repeat(40)}A${'y'.repeat(79)}…, now …${'x'.repeat(40)}B${'y'.repeat(79)}…`,
    },
    {
      field: 'a text that begins and ends within a sign of two places',
      web: annotated({ note: `x${'👩'.repeat(200)}` }),
      claim: {},
      detail: `annotation note: was absent, now x${'👩'.repeat(59)}…`,
    },
    {
      field: 'more annotations than anyone reads',
      web: annotated(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`k${index + 10}`, 'v']))),
      claim: {},
      detail: `${Array.from({ length: 10 }, (_, index) => `annotation k${index + 10}: was absent, now v; `).join('')}2 more annotations differ`,
    },
    {
      field: 'a requirement that is called like what every object inherits, and has very many values',
      web: pool('web', {
        template: {
          requirements: [{ key: 'constructor', operator: 'In', values: manyValues }],
        },
      }),
      claim: {},
      detail: `requirement constructor: is absent, required: ${`In ${manyValues.join(', ')}`.slice(0, 120)}…`,
    },
    {
      field: 'several',
      web: pool('web', { templateLabels: { tier: 'db' }, template: { terminationGracePeriod: '1h' } }),
      claim: { labels: { tier: 'web' } },
      detail: 'label tier: was web, now db; terminationGracePeriod: was absent, now 1h',
    },
  ])('$field', ({ web, claim, detail }) => {
    expect(driftOf(web, claim)).toBe(detail);
  });
});

describe('I1: what is not drift', () => {
  it.each([
    { it: 'nothing', web: pool(), claim: {} },
    { it: 'weight', web: pool('web', { spec: { weight: 50 } }), claim: {} },
    { it: 'limits', web: pool('web', { spec: { limits: { cpu: '1' } } }), claim: {} },
    {
      it: 'anything under disruption',
      web: pool('web', { consolidateAfter: '1h', consolidationPolicy: 'WhenEmpty', expireAfter: '1h' }),
      claim: {},
    },
    {
      it: 'taints in another order',
      web: pool('web', { template: { taints: [taint, { ...taint, key: 'x' }] } }),
      claim: { spec: { taints: [{ ...taint, key: 'x' }, taint] } },
    },
    {
      it: 'kubelet settings in another order',
      web: pool('web', { template: { kubelet: { a: 1, b: 2 } } }),
      claim: { spec: { kubelet: { b: 2, a: 1 } } },
    },
    {
      it: 'labels that systems write',
      web: pool(),
      claim: { labels: { 'topology.kubernetes.io/zone': 'a', 'karpenter.k8s.aws/instance-cpu': '4' } },
    },
    {
      it: 'labels that its requirements ask for',
      web: pool('web', { template: { requirements: [{ key: 'tier', operator: 'Exists' }] } }),
      claim: { labels: { tier: 'web' } },
    },
    { it: 'a claim without expireAfter', web: pool('web', { template: { expireAfter: '48h' } }), claim: {} },
    {
      it: 'the same hashes, whatever the fields',
      web: pool('web', { templateLabels: { tier: 'db' }, annotations: hash('1') }),
      claim: { annotations: hash('1') },
    },
    {
      it: 'hashes of another version',
      web: pool('web', { annotations: hash('1', 'v4') }),
      claim: { annotations: hash('2', 'v3') },
    },
    {
      it: 'a claim that was not launched',
      web: pool('web', { templateLabels: { tier: 'db' } }),
      claim: { conditions: { Launched: { status: 'False' } } },
    },
  ])('$it', ({ web, claim }) => {
    expect(driftOf(web, claim)).toBeUndefined();
  });
});

function hash(value: string, version = 'v3') {
  return { 'karpenter.sh/nodepool-hash': value, 'karpenter.sh/nodepool-hash-version': version };
}

describe('I1: hashes that Karpenter wrote', () => {
  it('differ: the fields are still named', () => {
    const web = pool('web', { templateLabels: { tier: 'db' }, annotations: hash('2') });
    expect(driftOf(web, { labels: { tier: 'web' }, annotations: hash('1') })).toBe('label tier: was web, now db');
  });

  it('differ where no field is seen to', () => {
    expect(driftOf(pool('web', { annotations: hash('2') }), { annotations: hash('1') })).toBe(
      'the template has changed',
    );
  });
});

describe('I2: requirements', () => {
  const asking = (...requirements: Plain[]) => pool('web', { template: { requirements } });
  const arch = (...values: string[]) => ({ key: 'kubernetes.io/arch', operator: 'In', values });
  const amd = { labels: { 'kubernetes.io/arch': 'amd64' } };

  it.each([
    { it: 'narrowed around it', web: asking(arch('amd64')), detail: undefined },
    { it: 'widened', web: asking(arch('amd64', 'arm64')), detail: undefined },
    {
      it: 'that exclude it',
      web: asking(arch('arm64')),
      detail: 'requirement kubernetes.io/arch: is amd64, required: In arm64',
    },
    {
      it: 'that ask for what it lacks',
      web: asking({ key: 'tier', operator: 'Exists' }),
      detail: 'requirement tier: is absent, required: Exists',
    },
    {
      it: 'that forbid what it lacks',
      web: asking({ key: 'tier', operator: 'NotIn', values: ['db'] }),
      detail: undefined,
    },
    {
      it: 'by several expressions',
      web: asking(arch('amd64', 'arm64'), { key: 'kubernetes.io/arch', operator: 'NotIn', values: ['amd64'] }),
      detail: 'requirement kubernetes.io/arch: is amd64, required: In amd64, arm64 and NotIn amd64',
    },
    {
      it: 'under an older name of the label',
      web: asking({ ...arch('arm64'), key: 'beta.kubernetes.io/arch' }),
      detail: 'requirement kubernetes.io/arch: is amd64, required: In arm64',
    },
  ])('$it', ({ web, detail }) => {
    expect(driftOf(web, amd)).toBe(detail);
  });
});

describe('I4: a claim that is no longer drifted', () => {
  it('loses the wish and its age', () => {
    const story = new Story([
      pool('web', { budgets: [{ nodes: '0' }] }),
      machine('n1', { drifted: longAgo }),
      machine('n2', { drifted: '2026-03-05T00:00:00Z' }),
    ]);
    const open = (): void => story.put(pool('web', { budgets: [{ nodes: '1' }] }));
    expect(story.decide('2026-03-10T12:00:00Z').verdicts.filter(({ reason }) => reason === 'Drifted')).toHaveLength(2);
    story.put(...machine('n1'));
    expect(
      story
        .decide('2026-03-10T12:01:00Z')
        .verdicts.filter(({ reason }) => reason === 'Drifted')
        .map(({ node }) => node),
    ).toEqual(['n2']);
    story.put(...machine('n1', { drifted: '2026-03-10T12:02:00Z' }));
    open();
    expect(startsOf(story.decide('2026-03-10T12:03:00Z'))).toEqual(['n2 Drifted']);
  });
});

describe('I5: the setting drift', () => {
  const differs = pool('web', { templateLabels: { tier: 'db' } });
  const condition = (reason: string) => ({
    conditions: { Drifted: { status: 'True', reason, message: 'says the cloud', lastTransitionTime: longAgo } },
  });

  it.each([
    { drift: 'claims', it: 'a difference alone', web: differs, claim: {}, detail: undefined },
    { drift: 'claims', it: 'the condition', web: pool(), claim: condition('AMIDrift'), detail: 'says the cloud' },
    {
      drift: 'claims',
      it: 'the condition, and the field is named',
      web: differs,
      claim: condition('NodePoolDrifted'),
      detail: 'label tier: was absent, now db',
    },
    { drift: 'computed', it: 'a difference alone', web: differs, claim: {}, detail: 'label tier: was absent, now db' },
    {
      drift: 'computed',
      it: 'a condition that can be worked out, and is not so',
      web: pool(),
      claim: condition('NodePoolDrifted'),
      detail: undefined,
    },
    {
      drift: 'computed',
      it: 'a condition that only the cloud can know',
      web: pool(),
      claim: condition('AMIDrift'),
      detail: 'says the cloud',
    },
  ])('$drift: $it', ({ drift, web, claim, detail }) => {
    expect(driftOf(web, claim, { drift })).toBe(detail);
  });

  it('is claims by default', () => {
    expect(decide([differs, machine()]).verdicts.some(({ reason }) => reason === 'Drifted')).toBe(false);
  });
});

describe('I5: an instance type that is not offered any more', () => {
  const labels = {
    'node.kubernetes.io/instance-type': 'm1.small',
    'topology.kubernetes.io/zone': 'a',
    'karpenter.sh/capacity-type': 'spot',
  };
  const offered = (zone: string, capacityType: string) => [
    { name: 'm1.small', cpu: '4', offerings: [{ zone, capacityType, price: 1 }] },
    { name: 'm2.large', cpu: '8', offerings: [{ zone: 'a', capacityType: 'spot', price: 2 }] },
  ];
  it.each([
    { it: 'there', catalogue: offered('a', 'spot'), detail: undefined },
    {
      it: 'in another zone alone',
      catalogue: offered('b', 'spot'),
      detail: 'instance type m1.small is no longer offered',
    },
    {
      it: 'on demand alone',
      catalogue: offered('a', 'on-demand'),
      detail: 'instance type m1.small is no longer offered',
    },
    { it: 'no catalogue', catalogue: [], detail: undefined },
  ])('$it', ({ catalogue, detail }) => {
    expect(driftOf(pool(), { labels }, { catalogue })).toBe(detail);
  });

  it('reserved capacity is offered on demand', () => {
    const reserved = { ...labels, 'karpenter.sh/capacity-type': 'reserved' };
    expect(driftOf(pool(), { labels: reserved }, { catalogue: offered('a', 'on-demand') })).toBeUndefined();
    expect(driftOf(pool(), { labels: reserved }, { catalogue: offered('a', 'spot') })).toContain('no longer offered');
  });

  it('counts only once the claim is an hour old, and the round wakes for it', () => {
    const young = machine('n1', { claim: { labels, created: '2026-03-10T11:30:00Z' } });
    const settings = { drift: 'computed', catalogue: offered('b', 'spot') };
    const round = decide([pool(), young], { settings });
    expect(round.verdicts.some(({ reason }) => reason === 'Drifted')).toBe(false);
    expect(round.wakeAt).toBe(Math.ceil((round.at + 30 * 60_000 + 1) / 1000) * 1000);
    const still = decide([pool(), young], { at: '2026-03-10T12:30:00Z', settings });
    expect(still.verdicts.some(({ reason }) => reason === 'Drifted')).toBe(false);
    const later = decide([pool(), young], { at: '2026-03-10T12:30:01Z', settings });
    expect(verdictOf(later, 'n1', 'Drifted').outcome).toBe('go');
  });
});
