import { describe, expect, it } from 'vitest';
import { at, codesOf, longAgo, machine, type Plain, pool, Story, startsOf, zone } from '../../../test/build.ts';

const sequential = { nodes: '1', topologyKey: zone, sequential: true };
const drifted = (name: string, where?: string) => machine(name, { ...(where && { zone: where }), drifted: longAgo });
const states = (round: { domains: readonly { domain?: string; state: string }[] }): string =>
  round.domains.map(({ domain = '-', state }) => `${domain} ${state}`).join(', ');

describe('C11, C12: a roll from zone to zone', () => {
  it('takes one domain after the other, each to its end', () => {
    const story = new Story([
      pool('web', { budgets: [sequential] }),
      drifted('a1', 'a'),
      drifted('a2', 'a'),
      drifted('b1', 'b'),
    ]);

    const first = story.decide('2026-03-10T12:00:00Z');
    expect(startsOf(first)).toEqual(['a1 Drifted']);
    expect(states(first)).toBe('a turn, b waiting');
    expect(story.ledger.turns).toMatchObject([
      { pool: 'web', topologyKey: zone, domain: 'a', takenAt: at('2026-03-10T12:00:00Z') },
    ]);

    const meanwhile = story.decide('2026-03-10T12:05:00Z');
    expect(startsOf(meanwhile)).toEqual([]);
    expect(codesOf(meanwhile, 'a2', 'Drifted')).toEqual(['DomainBudgetSpent']);
    expect(codesOf(meanwhile, 'b1', 'Drifted')).toEqual(['NotItsTurn']);

    story.gone('a1');
    expect(startsOf(story.decide('2026-03-10T12:10:00Z'))).toEqual(['a2 Drifted']);
    expect(story.ledger.turns[0]?.progressAt).toBe(at('2026-03-10T12:10:00Z'));

    story.gone('a2');
    story.put(...machine('a3', { zone: 'a', created: '2026-03-10T12:15:00Z' }));
    const next = story.decide('2026-03-10T12:20:00Z');
    expect(startsOf(next)).toEqual(['b1 Drifted']);
    expect(states(next)).toBe('a done, b turn');
    expect(story.ledger.turns).toMatchObject([{ domain: 'b', takenAt: at('2026-03-10T12:20:00Z') }]);

    story.gone('b1');
    const last = story.decide('2026-03-10T12:30:00Z');
    expect(story.ledger.turns).toEqual([]);
    expect(states(last)).toBe('a done');
  });

  it('goes on with the same domain after a restart', () => {
    const story = new Story([
      pool('web', { budgets: [sequential] }),
      drifted('b1', 'b'),
      drifted('b2', 'b'),
      machine('a1', { zone: 'a', drifted: '2026-03-05T00:00:00Z' }),
    ]);
    expect(startsOf(story.decide('2026-03-10T12:00:00Z'))).toEqual(['b1 Drifted']);
    story.gone('b1');
    // Older than what is left in b: without memory it would be next.
    story.put(...machine('a2', { zone: 'a', drifted: '2026-01-01T00:00:00Z' }));
    const before = story.ledger;
    story.restart();
    expect(story.ledger).toEqual(before);
    expect(startsOf(story.decide('2026-03-10T12:10:00Z'))).toEqual(['b2 Drifted']);
  });

  it('takes nodes without the label last', () => {
    const story = new Story([pool('web', { budgets: [sequential] }), drifted('u1'), drifted('z1', 'z')]);
    expect(startsOf(story.decide('2026-03-10T12:00:00Z'))).toEqual(['z1 Drifted']);
    story.gone('z1');
    const last = story.decide('2026-03-10T12:10:00Z');
    expect(startsOf(last)).toEqual(['u1 Drifted']);
    expect(last.ledger.turns[0]).not.toHaveProperty('domain');
    expect(last.commands.map(({ nodes }) => nodes)).toEqual([[{ name: 'u1', claim: 'u1-claim' }]]);
    story.gone('u1');
    story.decide('2026-03-10T12:20:00Z');
    expect(story.ledger.turns).toEqual([]);
  });

  it('a node that is no longer drifted is not waited for', () => {
    const story = new Story([
      pool('web', { budgets: [sequential] }),
      drifted('a1', 'a'),
      drifted('a2', 'a'),
      drifted('b1', 'b'),
    ]);
    story.decide('2026-03-10T12:00:00Z');
    story.gone('a1');
    story.put(...machine('a2', { zone: 'a' }));
    expect(startsOf(story.decide('2026-03-10T12:10:00Z'))).toEqual(['b1 Drifted']);
  });

  it('a domain whose last node is leaving keeps the turn until it is gone', () => {
    const story = new Story([pool('web', { budgets: [sequential] }), drifted('a1', 'a'), drifted('b1', 'b')]);
    story.decide('2026-03-10T12:00:00Z');
    for (const when of ['2026-03-10T13:30:00Z', '2026-03-12T00:00:00Z'])
      expect(startsOf(story.decide(when))).toEqual([]);
    story.gone('a1');
    expect(startsOf(story.decide('2026-03-12T01:00:00Z'))).toEqual(['b1 Drifted']);
  });
});

describe('C12: the record of a turn', () => {
  const known = (story: Story): Plain[] =>
    story.ledger.turns.map(({ topologyKey, domain }) => ({ topologyKey, domain }));

  it('is kept as it is while its budget is not active', () => {
    const nights = pool('web', {
      budgets: [
        { ...sequential, schedule: '0 22 * * *', duration: '8h' },
        { nodes: '0', schedule: '0 6 * * *', duration: '16h' },
      ],
    });
    const story = new Story([nights, drifted('b1', 'b'), drifted('b2', 'b'), drifted('a1', 'a')]);
    story.put(...machine('b1', { zone: 'b', drifted: '2026-01-01T00:00:00Z' }));
    expect(startsOf(story.decide('2026-03-11T05:55:00Z'))).toEqual(['b1 Drifted']);
    story.gone('b1');
    const before = story.ledger;
    expect(story.decide('2026-03-11T12:00:00Z').ledger).toBe(before);
    expect(startsOf(story.decide('2026-03-11T22:00:00Z'))).toEqual(['b2 Drifted']);
  });

  it('is kept while a sequential budget over another label is active', () => {
    const budgets = [
      { ...sequential, schedule: '0 22 * * *', duration: '8h' },
      { nodes: '1', topologyKey: 'rack', sequential: true },
    ];
    const racked = (name: string, where: string, rack: string) =>
      machine(name, { zone: where, labels: { rack }, drifted: longAgo });
    const story = new Story([
      pool('web', { budgets }),
      racked('n1', 'a', 'x'),
      racked('n2', 'a', 'y'),
      racked('n3', 'b', 'x'),
    ]);
    story.decide('2026-03-10T23:00:00Z');
    expect(known(story)).toEqual([{ topologyKey: zone, domain: 'a' }]);
    story.decide('2026-03-11T12:00:00Z');
    expect(known(story)).toContainEqual({ topologyKey: zone, domain: 'a' });
    expect(known(story)).toContainEqual({ topologyKey: 'rack', domain: 'x' });
  });

  it('goes with its pool', () => {
    const story = new Story([pool('web', { budgets: [sequential] }), drifted('a1', 'a')]);
    story.decide('2026-03-10T12:00:00Z');
    const other = new Story([pool('api')]);
    other.ledger = story.ledger;
    expect(other.decide('2026-03-10T12:10:00Z').ledger.turns).toEqual([]);
  });

  it('is the same object while nothing moves', () => {
    const story = new Story([pool('web', { budgets: [sequential] }), drifted('a1', 'a'), drifted('b1', 'b')]);
    const { ledger } = story.decide('2026-03-10T12:00:00Z');
    expect(story.decide('2026-03-10T12:10:00Z').ledger).toBe(ledger);
  });
});
