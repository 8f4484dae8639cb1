// Consolidation in whole rounds: replacements, groups, proposals, savings.
import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide as decideOnce,
  ledger,
  machine,
  noon,
  type Objects,
  type Plain,
  pdb,
  pod,
  pool,
  refusalOf,
  settings,
  startsOf,
  storeOf,
} from '../../../test/build.ts';
import { emptyLedger } from '../../cluster/ledger.ts';
import { decideRound } from '../round.ts';
import { decideSearched } from '../search.ts';

const type = 'node.kubernetes.io/instance-type';
const offered = (name: string, cores: number, price: number, more: Plain = {}): Plain => ({
  name,
  cpu: String(cores),
  memory: `${4 * cores}Gi`,
  pods: '110',
  offerings: [{ zone: 'a', capacityType: 'on-demand', price, ...more }],
});
const catalogue = [offered('small', 2, 0.1), offered('medium', 4, 0.2), offered('large', 8, 0.4)];
const cores: Readonly<Record<string, number>> = { small: 2, medium: 4, large: 8 };

/** A node of one of these types. */
const node = (name: string, kind: string, parts: Plain = {}): Plain[] =>
  machine(name, {
    zone: 'a',
    labels: { [type]: kind, 'karpenter.sh/capacity-type': 'on-demand' },
    allocatable: { cpu: String(cores[kind]), memory: `${4 * (cores[kind] ?? 0)}Gi` },
    ...parts,
  });
const web = pool('web', { consolidateAfter: '0s' });
const decide = (objects: Objects, values: Plain = {}) => decideOnce(objects, { settings: { catalogue, ...values } });
/** Three small nodes, each with a pod that no other can take in: one medium replaces them all. */
const three = ['n1', 'n2', 'n3'].map((name) => [node(name, 'small'), pod(`p-${name}`, name, { cpu: '1200m' })]);

const searched = (objects: Objects, values: Plain = {}) =>
  decideSearched(
    { cluster: storeOf(...objects), ledger: emptyLedger },
    at(noon),
    settings({ role: 'drive', catalogue, ...values }),
  ).round;

describe('F6: a zone whose last node would leave is a domain until it is gone', () => {
  const zone = 'topology.kubernetes.io/zone';
  const objects = (more: Plain): Objects => {
    const labelSelector = { matchLabels: { app: 'web' } };
    const constraint = { topologyKey: zone, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector, ...more };
    const spec = { topologySpreadConstraints: [constraint] };
    return [
      web,
      ...['a', 'b', 'c'].map((where) => [node(where, 'small', { zone: where }), pod(`p-${where}`, where, { spec })]),
    ];
  };

  it.each([
    { it: 'by default nothing is removed', more: {}, removes: false },
    { it: 'where taints are honoured its pods fit elsewhere', more: { nodeTaintsPolicy: 'Honor' }, removes: true },
  ])('$it', ({ more, removes }) => {
    const leaving = [decide(objects(more)), searched(objects(more))].map(({ commands }) =>
      commands.flatMap(({ nodes }) => nodes.map(({ name }) => name)),
    );
    expect(leaving.map((names) => names.length > 0)).toEqual([removes, removes]);
  });
});

describe('A: one node is replaced by a cheaper one', () => {
  const full = pod('p', 'n1', { cpu: '3' });

  it('T167: with what it saves, what it moves, and what it is to be launched as', () => {
    const [command] = decide([web, node('n1', 'large'), full]).commands;
    expect(command).toMatchObject({
      reason: 'Underutilized',
      step: 'chosen',
      savings: 0.2,
      podsMoved: 1,
      replacements: [
        {
          pool: 'web',
          instanceType: 'medium',
          launch: { instanceTypes: ['medium'], capacityTypes: ['on-demand'], zones: ['a'], requests: { cpu: 3000 } },
        },
      ],
    });
  });

  it.each([
    {
      it: 'nothing is cheaper',
      objects: [web, node('n1', 'medium'), full],
      code: 'NotCheaper',
      says: /\(now 0.2\)/,
    },
    {
      it: 'T206: a static pool is not consolidated at all',
      objects: [pool('web', { consolidateAfter: '0s', spec: { replicas: 1 } }), node('n1', 'large'), full],
      code: undefined,
    },
    {
      it: 'its pool is not Ready and makes no node',
      objects: [
        pool('web', { consolidateAfter: '0s', status: { conditions: [{ type: 'Ready', status: 'False' }] } }),
        node('n1', 'large'),
        full,
      ],
      code: 'NotCheaper',
      says: /no cheaper replacement is known/,
    },
    {
      it: 'the limits of the pool do not allow it',
      objects: [pool('web', { consolidateAfter: '0s', spec: { limits: { cpu: '1' } } }), node('n1', 'large'), full],
      code: 'NoPlacement',
      says: /limit of 1 cpu/,
    },
  ] as const)('not where $it', ({ objects, code, says }) => {
    const round = decide(objects);
    expect(round.commands).toEqual([]);
    if (code) expect(refusalOf(round, 'n1', 'Underutilized', code).message).toMatch(says);
  });

  it('weight: the heaviest pool that can hold its pods makes the node', () => {
    const heavy = pool('heavy', { spec: { weight: 10 } });
    const [command] = decide([web, heavy, node('n1', 'large'), full]).commands;
    expect(command?.replacements).toMatchObject([{ pool: 'heavy' }]);
  });

  it('T187: not if its pods will fit on a node once it is past its consolidateAfter', () => {
    const later = pool('web', { consolidateAfter: '1m' });
    const busy = node('n2', 'large', { claim: { lastPodEvent: '2026-03-10T11:59:30Z' } });
    const kept = pod('k', 'n2', { cpu: '3', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
    const round = decide([later, node('n1', 'large'), full, busy, kept]);
    expect(refusalOf(round, 'n1', 'Underutilized', 'NoPlacement')).toMatchObject({
      message: expect.stringContaining('will fit on n2, where pods were added or removed'),
      owner: { kind: 'Node', name: 'n2' },
      liftsAt: at('2026-03-10T12:00:30Z'),
    });
    expect(
      startsOf(
        decideOnce([later, node('n1', 'large'), full, busy, kept], {
          at: '2026-03-10T12:00:30Z',
          settings: { catalogue },
        }),
      ),
    ).toEqual(['n1 Underutilized']);
  });

  it('M: swaps between nearly equal nodes are refused', () => {
    const objects = [web, node('n1', 'large'), full];
    expect(codesOf(decide(objects, { minimumSavings: '60%' }), 'n1', 'Underutilized')).toEqual(['NotCheaper']);
    expect(codesOf(decide(objects, { podMoveCost: 0.2 }), 'n1', 'Underutilized')).toEqual(['NotCheaper']);
    expect(startsOf(decide(objects, { minimumSavings: '50%', podMoveCost: 0.19 }))).toEqual(['n1 Underutilized']);
  });
});

describe('M: removal has to pay for the moves, too', () => {
  const kept = { cpu: '3', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
  const objects = [web, node('n1', 'small'), pod('p', 'n1'), node('n2', 'large'), pod('q', 'n2', kept)];

  it('where podMoveCost asks for it', () => {
    expect(startsOf(decide(objects))).toEqual(['n1 Underutilized']);
    expect(refusalOf(decide(objects, { podMoveCost: 0.1 }), 'n1', 'Underutilized', 'NotCheaper').message).toBe(
      'its pods fit elsewhere, but that saves 0.1 per hour for 1 moved pod; podMoveCost requires more than 0.1',
    );
  });

  it('where Balanced scores it', () => {
    const balanced = pool('web', { consolidateAfter: '0s', consolidationPolicy: 'Balanced' });
    const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => pod(name, 'n1'));
    const [, ...others] = objects;
    expect(refusalOf(decide([balanced, ...others, many]), 'n1', 'Underutilized', 'NotCheaper').message).toMatch(
      /that saves 0.1 per hour for 7 moved pods; Balanced requires a score of 0.5 in pool web, this is 0.25/,
    );
  });
});

describe('A: a group is judged again by the round', () => {
  it('T197: three go for one, by one command', () => {
    const round = searched([web, three]);
    expect(round.commands).toHaveLength(1);
    expect(round.commands[0]).toMatchObject({
      nodes: [{ name: 'n1' }, { name: 'n2' }, { name: 'n3' }],
      savings: 0.1,
      podsMoved: 3,
      replacements: [{ instanceType: 'medium' }],
    });
    expect(round.verdicts.map(({ outcome }) => outcome)).toEqual(['go', 'go', 'go']);
  });

  const proposals = [{ version: 'x', nodes: ['n1', 'n2', 'n3'], isReplaced: true, savings: 9, podsMoved: 0 }];
  const told = (objects: Objects) =>
    decideRound(
      { cluster: storeOf(...objects), ledger: emptyLedger, proposals },
      at(noon),
      settings({ role: 'drive', catalogue }),
    );

  it.each([
    { it: 'its budget lets all of them go', parts: { budgets: [{ nodes: '3' }] }, commands: 1 },
    { it: 'its budget lets two go', parts: { budgets: [{ nodes: '2' }] }, commands: 0 },
  ])('C5: all or nothing where $it', ({ parts, commands }) => {
    const round = told([pool('web', { consolidateAfter: '0s', ...parts }), three]);
    expect(round.commands).toHaveLength(commands);
  });

  it.each([
    { allowed: 3, commands: 1 },
    { allowed: 2, commands: 0 },
  ])('E10: a PDB over all of its pods that allows $allowed', ({ allowed, commands }) => {
    expect(told([web, three, pdb('guard', allowed)]).commands).toHaveLength(commands);
  });

  it.each([
    { it: 'a node that is not there', objects: [web, three.slice(1)] },
    {
      it: 'a node that may not go',
      objects: [web, three, node('n3', 'small', { annotations: { 'lull.dev/hold': 'mine' } })],
    },
  ])('drops without a word a proposal with $it', ({ objects }) => {
    expect(told(objects).commands.filter(({ nodes }) => nodes.length > 1)).toEqual([]);
  });

  it('drops it where what would come is dearer', () => {
    const dear = settings({ role: 'drive', catalogue: [catalogue[0], catalogue[2]] });
    const found = { cluster: storeOf(web, three), ledger: emptyLedger, proposals };
    expect(decideRound(found, at(noon), dear).commands).toEqual([]);
  });

  it('leaves what others say of the limits as it was: a proposal that was dropped has spent nothing', () => {
    const tight = pool('web', { consolidateAfter: '0s', budgets: [{ nodes: '2' }] });
    const spare = [node('n4', 'large'), pod('k', 'n4', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })];
    expect(startsOf(told([tight, three, spare]))).toHaveLength(2);
  });

  it('G5: is judged again as a group after consolidationPause, and planned as it is best then', () => {
    const round = searched([web, three]);
    const [command] = round.commands;
    const again = (objects: Objects, when: string) =>
      decideRound(
        { cluster: storeOf(...objects), ledger: { ...emptyLedger, commands: command ? [command] : [] } },
        at(when),
        settings({ role: 'drive', catalogue }),
      );
    expect(again([web, three], '2026-03-10T12:00:10Z').commands[0]?.step).toBe('chosen');
    const later = again([web, three], '2026-03-10T12:00:15Z');
    expect(later.commands[0]).toMatchObject({ step: 'tainted', savings: 0.1 });
    expect(later.actions.map(({ name }) => name)).toEqual(['n1', 'n2', 'n3']);
    const grown = again([web, three, pod('new', 'n2', { cpu: '700m' })], '2026-03-10T12:00:15Z');
    expect(grown.ended).toMatchObject([{ how: 'released', why: expect.stringContaining('NotCheaper') }]);
    const removal = again([web, three, node('n4', 'large'), pod('k', 'n4')], '2026-03-10T12:00:15Z');
    expect(removal.commands[0]).toMatchObject({ step: 'tainted', replacements: [], savings: 0.3 });
  });

  it('N6: the claim asks for what was planned, and for the pods that go there', () => {
    const launch = {
      instanceTypes: ['medium', 'other'],
      capacityTypes: ['on-demand'],
      zones: ['a'],
      requests: { cpu: 3600, pods: 3 },
    };
    const known = ledger({
      commands: [
        {
          id: 'underutilized-x',
          reason: 'Underutilized',
          pool: 'web',
          hands: 'lull',
          nodes: [{ name: 'n1', claim: 'n1-claim' }],
          replacements: [{ name: 'underutilized-x-0', pool: 'web', instanceType: 'medium', launch }],
          step: 'replacing',
          startedAt: noon,
          stepAt: noon,
        },
      ],
    });
    const round = decideOnce([web, three], { settings: { catalogue }, ledger: known });
    const created = round.actions.find(({ verb }) => verb === 'create');
    expect(created?.object).toMatchObject({
      spec: {
        requirements: [
          { key: type, operator: 'In', values: ['medium', 'other'] },
          { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a'] },
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
        ],
        resources: { requests: { cpu: '3600m', pods: '3' } },
      },
    });
  });

  it('N4: in guide each node is offered by itself, with its share of the savings', () => {
    const round = searched([web, three], { role: 'guide' });
    expect(round.commands.map(({ nodes }) => nodes.map(({ name }) => name))).toEqual([['n1'], ['n2'], ['n3']]);
    expect(round.commands.map(({ savings }) => savings)).toEqual([0.033333, 0.033333, 0.033333]);
  });
});

describe('N3: in guide a group with a node that Karpenter has just declined', () => {
  const proposals = [{ version: 'x', nodes: ['n1', 'n2', 'n3'], isReplaced: true, savings: 9, podsMoved: 0 }];
  it.each([
    { it: 'is offered where it declined another', declined: 'n4', offered: ['n1', 'n2', 'n3'] },
    { it: 'is not offered', declined: 'n2', offered: [] },
  ])('$it', ({ declined, offered: names }) => {
    const known = ledger({ declined: [{ node: declined, at: '2026-03-10T11:59:00Z' }] });
    const facts = { cluster: storeOf(web, three), ledger: known, proposals };
    const round = decideRound(facts, at(noon), settings({ role: 'guide', catalogue }));
    expect(round.commands.flatMap(({ nodes }) => nodes.map(({ name }) => name))).toEqual(names);
  });
});

describe('A planned removal that the scheduler would not carry out', () => {
  const host = (name: string, labels: Readonly<Record<string, string>>): Plain[] =>
    machine(name, { zone: 'a', labels });
  const sized = (
    name: string,
    on: string,
    [cpu, memory]: readonly [string, string],
    more: Parameters<typeof pod>[2] = {},
  ): Plain => {
    const containers = [{ resources: { requests: { cpu, memory } } }];
    return pod(name, on, { ...more, spec: { containers, ...more.spec } });
  };
  const kept = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
  // The tightest packing puts the first pod of n1 on n3-tight. The scheduler puts it on n4-roomy, where the second pod then has no room.
  const objects = [
    web,
    host('n3-tight', { disk: 'hdd' }),
    sized('t', 'n3-tight', ['3300m', '13200Mi'], kept),
    host('n4-roomy', { disk: 'hdd', large: 'yes' }),
    sized('r', 'n4-roomy', ['3', '12000Mi'], kept),
    host('n1', { disk: 'ssd' }),
    sized('first', 'n1', ['600m', '2400Mi'], { spec: { nodeSelector: { disk: 'hdd' } } }),
    pod('second', 'n1', { cpu: '500m', spec: { nodeSelector: { large: 'yes' } } }),
    host('n2', { disk: 'ssd' }),
    ['x', 'y', 'z'].map((name) => pod(name, 'n2', { cpu: '900m', spec: { nodeSelector: { disk: 'ssd' } } })),
  ];

  it('leaves its node open to the pods of the nodes that follow', () => {
    const round = decideOnce(objects);
    expect(refusalOf(round, 'n1', 'Underutilized', 'NoPlacement').message).toContain('shop/second');
    expect(startsOf(round)).toEqual(['n2 Underutilized']);
  });
});

describe('F5: instance types that the cluster shows by itself', () => {
  const seen = (name: string, kind: string, where: Plain): Plain[] => {
    const { zone = 'a', capacity = 'on-demand', price } = where;
    return node(name, kind, {
      zone,
      labels: {
        [type]: kind,
        'karpenter.sh/capacity-type': String(capacity),
        'eks-node-viewer/instance-price': String(price),
      },
      annotations: { 'lull.dev/hold': 'only seen' },
    });
  };
  const large = machine('n1', {
    zone: 'a',
    labels: {
      [type]: 'large',
      'karpenter.sh/capacity-type': 'on-demand',
      'eks-node-viewer/instance-price': '0.4',
    },
    allocatable: { cpu: '8', memory: '32Gi' },
  });
  const full = (name: string): Plain => pod(`full-${name}`, name, { cpu: '1500m' });

  it.each([
    {
      it: 'in another zone, at the price of that zone',
      others: [seen('n2', 'small', { price: 0.12 }), seen('n3', 'small', { zone: 'b', price: 0.1 })],
      zones: ['a', 'b'],
    },
    {
      it: 'in one place, at the price that was seen first',
      others: [seen('n2', 'small', { price: 0.12 }), seen('n3', 'small', { price: 0.1 })],
      zones: ['a'],
    },
    {
      it: 'as spot beside on-demand',
      others: [seen('n2', 'small', { price: 0.12 }), seen('n3', 'small', { capacity: 'spot', price: 0.04 })],
      zones: ['a'],
      capacityTypes: ['spot'],
    },
  ])('$it', ({ others, zones, capacityTypes = ['on-demand'] }) => {
    const objects = [web, large, pod('p', 'n1', { cpu: '1500m' }), others, full('n2'), full('n3')];
    const [command] = decideOnce(objects).commands;
    expect(command?.replacements[0]?.launch).toMatchObject({ zones, capacityTypes });
  });
});

describe('Savings of commands', () => {
  const drifted = node('n1', 'medium', { drifted: '2026-03-09T00:00:00Z' });
  it.each([
    {
      it: 'an empty node saves all of it',
      objects: [web, node('n1', 'medium')],
      worth: { savings: 0.2, podsMoved: 0 },
    },
    {
      it: 'a drifted one that is replaced by its like saves nothing',
      objects: [pool(), drifted, pod('p', 'n1', { cpu: '3' })],
      worth: { savings: 0, podsMoved: 1 },
    },
  ])('$it', ({ objects, worth }) => {
    expect(decide(objects).commands[0]).toMatchObject(worth);
  });

  it('but where no price is known', () => {
    const [command] = decideOnce([web, machine('n1')]).commands;
    expect(command).toMatchObject({ podsMoved: 0 });
    expect(command?.savings).toBeUndefined();
  });
});
