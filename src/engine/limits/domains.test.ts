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
/** So many drifted nodes in each zone: a1, a2, b1 … */
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
      it: 'binds each domain alone; all go at once',
      budgets: [perZone('1')],
      objects: [zones({ a: 2, b: 2 })],
      goes: 'a1 b1',
    },
    {
      it: 'what is in use there counts',
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
    { it: 'zero lets none go', budgets: [perZone('0')], objects: [zones({ a: 1 })], goes: '' },
    {
      it: 'that names other reasons does nothing',
      budgets: [perZone('0', { reasons: ['Empty'] })],
      objects: [zones({ a: 2 })],
      goes: 'a1 a2',
    },
    {
      it: 'that names Drifted among others binds',
      budgets: [perZone('1', { reasons: ['Empty', 'Drifted'] })],
      objects: [zones({ a: 2 })],
      goes: 'a1',
    },
    {
      it: 'that is not active does nothing',
      budgets: [perZone('0', { schedule: '0 1 * * *', duration: '1h' })],
      objects: [zones({ a: 2 })],
      goes: 'a1 a2',
    },
    {
      it: 'C15: a flat one holds with it: the smaller wins',
      budgets: [perZone('2'), { nodes: '3' }],
      objects: [zones({ a: 3, b: 3 })],
      goes: 'a1 a2 b1',
    },
    {
      it: 'C15: two on one label: the smaller wins',
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
  ])('binds only Drifted: $it goes, and uses up what drift may', ({ it: reason, parts }) => {
    const budgets = [perZone('1')];
    const others = ['r1', 'r2'].map((name) => machine(name, { zone: 'a', ...parts }));
    expect(startsOf(decide([pool('web', { budgets }), others]))).toEqual([`r1 ${reason}`, `r2 ${reason}`]);
    const forced = machine('i1', { zone: 'a', claim: { conditions: { Interrupted: longAgo } } });
    const round = decide([pool('web', { budgets }), forced, zones({ a: 1 })]);
    expect(codesOf(round, 'a1', 'Drifted')).toEqual(['DomainBudgetSpent']);
  });

  it('C7: a node that is consumed itself uses its own unit', () => {
    const mine = machine('a1', { zone: 'a', drifted: longAgo, ready: 'False', readySince: '2026-03-10T11:59:00Z' });
    expect(codesOf(decide([pool('web', { budgets: [perZone('1')] }), mine]), 'a1', 'Drifted')).toEqual(['NotReady']);
    expect(codesOf(decide([pool('web', { budgets: [perZone('0')] }), mine]), 'a1', 'Drifted')).toEqual([
      'NotReady',
      'DomainBudgetSpent',
    ]);
  });

  it('C7: nor does it use a second one when it goes', () => {
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

  it('is named with its budget', () => {
    const round = decide([pool('web', { budgets: [{ nodes: '9' }, perZone('1')] }), busy]);
    expect(refusalOf(round, 'a1', 'Drifted', 'DomainBudgetSpent')).toMatchObject({
      owner: { kind: 'NodePool', name: 'web', index: 1 },
      message: 'budget 1 of web lets 1 of zone a go at once; in use: 1',
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

  it('who lost the last unit to another waits for that one', () => {
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
      it: 'the first is used',
      budgets: [perZone('1', { sequential: true }), { nodes: '0', topologyKey: 'rack', sequential: true }],
      goes: 'n1',
    },
    {
      it: 'the first that is active',
      budgets: [
        perZone('1', { sequential: true, schedule: '0 1 * * *', duration: '1h' }),
        { nodes: '1', topologyKey: 'rack', sequential: true },
      ],
      goes: 'n1',
    },
    {
      it: 'the first that binds drift',
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

  it('one beside it that is not sequential still binds', () => {
    const budgets = [perZone('2', { sequential: true }), perZone('1')];
    expect(goes(budgets, zones({ a: 2, b: 2 }))).toBe('a1');
  });
});
