import { describe, expect, it } from 'vitest';
import { command, decide, ledger, longAgo, machine, noon, pool, zone } from '../../../test/build.ts';

const budget = { nodes: '1', topologyKey: zone };
const sequential = { ...budget, sequential: true };
const drifted = (name: string, where: string, since = longAgo) => machine(name, { zone: where, drifted: since });
const later = '2026-03-05T00:00:00Z';

describe('L2: domains', () => {
  const turn = { pool: 'web', topologyKey: zone, domain: 'a', takenAt: noon, progressAt: noon };
  it.each([
    {
      it: 'without sequential every domain has its turn',
      budgets: [budget],
      objects: [drifted('a1', 'a'), machine('b1', { zone: 'b' })],
      known: {},
      states: ['turn', 'turn'],
    },
    {
      it: 'the domain that has the turn after the round',
      budgets: [sequential],
      objects: [drifted('a1', 'a'), drifted('b1', 'b', later)],
      known: {},
      states: ['turn', 'waiting'],
    },
    {
      it: 'a domain without drifted nodes is done',
      budgets: [sequential],
      objects: [drifted('a1', 'a'), machine('b1', { zone: 'b' })],
      known: {},
      states: ['turn', 'done'],
    },
    {
      it: 'all are done where nothing is drifted',
      budgets: [sequential],
      objects: [machine('a1', { zone: 'a' }), machine('b1', { zone: 'b' })],
      known: {},
      states: ['done', 'done'],
    },
    {
      it: 'a domain that settles',
      budgets: [{ ...sequential, settle: '10m' }],
      objects: [machine('a1', { zone: 'a' }), drifted('b1', 'b')],
      known: { turns: [{ ...turn, wellSince: '2026-03-10T11:55:00Z' }] },
      states: ['settling', 'waiting'],
    },
    {
      it: 'a domain that is not healthy settles',
      budgets: [sequential],
      objects: [machine('a1', { zone: 'a', ready: 'False', readySince: '2026-03-10T11:59:00Z' }), drifted('b1', 'b')],
      known: { turns: [turn] },
      states: ['settling', 'waiting'],
    },
    {
      it: 'a domain whose last node is being disrupted has the turn',
      budgets: [sequential],
      objects: [drifted('a1', 'a'), drifted('b1', 'b')],
      known: { commands: [command('a1')] },
      states: ['turn', 'waiting'],
    },
  ])('$it: $states', ({ budgets, objects, known, states }) => {
    const round = decide([pool('web', { budgets }), objects], { ledger: ledger(known) });
    expect(round.domains.map(({ state }) => state)).toEqual(states);
  });

  it('have the figures of the start of the round', () => {
    const objects = [
      drifted('a1', 'a'),
      drifted('a2', 'a'),
      machine('a3', { zone: 'a', deleted: longAgo }),
      machine('a4', { zone: 'a' }),
    ];
    const { domains } = decide([pool('web', { budgets: [{ ...budget, nodes: '50%' }] }), objects]);
    expect(domains).toEqual([
      { pool: 'web', topologyKey: zone, domain: 'a', counted: 4, limit: 2, consumed: 1, left: 1, state: 'turn' },
    ]);
  });

  it('are listed only for pools with an active topology budget for drift', () => {
    const closed = { ...budget, schedule: '0 1 * * *', duration: '1h' };
    const objects = [
      pool('web', { budgets: [closed] }),
      pool('api'),
      pool('ops', { budgets: [{ ...budget, reasons: ['Empty'] }] }),
      machine('n1', { zone: 'a' }),
    ];
    expect(decide(objects).domains).toEqual([]);
  });

  it('are sorted by pool, label and name, the unlabelled last', () => {
    const both = pool('web', { budgets: [budget, { nodes: '1', topologyKey: 'rack' }] });
    const objects = [
      both,
      machine('n1', { zone: 'b', labels: { rack: 'y' } }),
      machine('n2', { zone: 'a' }),
      machine('n3', { labels: { rack: 'x' } }),
    ];
    expect(
      decide(objects).domains.map(({ topologyKey, domain }) => `${topologyKey.split('/').at(-1)} ${domain}`),
    ).toEqual(['rack x', 'rack y', 'rack undefined', 'zone a', 'zone b', 'zone undefined']);
  });
});
