import { describe, expect, it } from 'vitest';
import {
  at,
  claim,
  codesOf,
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
  Story,
  startsOf,
  zone,
} from '../../../test/build.ts';
import type { Ledger } from '../../cluster/ledger.ts';

const sequential = { nodes: '1', topologyKey: zone, sequential: true };
const web = (more: Plain = {}) => pool('web', { budgets: [{ ...sequential, ...more }], repairAfter: 'Never' });
const drifted = (name: string, where: string) => machine(name, { zone: where, drifted: longAgo });
const replacement = (parts: Parameters<typeof machine>[1] = {}) =>
  machine('a2', { zone: 'a', created: '2026-03-10T12:05:00Z', readySince: '2026-03-10T12:06:00Z', ...parts });
/** Zone a has had its turn; none of its nodes is in flight. */
const had = (more: Plain = {}): Ledger =>
  ledger({ turns: [{ pool: 'web', topologyKey: zone, domain: 'a', takenAt: noon, progressAt: noon, ...more }] });

function story(known: Ledger, ...objects: Objects): Story {
  const it = new Story([drifted('b1', 'b'), ...objects]);
  it.ledger = known;
  return it;
}

const message = (round: ReturnType<Story['decide']>): string =>
  refusalOf(round, 'b1', 'Drifted', 'DomainSettling').message;

describe('C13: settle', () => {
  it('holds the next domain for that time, and reports until when', () => {
    const it = new Story([web({ settle: '10m' }), drifted('a1', 'a'), drifted('b1', 'b')]);
    it.decide('2026-03-10T12:00:00Z');
    it.gone('a1');
    it.put(...replacement());

    const begins = it.decide('2026-03-10T12:20:00Z');
    expect(codesOf(begins, 'b1', 'Drifted')).toEqual(['DomainSettling']);
    expect(begins.domains.map(({ state }) => state)).toEqual(['settling', 'waiting']);
    expect(begins.ledger.turns[0]?.wellSince).toBe(at('2026-03-10T12:20:00Z'));
    expect(begins.wakeAt).toBe(at('2026-03-10T12:30:00Z'));

    const goesOn = it.decide('2026-03-10T12:25:00Z');
    expect(refusalOf(goesOn, 'b1', 'Drifted', 'DomainSettling')).toMatchObject({
      owner: { kind: 'NodePool', name: 'web', index: 0 },
      liftsAt: at('2026-03-10T12:30:00Z'),
      message: 'zone a is healthy and settles until 2026-03-10T12:30:00Z',
    });
    expect(startsOf(it.decide('2026-03-10T12:29:59Z'))).toEqual([]);
    it.restart();
    expect(startsOf(it.decide('2026-03-10T12:30:00Z'))).toEqual(['b1 Drifted']);
  });

  it('starts over when the domain becomes unhealthy meanwhile', () => {
    const it = story(had(), web({ settle: '10m' }), ...replacement());
    it.decide('2026-03-10T12:20:00Z');
    it.put(...replacement({ ready: 'False', readySince: '2026-03-10T12:25:00Z' }));
    const unwell = it.decide('2026-03-10T12:26:00Z');
    expect(unwell.ledger.turns[0]).not.toHaveProperty('wellSince');
    expect(refusalOf(unwell, 'b1', 'Drifted', 'DomainSettling')).not.toHaveProperty('liftsAt');
    it.put(...replacement());
    it.decide('2026-03-10T12:27:00Z');
    expect(startsOf(it.decide('2026-03-10T12:36:59Z'))).toEqual([]);
    expect(startsOf(it.decide('2026-03-10T12:37:00Z'))).toEqual(['b1 Drifted']);
  });

  it('is zero by default: a healthy domain passes its turn at once', () => {
    expect(startsOf(story(had(), web(), ...replacement()).decide('2026-03-10T12:20:00Z'))).toEqual(['b1 Drifted']);
  });

  it('does not hold the nodes of the domain: one that drifts again is started', () => {
    const it = story(
      had({ wellSince: '2026-03-10T12:20:00Z' }),
      web({ settle: '10m' }),
      ...replacement({ drifted: '2026-03-10T12:24:00Z' }),
    );
    const round = it.decide('2026-03-10T12:25:00Z');
    expect(startsOf(round)).toEqual(['a2 Drifted']);
    expect(round.ledger.turns[0]).not.toHaveProperty('wellSince');
  });

  it('starts over when a node that was left behind is started after all', () => {
    const left = (annotations: Record<string, string>) => machine('a1', { zone: 'a', drifted: longAgo, annotations });
    const it = story(had(), web({ settle: '10m' }), ...left({ 'lull.dev/hold': 'mine' }));
    it.decide('2026-03-10T13:00:00Z');
    expect(it.ledger.turns[0]?.wellSince).toBe(at('2026-03-10T13:00:00Z'));
    it.put(...left({}));
    expect(startsOf(it.decide('2026-03-10T13:05:00Z'))).toEqual(['a1 Drifted']);
    expect(it.ledger.turns[0]).not.toHaveProperty('wellSince');
  });

  it('applies after patience too: an unhealthy domain does not pass its turn', () => {
    const held = machine('a1', { zone: 'a', drifted: longAgo, annotations: { 'lull.dev/hold': 'mine' } });
    const it = story(had(), web(), ...held, ...replacement({ ready: 'False', readySince: '2026-03-10T12:10:00Z' }));
    expect(codesOf(it.decide('2026-03-10T13:00:00Z'), 'b1', 'Drifted')).toEqual(['DomainSettling']);
  });
});

describe('C13: an unhealthy domain holds the roll, and reports why', () => {
  const starting = { labels: { [zone]: 'a', 'karpenter.sh/initialized': undefined } };
  const expected = [{ owner: 'shop/ReplicaSet/web', name: 'ReplicaSet shop/web', running: 3 }];
  const pods = (count: number, parts: Parameters<typeof pod>[2] = {}) =>
    Array.from({ length: count }, (_, index) => pod(`p${index}`, 'a2', parts));
  const down = { ready: 'False', readySince: '2026-03-10T12:10:00Z' };

  it.each([
    {
      it: 'a node that was Ready',
      known: had(),
      objects: machine('a1', { zone: 'a', ...down }),
      says: 'node a1 is not Ready',
    },
    { it: 'a new node that is not Ready', known: had(), objects: replacement(down), says: 'node a2 is not Ready' },
    {
      it: 'a new node that is not initialized',
      known: had(),
      objects: replacement(starting),
      says: 'node a2 is not initialized',
    },
    {
      it: 'a replacement that is missing',
      known: had({ replacements: ['r-0'] }),
      objects: [],
      says: 'replacement r-0 is missing',
    },
    {
      it: 'a replacement that is not Initialized',
      known: had({ replacements: ['r-claim'] }),
      objects: [claim('r', { conditions: { Initialized: { status: 'False' } } })],
      says: 'replacement r-claim is not Initialized',
    },
    {
      it: 'pods of an owner',
      known: had({ expected }),
      objects: [...replacement(), ...pods(1)],
      says: '2 of 3 pods of ReplicaSet shop/web are not running again yet',
    },
    {
      it: 'pods that are not ready',
      known: had({ expected }),
      objects: [...replacement(), ...pods(3, { ready: 'False' })],
      says: '3 of 3 pods of ReplicaSet shop/web are not running again yet',
    },
    {
      it: 'pods that are pending',
      known: had({ expected }),
      objects: [...replacement(), ...pods(3, { phase: 'Pending' })],
      says: '3 of 3 pods of ReplicaSet shop/web are not running again yet',
    },
    {
      it: 'pods that are terminating',
      known: had({ expected }),
      objects: [...replacement(), ...pods(3, { deleted: noon })],
      says: '3 of 3 pods of ReplicaSet shop/web are not running again yet',
    },
    {
      it: 'pods of another owner',
      known: had({ expected }),
      objects: [...replacement(), ...pods(3, { owner: 'StatefulSet/db' })],
      says: '3 of 3 pods of ReplicaSet shop/web are not running again yet',
    },
  ])('$it', ({ known, objects, says }) => {
    const it = story(known, web(), ...objects);
    for (const when of ['2026-03-10T12:20:00Z', '2026-03-11T12:00:00Z', '2027-03-10T12:00:00Z']) {
      const round = it.decide(when);
      expect(message(round)).toBe(`zone a is not healthy (SettleStuck): ${says}`);
      expect(refusalOf(round, 'b1', 'Drifted', 'DomainSettling')).not.toHaveProperty('liftsAt');
      expect(startsOf(round).filter((start) => start.endsWith('Drifted'))).toEqual([]);
    }
  });

  it('a new node that is not Ready, even while it is repaired: its successor may fail too', () => {
    const it = story(
      had(),
      pool('web', { budgets: [sequential], repairAfter: '30m' }),
      ...replacement(down),
      ...['c1', 'c2', 'c3'].map((name) => machine(name)),
    );
    expect(startsOf(it.decide('2026-03-10T12:40:00Z'))).toEqual(['a2 Unhealthy']);
    expect(message(it.decide('2026-03-10T12:41:00Z'))).toBe(
      'zone a is not healthy (SettleStuck): node a2 is not Ready',
    );
  });

  it('all causes are listed', () => {
    const it = story(had({ replacements: ['r-0'], expected }), web(), ...replacement(down));
    expect(message(it.decide('2026-03-10T12:20:00Z'))).toBe(
      'zone a is not healthy (SettleStuck): node a2 is not Ready; replacement r-0 is missing; 3 of 3 pods of ReplicaSet shop/web are not running again yet',
    );
  });
});

describe('C13: what does not hold the roll', () => {
  it.each([
    {
      it: 'a node that was not Ready when the turn was taken',
      known: had({ unreadyAtStart: ['a1'] }),
      objects: machine('a1', { zone: 'a', ready: 'False' }),
    },
    {
      it: 'a node of another domain',
      known: had(),
      objects: machine('c1', { zone: 'c', ready: 'False', readySince: noon }),
    },
    {
      it: 'a node that is being deleted',
      known: had(),
      objects: machine('a1', { zone: 'a', deleted: noon }),
    },
    { it: 'a replacement that is Initialized', known: had({ replacements: ['r-claim'] }), objects: [claim('r')] },
    {
      it: 'pods that are running again elsewhere',
      known: had({ expected: [{ owner: 'shop/ReplicaSet/web', name: 'ReplicaSet shop/web', running: 1 }] }),
      objects: [...machine('c1', { zone: 'c' }), pod('other', 'c1')],
    },
  ])('$it', ({ known, objects }) => {
    expect(startsOf(story(known, web(), ...objects).decide('2026-03-10T12:20:00Z'))).toContain('b1 Drifted');
  });

  it('nodes that were not Ready are recorded with the turn', () => {
    const it = new Story([
      web({ nodes: '9' }),
      drifted('a1', 'a'),
      machine('a2', { zone: 'a', ready: 'False' }),
      machine('b2', { zone: 'b', ready: 'False' }),
      ...['c1', 'c2', 'c3', 'c4', 'c5', 'c6'].map((name) => machine(name)),
    ]);
    expect(it.decide(noon).ledger.turns[0]?.unreadyAtStart).toEqual(['a2']);
  });

  it('replacements are recorded, and no longer hold the roll once they are Initialized', () => {
    const it = new Story([
      web(),
      drifted('a1', 'a'),
      pod('p', 'a1', { cpu: '3' }),
      drifted('b1', 'b'),
      pod('q', 'b1', { cpu: '3' }),
    ]);
    const round = it.decide(noon);
    const [name = ''] = round.commands[0]?.replacements.map((planned) => planned.name) ?? [];
    expect(round.ledger.turns[0]?.replacements).toEqual([name]);
    it.gone('a1');
    expect(message(it.decide('2026-03-10T12:10:00Z'))).toContain(`replacement ${name} is missing`);
    it.put({ ...claim('r'), metadata: { name, labels: { 'karpenter.sh/nodepool': 'web' } } });
    expect(startsOf(it.decide('2026-03-10T12:20:00Z'))).toEqual(['b1 Drifted']);
  });
});

describe('C13: a workload that was scaled down during the turn', () => {
  const expected = (more: Plain = {}) => [
    { owner: 'shop/ReplicaSet/web', name: 'ReplicaSet shop/web', running: 3, ...more },
  ];
  const two = [pod('p0', 'a2'), pod('p1', 'a2')];
  const guard = (expectedPods: number): Plain => ({
    ...pdb('guard', 1),
    status: { disruptionsAllowed: 1, expectedPods },
  });
  it.each([
    {
      it: 'does not hold the roll where its PDB expects fewer pods',
      pdb: 'shop/guard',
      objects: [guard(2)],
      passes: true,
    },
    { it: 'holds the roll where the PDB still expects the pod', pdb: 'shop/guard', objects: [guard(3)], passes: false },
    { it: 'holds it where there is no PDB', pdb: undefined, objects: [], passes: false },
    { it: 'holds it where the PDB is gone', pdb: 'shop/guard', objects: [], passes: false },
  ])('$it', ({ pdb: over, objects, passes }) => {
    const it = story(
      had({ expected: expected(over ? { pdb: over } : {}) }),
      web(),
      ...replacement(),
      ...two,
      ...objects,
    );
    const codes = codesOf(it.decide('2026-03-10T12:20:00Z'), 'b1', 'Drifted');
    expect(codes).toEqual(passes ? [] : ['DomainSettling']);
  });
});
