import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide,
  longAgo,
  machine,
  type Objects,
  type Plain,
  pool,
  refusalOf,
  startsOf,
  zone,
} from '../../../test/build.ts';

const perZone = (nodes: string, more: Plain = {}): Plain => ({ nodes, topologyKey: zone, ...more });
/** The given number of drifted nodes in each zone: a1, a2, b1 … */
const zones = (counts: Readonly<Record<string, number>>): Objects =>
  Object.entries(counts).map(([name, count]) =>
    Array.from({ length: count }, (_, index) => machine(`${name}${index + 1}`, { zone: name, drifted: longAgo })),
  );
const goes = (budgets: readonly Plain[], ...objects: Objects): string =>
  startsOf(decide([pool('web', { budgets }), objects]))
    .map((it) => it.split(' ')[0])
    .sort()
    .join(' ');

describe('C9: a budget with topologyKey', () => {
  const deleting = machine('a9', { zone: 'a', deleted: longAgo });
  const unready = machine('a9', { zone: 'a', ready: 'False', readySince: '2026-03-10T11:59:00Z' });
  it.each([
    {
      it: 'binds each domain separately, all at the same time',
      budgets: [perZone('1')],
      objects: [zones({ a: 2, b: 2 })],
      goes: 'a1 b1',
    },
    {
      it: 'nodes in use in the domain count',
      budgets: [perZone('1')],
      objects: [zones({ a: 2, b: 2 }), deleting],
      goes: 'b1',
    },
    {
      it: 'so do nodes that are not Ready',
      budgets: [perZone('1')],
      objects: [zones({ a: 2, b: 2 }), unready],
      goes: 'b1',
    },
    {
      it: "a percentage is of the domain's counted nodes, rounded up",
      budgets: [perZone('50%')],
      objects: [zones({ a: 3, b: 1 })],
      goes: 'a1 a2 b1',
    },
    { it: 'zero allows none', budgets: [perZone('0')], objects: [zones({ a: 1 })], goes: '' },
    {
      it: 'has no effect when it names other reasons',
      budgets: [perZone('0', { reasons: ['Empty'] })],
      objects: [zones({ a: 2 })],
      goes: 'a1 a2',
    },
    {
      it: 'binds when it names Drifted among others',
      budgets: [perZone('1', { reasons: ['Empty', 'Drifted'] })],
      objects: [zones({ a: 2 })],
      goes: 'a1',
    },
    {
      it: 'has no effect when it is not active',
      budgets: [perZone('0', { schedule: '0 1 * * *', duration: '1h' })],
      objects: [zones({ a: 2 })],
      goes: 'a1 a2',
    },
    {
      it: 'C15: applies together with a budget without topologyKey: the smaller wins',
      budgets: [perZone('2'), { nodes: '3' }],
      objects: [zones({ a: 3, b: 3 })],
      goes: 'a1 a2 b1',
    },
    {
      it: 'C15: of two for one label the smaller wins',
      budgets: [perZone('2'), perZone('1')],
      objects: [zones({ a: 3 })],
      goes: 'a1',
    },
  ])('$it: $goes', ({ budgets, objects, goes: names }) => {
    expect(goes(budgets, ...objects)).toBe(names);
  });

  it('two labels bind together', () => {
    const racked = (name: string, where: string, rack: string) =>
      machine(name, { zone: where, labels: { rack }, drifted: longAgo });
    const nodes = [racked('n1', 'a', 'x'), racked('n2', 'a', 'y'), racked('n3', 'b', 'x'), racked('n4', 'b', 'y')];
    expect(goes([perZone('2'), { nodes: '1', topologyKey: 'rack' }], nodes)).toBe('n1 n2');
  });

  it.each([
    { it: 'Expired', parts: { claim: { spec: { expireAfter: '1h' } } } },
    { it: 'Rebalance', parts: { annotations: { 'lull.dev/rebalance': '' } } },
  ])(
    'binds only Drifted: $it starts regardless, and Interrupted nodes use up the limit of drift',
    ({ it: reason, parts }) => {
      const budgets = [perZone('1')];
      const others = ['r1', 'r2'].map((name) => machine(name, { zone: 'a', ...parts }));
      expect(startsOf(decide([pool('web', { budgets }), others]))).toEqual([`r1 ${reason}`, `r2 ${reason}`]);
      const forced = machine('i1', { zone: 'a', claim: { conditions: { Interrupted: longAgo } } });
      const round = decide([pool('web', { budgets }), forced, zones({ a: 1 })]);
      expect(codesOf(round, 'a1', 'Drifted')).toEqual(['DomainBudgetSpent']);
    },
  );

  it('C7: a node that is already consumed uses its own unit', () => {
    const mine = machine('a1', { zone: 'a', drifted: longAgo, ready: 'False', readySince: '2026-03-10T11:59:00Z' });
    expect(codesOf(decide([pool('web', { budgets: [perZone('1')] }), mine]), 'a1', 'Drifted')).toEqual(['NotReady']);
    expect(codesOf(decide([pool('web', { budgets: [perZone('0')] }), mine]), 'a1', 'Drifted')).toEqual([
      'NotReady',
      'DomainBudgetSpent',
    ]);
  });

  it('C7: a node that is already consumed uses no second unit when it starts', () => {
    const down = machine('a0', { zone: 'a', ready: 'False' });
    const round = decide([
      pool('web', { budgets: [perZone('2')] }),
      down,
      zones({ a: 2 }),
      ['x1', 'x2'].map((name) => machine(name)),
    ]);
    expect(startsOf(round)).toEqual(['a0 Unhealthy', 'a1 Drifted']);
  });
});

describe('C9: a domain without a unit left', () => {
  const busy = [zones({ a: 2 }), machine('a9', { zone: 'a', deleted: longAgo })];

  it('is reported with the index of its budget', () => {
    const round = decide([pool('web', { budgets: [{ nodes: '9' }, perZone('1')] }), busy]);
    expect(refusalOf(round, 'a1', 'Drifted', 'DomainBudgetSpent')).toMatchObject({
      owner: { kind: 'NodePool', name: 'web', index: 1 },
      message: 'budgets[1] of pool web allows 1 node of zone a at a time; 1 in use',
    });
  });

  it.each([
    {
      it: 'lifts when its budget closes',
      budgets: [perZone('1', { schedule: '0 9 * * *', duration: '8h' })],
      liftsAt: '2026-03-10T17:00:00Z',
    },
    {
      it: 'lifts when a smaller one closes',
      budgets: [perZone('2'), perZone('1', { schedule: '0 9 * * *', duration: '8h' })],
      liftsAt: '2026-03-10T17:00:00Z',
    },
    {
      it: 'does not lift while another one binds',
      budgets: [perZone('1'), perZone('1', { schedule: '0 9 * * *', duration: '8h' })],
      liftsAt: undefined,
    },
    { it: 'does not lift without a schedule', budgets: [perZone('1')], liftsAt: undefined },
  ])('$it', ({ budgets, liftsAt }) => {
    const round = decide([pool('web', { budgets }), busy]);
    expect(refusalOf(round, 'a1', 'Drifted', 'DomainBudgetSpent').liftsAt).toBe(liftsAt && at(liftsAt));
  });

  it('does not lift by itself for a node that lost the last unit to another in this round', () => {
    const budgets = [perZone('1', { schedule: '0 9 * * *', duration: '8h' })];
    const round = decide([pool('web', { budgets }), zones({ a: 2 })]);
    expect(refusalOf(round, 'a2', 'Drifted', 'DomainBudgetSpent')).not.toHaveProperty('liftsAt');
  });
});

describe('C14: nodes without the label', () => {
  const unlabelled = ['u1', 'u2'].map((name) => machine(name, { drifted: '2026-01-01T00:00:00Z' }));

  it('form one domain of their own', () => {
    expect(goes([perZone('1')], unlabelled, zones({ a: 1 }))).toBe('a1 u1');
    const { domains } = decide([pool('web', { budgets: [perZone('1')] }), unlabelled, zones({ a: 1 })]);
    expect(domains.map(({ domain }) => domain)).toEqual(['a', undefined]);
    expect(domains[1]).not.toHaveProperty('domain');
  });

  it('are taken last, though they drifted first', () => {
    const round = decide([pool('web', { budgets: [perZone('1', { sequential: true })] }), unlabelled, zones({ a: 1 })]);
    expect(startsOf(round)).toEqual(['a1 Drifted']);
    expect(codesOf(round, 'u1', 'Drifted')).toEqual(['NotItsTurn']);
  });
});

describe('C15: several sequential budgets', () => {
  it.each([
    {
      it: 'the first gives the turn',
      budgets: [perZone('1', { sequential: true }), { nodes: '0', topologyKey: 'rack', sequential: true }],
      goes: 'n1',
    },
    {
      it: 'the first that is active gives the turn',
      budgets: [
        perZone('1', { sequential: true, schedule: '0 1 * * *', duration: '1h' }),
        { nodes: '1', topologyKey: 'rack', sequential: true },
      ],
      goes: 'n1',
    },
    {
      it: 'the first that binds drift gives the turn',
      budgets: [
        perZone('1', { sequential: true, reasons: ['Empty'] }),
        { nodes: '2', topologyKey: 'rack', sequential: true },
      ],
      goes: 'n1 n3',
    },
  ])('$it', ({ budgets, goes: names }) => {
    const racked = (name: string, where: string, rack: string) =>
      machine(name, { zone: where, labels: { rack }, drifted: longAgo });
    const nodes = [racked('n1', 'a', 'x'), racked('n2', 'a', 'y'), racked('n3', 'b', 'x')];
    const round = decide([pool('web', { budgets }), nodes]);
    expect(
      startsOf(round)
        .map((it) => it.split(' ')[0])
        .join(' '),
    ).toBe(names);
    const key = round.ledger.turns[0]?.topologyKey === 'rack' ? 'x' : 'a';
    expect(round.commands[0]?.nodes[0]?.domain).toBe(key);
  });

  it('a budget that is not sequential binds as well', () => {
    const budgets = [perZone('2', { sequential: true }), perZone('1')];
    expect(goes(budgets, zones({ a: 2, b: 2 }))).toBe('a1');
  });
});
