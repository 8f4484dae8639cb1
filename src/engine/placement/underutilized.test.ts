// Which nodes are removed for Underutilized.
import { describe, expect, it } from 'vitest';
import {
  codesOf,
  decide,
  longAgo,
  machine,
  type Objects,
  type Plain,
  pod,
  pool,
  refusalOf,
  zone,
} from '../../../test/build.ts';

const full = (name = 'n1') => pod(`p-${name}`, name, { cpu: '3' });
const commandOf = (objects: Objects, asking: Parameters<typeof decide>[1] = {}) =>
  decide(objects, asking).commands.find(({ nodes }) => nodes[0]?.name === 'n1');
const type = 'node.kubernetes.io/instance-type';

describe('F5: what speaks against Underutilized', () => {
  const web = pool('web', { consolidateAfter: '0s' });
  const priced = (price: string, name = 'n1') =>
    machine(name, {
      zone: 'a',
      labels: { [type]: 'own', 'karpenter.sh/capacity-type': 'spot', 'eks-node-viewer/instance-price': price },
    });
  const offers = (price: number, cpu = '4') => [
    { name: 'other', cpu, memory: '16Gi', pods: '110', offerings: [{ zone: 'a', capacityType: 'spot', price }] },
  ];
  it.each([
    { it: 'its price is not known', node: machine('n1'), catalogue: [], code: 'NoPriceKnown' },
    { it: 'no replacement is cheaper', node: priced('2'), catalogue: offers(2), code: 'NotCheaper' },
    { it: 'a cheaper one would be spot again', node: priced('2'), catalogue: offers(1), code: 'NotCheaper' },
    { it: 'a cheaper one is too small', node: priced('2'), catalogue: offers(1, '1'), code: 'NotCheaper' },
  ] as const)('$code: $it', ({ node, catalogue, code }) => {
    expect(codesOf(decide([web, node, full()], { settings: { catalogue } }), 'n1', 'Underutilized')).toEqual([code]);
  });

  it('goes where all of its pods fit elsewhere', () => {
    const stay = pod('s', 'n2', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
    expect(commandOf([web, machine('n1'), full(), machine('n2'), stay])).toMatchObject({
      reason: 'Underutilized',
      promisedTo: ['n2'],
      replacements: [],
    });
  });

  it('stays where one of them does not', () => {
    const busy = [machine('n2'), pod('s', 'n2', { cpu: '2', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })];
    expect(
      commandOf([web, machine('n1'), pod('a', 'n1', { cpu: '1' }), pod('b', 'n1', { cpu: '2500m' }), busy]),
    ).toBeUndefined();
  });
});

describe('F6: spread over zones', () => {
  const spread = (name: string, on: string, more: Plain = {}) =>
    pod(name, on, {
      cpu: '1',
      labels: { app: 'web' },
      spec: {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: zone,
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: { app: 'web' } },
          },
        ],
        containers: [{ resources: { requests: { cpu: '1' } } }],
      },
      ...more,
    });
  const parked = { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': longAgo };
  const stay = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
  /** a1's pod fits on a2, and the zones with nodes stay even: 2 and 2. */
  const cluster = (template: Plain): Objects => [
    pool('web', { consolidateAfter: '0s', template }),
    machine('a1', { zone: 'a', annotations: parked }),
    spread('p1', 'a1'),
    ...['a2', 'b1', 'b2'].map((name) => machine(name, { zone: name.slice(0, 1), annotations: parked })),
    ...['a2', 'b1', 'b2'].map((name) => spread(`p-${name}`, name, stay)),
  ];
  const zones = (...values: string[]): Plain => ({ requirements: [{ key: zone, operator: 'In', values }] });
  const offer = (where: string) => ({
    name: 't',
    cpu: '4',
    memory: '16Gi',
    pods: '110',
    offerings: [{ zone: where, capacityType: 'spot', price: 9 }],
  });

  it.each([
    {
      it: 'only zones with nodes count where the pool has no other',
      role: 'guide',
      template: zones('a', 'b'),
      goes: true,
    },
    {
      it: "beside Karpenter the pool's zones without nodes count",
      role: 'guide',
      template: zones('a', 'b', 'c'),
      goes: false,
    },
    {
      it: 'beside Karpenter the zones of the catalogue count',
      role: 'guide',
      template: {},
      catalogue: [offer('c')],
      goes: false,
    },
    {
      it: 'not zones that the pool excludes',
      role: 'guide',
      template: zones('a', 'b'),
      catalogue: [offer('c')],
      goes: true,
    },
    { it: 'in drive only the scheduler matters', role: 'drive', template: zones('a', 'b', 'c'), goes: true },
  ])('$it', ({ role, template, catalogue = [], goes }) => {
    // Without a catalogue, Karpenter may know a type that fits: a trial offer has no plan.
    const planned = decide(cluster(template), { settings: { role, catalogue } }).commands.filter(({ trial }) => !trial);
    expect(planned.map(({ promisedTo }) => promisedTo)).toEqual(goes ? [['a2']] : []);
  });
});

describe('F6: a removal that fits is repeated with the choices of the scheduler', () => {
  const web = pool('web', { consolidateAfter: '0s' });
  const stay = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
  /** n1 leaves with two pods of 2 cpu; the second must go to n2, whose room the scheduler likes better for the first. */
  const stage = (first: Parameters<typeof pod>[2] = {}): Objects => [
    web,
    machine('n1'),
    pod('a', 'n1', { cpu: '2', ...first }),
    pod('b', 'n1', {
      cpu: '2',
      spec: { nodeSelector: { disk: 'ssd' }, containers: [{ resources: { requests: { cpu: '2' } } }] },
    }),
    ...['c', 'd', 'e'].map((name) => pod(name, 'n1', { cpu: '0' })),
    machine('n2', { labels: { disk: 'ssd' } }),
    pod('s', 'n2', { cpu: '2', ...stay }),
    machine('n3', { allocatable: { cpu: '8' } }),
    ...['t', 'u', 'v'].map((name) => pod(name, 'n3', { cpu: '2', ...stay })),
  ];

  it('and held where that would strand another', () => {
    const { message } = refusalOf(decide(stage()), 'n1', 'Underutilized', 'NoPlacement');
    expect(message).toContain('pod shop/b needs 2 cpu');
    expect(message).toContain('the scheduler would probably put the other pods there');
  });

  it('and goes where it does not', () => {
    const elsewhere = {
      spec: {
        nodeSelector: { 'kubernetes.io/hostname': 'n3' },
        containers: [{ resources: { requests: { cpu: '2' } } }],
      },
    };
    expect(commandOf(stage(elsewhere))).toMatchObject({ reason: 'Underutilized', promisedTo: ['n2', 'n3'] });
  });
});

describe('F6: a node that was promised pods in this round', () => {
  it('stays, though its own pods would fit elsewhere', () => {
    const web = pool('web', { consolidateAfter: '0s' });
    const round = decide([
      web,
      machine('n1'),
      pod('a', 'n1', { cpu: '3' }),
      machine('n2'),
      pod('b', 'n2', { cpu: '1' }),
      pod('c', 'n2', { cpu: '0' }),
    ]);
    expect(round.commands).toHaveLength(1);
    const [target = ''] = round.commands[0]?.promisedTo ?? [];
    expect(codesOf(round, target, 'Underutilized')).toEqual(['Nominated']);
  });
});
