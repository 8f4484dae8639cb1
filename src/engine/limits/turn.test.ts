import { describe, expect, it } from 'vitest';
import {
  codesOf,
  command,
  decide,
  ledger,
  longAgo,
  machine,
  noon,
  type Objects,
  type Plain,
  pdb,
  pod,
  pool,
  refusalOf,
  startsOf,
  zone,
} from '../../../test/build.ts';

const sequential = { nodes: '1', topologyKey: zone, sequential: true };
const web = pool('web', { budgets: [sequential] });
const drifted = (name: string, where: string, since = longAgo, parts = {}) =>
  machine(name, { zone: where, drifted: since, ...parts });
const later = '2026-03-05T00:00:00Z';
const turn = (domain: string, more: Plain = {}): Plain => ({
  pool: 'web',
  topologyKey: zone,
  domain,
  takenAt: noon,
  progressAt: noon,
  ...more,
});

describe('C11: whose turn it is', () => {
  it.each<{ it: string; objects: Objects; known?: Plain; domain: string; goes: string[] }>([
    {
      it: 'the domain of the node that drifted first',
      objects: [drifted('a1', 'a', later), drifted('b1', 'b')],
      domain: 'b',
      goes: ['b1 Drifted'],
    },
    {
      it: 'of equals the first node by name',
      objects: [drifted('n2', 'a'), drifted('n1', 'b')],
      domain: 'b',
      goes: ['n1 Drifted'],
    },
    {
      it: 'not the domain of a node that a gate refuses',
      objects: [drifted('a1', 'a', later), drifted('b1', 'b', longAgo, { annotations: { 'lull.dev/hold': 'mine' } })],
      domain: 'a',
      goes: ['a1 Drifted'],
    },
    {
      it: 'also when another node of the domain is refused',
      objects: [
        drifted('a1', 'a', later),
        drifted('b1', 'b', longAgo, { annotations: { 'lull.dev/hold': 'mine' } }),
        drifted('b2', 'b', longAgo),
      ],
      domain: 'b',
      goes: ['b2 Drifted'],
    },
    {
      it: 'the recorded domain',
      objects: [drifted('a1', 'a'), drifted('b1', 'b', later)],
      known: { turns: [turn('b')] },
      domain: 'b',
      goes: ['b1 Drifted'],
    },
    {
      it: 'without a record, the domain with drift in flight',
      objects: [drifted('a1', 'a'), drifted('b1', 'b', later), drifted('b2', 'b', later)],
      known: { commands: [command('b1')] },
      domain: 'b',
      goes: [],
    },
    {
      it: 'of several in flight, the one started first',
      objects: [drifted('a1', 'a'), drifted('b1', 'b')],
      known: {
        commands: [
          command('a1', { startedAt: '2026-03-10T10:00:00Z' }),
          command('b1', { startedAt: '2026-03-10T09:00:00Z' }),
        ],
      },
      domain: 'b',
      goes: [],
    },
    {
      it: 'a domain whose node is gone but whose command is not',
      objects: [drifted('a1', 'a')],
      known: { commands: [command('b1', { nodes: [{ name: 'b1', domain: 'b' }] })] },
      domain: 'b',
      goes: [],
    },
  ])('$it: $domain', ({ objects, known, domain, goes }) => {
    const round = decide([web, objects], known ? { ledger: ledger(known) } : {});
    expect(round.ledger.turns.map((it) => it.domain)).toEqual([domain]);
    expect(startsOf(round)).toEqual(goes);
  });

  it('limits do not decide it', () => {
    const frozenZone = machine('b9', { zone: 'b', deleted: longAgo });
    const round = decide([web, drifted('a1', 'a', later), drifted('b1', 'b'), frozenZone]);
    expect(round.ledger.turns[0]?.domain).toBe('b');
    expect(codesOf(round, 'b1', 'Drifted')).toEqual(['DomainBudgetSpent']);
    expect(codesOf(round, 'a1', 'Drifted')).toEqual(['NotItsTurn']);
  });

  it('without a candidate no turn is taken', () => {
    const round = decide([web, drifted('a1', 'a', longAgo, { annotations: { 'lull.dev/hold': 'mine' } })]);
    expect(round.ledger.turns).toEqual([]);
    expect(codesOf(round, 'a1', 'Drifted')).toEqual(['Held']);
  });

  it('within the domain as many nodes start as its limit allows', () => {
    const two = pool('web', { budgets: [{ ...sequential, nodes: '2' }] });
    const round = decide([two, ['a1', 'a2', 'a3'].map((name) => drifted(name, 'a')), drifted('b1', 'b')]);
    expect(startsOf(round)).toEqual(['a1 Drifted', 'a2 Drifted']);
  });

  it('each pool has its own turn', () => {
    const api = pool('api', { budgets: [sequential] });
    const round = decide([
      web,
      api,
      drifted('a1', 'a'),
      drifted('b1', 'b'),
      machine('c1', { pool: 'api', zone: 'c', drifted: longAgo }),
    ]);
    expect(round.ledger.turns.map(({ pool: owner, domain }) => `${owner} ${domain}`)).toEqual(['api c', 'web a']);
  });
});

describe('C11: what counts as in flight for turns', () => {
  const b2 = drifted('b2', 'b', later);
  const deleting = (conditions: Plain = {}) =>
    machine('a1', { zone: 'a', deleted: longAgo, claim: { conditions: conditions as Record<string, Plain> } });
  it.each([
    { it: 'a drift command', a1: drifted('a1', 'a'), known: { commands: [command('a1')] }, holds: true },
    {
      it: 'a command for another reason',
      a1: drifted('a1', 'a'),
      known: { commands: [command('a1', { reason: 'Expired' })] },
      holds: false,
    },
    { it: 'a deleting drifted node', a1: deleting({ Drifted: { status: 'True' } }), known: {}, holds: true },
    { it: 'a deleting node that is not drifted', a1: deleting(), known: {}, holds: false },
    {
      it: "Karpenter's drift command",
      a1: machine('a1', {
        zone: 'a',
        claim: { conditions: { DisruptionReason: { status: 'True', reason: 'Drifted' } } },
      }),
      known: {},
      holds: true,
    },
    {
      it: "Karpenter's command for another reason",
      a1: machine('a1', {
        zone: 'a',
        claim: { conditions: { DisruptionReason: { status: 'True', reason: 'Empty' } } },
      }),
      known: {},
      holds: false,
    },
  ])('$it: $holds', ({ a1, known, holds }) => {
    const round = decide([web, a1, b2], { ledger: ledger(known) });
    expect(codesOf(round, 'b2', 'Drifted')).toEqual(holds ? ['NotItsTurn'] : []);
  });
});

describe('C12: a turn whose last node is being disrupted', () => {
  it('stays when the claim is gone before the node and the command has no domain', () => {
    const a1 = machine('a1', { zone: 'a' }).filter(({ kind }) => kind === 'Node');
    const known = ledger({ commands: [command('a1')], turns: [turn('a')] });
    const { turns } = decide([web, a1, drifted('b2', 'b', later)], { ledger: known }).ledger;
    expect(turns).toMatchObject([{ domain: 'a' }]);
  });
});

describe('C11: nodes of several domains in flight', () => {
  const both = ledger({ commands: [command('a1'), command('b1')] });
  const objects = [
    pool('web', { budgets: [{ ...sequential, nodes: '9' }] }),
    ['a1', 'a2'].map((name) => drifted(name, 'a')),
    ['b1', 'b2'].map((name) => drifted(name, 'b')),
    drifted('c1', 'c'),
  ];

  it('nothing starts until only one domain is left', () => {
    const round = decide(objects, { ledger: both });
    expect(startsOf(round)).toEqual([]);
    expect(codesOf(round, 'a2', 'Drifted')).toEqual(['AnotherDomainInFlight']);
    expect(codesOf(round, 'b2', 'Drifted')).toEqual(['NotItsTurn', 'AnotherDomainInFlight']);
    expect(codesOf(round, 'c1', 'Drifted')).toEqual(['NotItsTurn', 'AnotherDomainInFlight']);
    const one = decide(objects, { ledger: ledger({ commands: [command('b1')] }) });
    expect(startsOf(one)).toEqual(['b2 Drifted']);
  });

  it('the message names both', () => {
    const { message, owner } = refusalOf(decide(objects, { ledger: both }), 'a2', 'Drifted', 'AnotherDomainInFlight');
    expect(owner).toEqual({ kind: 'NodePool', name: 'web', index: 0 });
    expect(message).toBe('drifted nodes of zone b are being disrupted beside those of zone a');
  });

  it('a domain with a recorded turn waits for the nodes of another domain that are in flight', () => {
    const round = decide(objects, { ledger: ledger({ commands: [command('b1')], turns: [turn('a')] }) });
    expect(startsOf(round)).toEqual([]);
    expect(codesOf(round, 'a2', 'Drifted')).toEqual(['AnotherDomainInFlight']);
  });
});

describe('C11: NotItsTurn', () => {
  it('names the domain and its progress', () => {
    const objects = [web, drifted('a1', 'a'), drifted('a2', 'a'), drifted('b1', 'b', later)];
    const first = decide(objects);
    const message = (round: typeof first) => refusalOf(round, 'b1', 'Drifted', 'NotItsTurn').message;
    expect(message(first)).toBe('zone a has the turn; none of its nodes in flight yet');
    expect(message(decide(objects, { ledger: first.ledger }))).toBe('zone a has the turn; 1 of its 2 nodes in use');
    expect(refusalOf(first, 'b1', 'Drifted', 'NotItsTurn').owner).toEqual({ kind: 'NodePool', name: 'web', index: 0 });
    expect(refusalOf(first, 'b1', 'Drifted', 'NotItsTurn')).not.toHaveProperty('liftsAt');
  });

  it('reports when the nodes without the label have the turn', () => {
    const objects = [web, machine('u1', { drifted: longAgo }), drifted('b1', 'b')];
    const round = decide(objects, { ledger: ledger({ commands: [command('u1')] }) });
    expect(refusalOf(round, 'b1', 'Drifted', 'NotItsTurn').message).toContain(`the nodes without ${zone}`);
  });
});

describe('C11: a pool that is frozen', () => {
  it('takes no turn, but shows which domain would have it', () => {
    const frozen = pool('web', { budgets: [sequential, { nodes: '0' }] });
    const round = decide([frozen, drifted('a1', 'a'), drifted('b1', 'b', later), pod(), pdb('web', 1)]);
    expect(round.ledger.turns).toEqual([]);
    expect(codesOf(round, 'a1', 'Drifted')).toEqual(['BudgetSpent']);
    expect(codesOf(round, 'b1', 'Drifted')).toEqual(['BudgetSpent', 'NotItsTurn']);
    expect(round.domains.map(({ state }) => state)).toEqual(['turn', 'waiting']);
  });
});
