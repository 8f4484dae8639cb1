import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide,
  ledger,
  longAgo,
  machine,
  type Objects,
  type Plain,
  pod,
  pool,
  refusalOf,
  Story,
  startsOf,
  underway,
  verdictOf,
  zone,
} from '../../../test/build.ts';

const waves = (list: readonly string[], more: Plain = {}): Plain => ({
  nodes: '100%',
  reasons: ['Drifted'],
  waves: list,
  ...more,
});
const web = (list: readonly string[], more: Plain = {}) =>
  pool('web', { budgets: [waves(list, more)], repairAfter: 'Never' });
const drifted = (count: number): Objects =>
  Array.from({ length: count }, (_, index) => machine(`n${index + 1}`, { drifted: longAgo }));
const fresh = (name: string, parts: Parameters<typeof machine>[1] = {}) =>
  machine(name, { created: '2026-03-10T12:05:00Z', readySince: '2026-03-10T12:06:00Z', ...parts });
const recorded = (more: Plain = {}): Plain => ({
  pool: 'web',
  startedAt: '2026-03-10T11:00:00Z',
  counted: 10,
  done: 0,
  wave: 0,
  waveAt: '2026-03-10T11:00:00Z',
  ...more,
});
const during = (objects: Objects, more: Plain = {}, settings: Plain = {}) =>
  decide(objects, { ledger: ledger({ rolls: [recorded(more)] }), settings });
/** The round's starts, as the names of their nodes. */
const begun = (round: ReturnType<Story['decide']>): string[] => startsOf(round).map((it) => it.split(' ')[0] ?? '');

describe('P3: waves', () => {
  it('replace the first, then up to the second, then the rest, and settle between them', () => {
    const it = new Story([web(['1', '30%'], { settle: '10m' }), ...drifted(10)]);
    const first = it.decide('2026-03-10T12:00:00Z');
    expect(begun(first)).toEqual(['n1']);
    expect(refusalOf(first, 'n2', 'Drifted', 'WaveFull')).toEqual({
      code: 'WaveFull',
      message: 'wave 1 of 2 of pool web ends after 1 of 10 nodes; 0 replaced, 0 in flight, 1 chosen in this round',
      owner: { kind: 'NodePool', name: 'web', index: 0 },
    });
    expect(verdictOf(first, 'n2', 'Drifted').waitsFor).toBe('the cluster');
    expect(refusalOf(it.decide('2026-03-10T12:01:00Z'), 'n2', 'Drifted', 'WaveFull').message).toContain(
      '0 replaced, 1 in flight',
    );
    it.gone('n1');
    it.put(...fresh('m1'));

    const settles = it.decide('2026-03-10T12:10:00Z');
    expect(begun(settles)).toEqual([]);
    expect(settles.wakeAt).toBe(at('2026-03-10T12:20:00Z'));
    expect(refusalOf(it.decide('2026-03-10T12:15:00Z'), 'n2', 'Drifted', 'WaveSettling')).toMatchObject({
      message: 'wave 1 of 2 of pool web is healthy and settles until 2026-03-10T12:20:00Z',
      liftsAt: at('2026-03-10T12:20:00Z'),
    });
    expect(begun(it.decide('2026-03-10T12:19:59Z'))).toEqual([]);
    it.restart();
    // 30 % of the ten nodes that the pool had when the roll began, the first included.
    expect(begun(it.decide('2026-03-10T12:20:00Z'))).toEqual(['n10', 'n2']);
    it.gone('n10', 'n2');
    it.put(...fresh('m2'), ...fresh('m10'));
    it.decide('2026-03-10T12:30:00Z');
    const rest = it.decide('2026-03-10T12:40:00Z');
    expect(begun(rest)).toHaveLength(7);
    expect(rest.ledger.rolls).toMatchObject([{ done: 3, wave: 2, counted: 10 }]);
  });

  it('at most `nodes` at a time within a wave', () => {
    const round = decide([web(['5'], { nodes: '2' }), ...drifted(9)]);
    expect(begun(round)).toEqual(['n1', 'n2']);
    expect(codesOf(round, 'n3', 'Drifted')).toEqual(['BudgetSpent']);
  });

  it('beside a topology budget both hold: one zone after another', () => {
    const zones = { nodes: '5', topologyKey: zone, sequential: true };
    const nodes = ['a', 'b'].flatMap((where) =>
      [1, 2, 3].map((index) => machine(`${where}${index}`, { zone: where, drifted: longAgo })),
    );
    const both = pool('web', { budgets: [waves(['2']), zones], repairAfter: 'Never' });
    const round = decide([both, ...nodes]);
    expect(begun(round)).toEqual(['a1', 'a2']);
    expect(codesOf(round, 'a3', 'Drifted')).toEqual(['WaveFull']);
    expect(codesOf(round, 'b1', 'Drifted')).toEqual(['NotItsTurn', 'WaveFull']);
  });

  it('a wave that a small pool has reached already is left out', () => {
    const round = during([web(['1', '10%', '50%']), ...drifted(4), ...fresh('m1')], { done: 1, counted: 5 });
    // 10 % of five nodes is one, which is replaced; 50 % is three.
    expect(round.ledger.rolls).toMatchObject([{ wave: 2 }]);
    expect(begun(round)).toEqual(['n1', 'n2']);
  });

  it('only drift: other reasons do not wait for them', () => {
    const idle = machine('idle');
    const web = pool('web', {
      budgets: [waves(['1'], { settle: '10m' })],
      repairAfter: 'Never',
      consolidateAfter: '1m',
      consolidationPolicy: 'WhenEmpty',
    });
    const busy = [pod('p1', 'n1'), pod('p2', 'n2')];
    const round = during([web, ...drifted(2), idle, ...busy], { done: 1 });
    expect(startsOf(round)).toEqual(['idle Empty']);
    expect(codesOf(round, 'n1', 'Drifted')).toEqual(['WaveSettling']);
  });

  it('the pods that were evicted must run again', () => {
    const expected = [{ owner: 'shop/ReplicaSet/web', name: 'ReplicaSet shop/web', running: 2 }];
    const objects = [web(['1']), ...drifted(3), ...fresh('m1'), pod('p1', 'm1')];
    const round = during(objects, { done: 1, expected });
    expect(refusalOf(round, 'n1', 'Drifted', 'WaveSettling').message).toBe(
      'wave 1 of 1 of pool web is not healthy (SettleStuck): 1 of 2 pods of ReplicaSet shop/web are not running again yet',
    );
    expect(begun(during([...objects, pod('p2', 'm1')], { done: 1, expected }))).toHaveLength(3);
  });

  it('records how many pods ran before the first eviction', () => {
    const objects = [web(['1']), ...drifted(2), pod('p1', 'n1'), pod('p2', 'n2')];
    const round = decide(objects, { settings: { role: 'guide' } });
    expect(round.ledger.rolls?.[0]?.expected).toEqual([
      { owner: 'shop/ReplicaSet/web', name: 'ReplicaSet shop/web', running: 2 },
    ]);
  });

  it('a node that is not Ready holds the next wave, unless it was not Ready when the roll began', () => {
    const down = machine('sick', { ready: 'False', readySince: '2026-03-10T11:30:00Z' });
    const objects = [web(['1']), ...drifted(2), down];
    expect(refusalOf(during(objects, { done: 1 }), 'n1', 'Drifted', 'WaveSettling').message).toContain(
      'node sick is not Ready',
    );
    expect(begun(during(objects, { done: 1, unreadyAtStart: ['sick'] }))).toEqual(['n1', 'n2']);
  });

  it('`lull turn pass` begins the next wave, healthy or not, once nothing is in flight', () => {
    const objects = [web(['1']), ...drifted(2), ...fresh('m1', { ready: 'False' })];
    const passed = { done: 1, passAsked: '2026-03-10T11:59:00Z' };
    const round = during(objects, passed);
    expect(begun(round)).toEqual(['n1', 'n2']);
    expect(round.ledger.rolls?.[0]).not.toHaveProperty('passAsked');
  });

  it('observe remembers nothing: each round is the first of a roll', () => {
    const round = decide([web(['1']), ...drifted(3)], { settings: { role: 'observe' } });
    const outcomes = ['n1', 'n2', 'n3'].map((name) => verdictOf(round, name, 'Drifted').outcome);
    expect(outcomes).toEqual(['go', 'held', 'held']);
  });
});

describe('P3: patience of a turn', () => {
  const zones = { nodes: '5', topologyKey: zone, sequential: true, patience: '30m' };
  const nodes = ['a1', 'a2', 'b1'].map((name) => machine(name, { zone: name[0] ?? '', drifted: longAgo }));
  const both = pool('web', { budgets: [waves(['1'], { settle: '2h' }), zones], repairAfter: 'Never' });
  const turn = { pool: 'web', topologyKey: zone, domain: 'a', takenAt: longAgo, progressAt: '2026-03-10T11:00:00Z' };
  const round = (roll: Plain) =>
    decide([both, ...nodes], { ledger: ledger({ turns: [turn], rolls: [recorded({ done: 1, ...roll })] }) });

  it('does not run out while a wave settles', () => {
    const held = round({ wellSince: '2026-03-10T11:00:00Z' });
    expect(held.ledger.turns[0]).toMatchObject({ domain: 'a', passedOver: [] });
    expect(codesOf(held, 'a1', 'Drifted')).toEqual(['WaveSettling']);
  });

  it('counts from the beginning of the next wave', () => {
    const next = round({ wellSince: '2026-03-10T10:00:00Z' });
    expect(begun(next)).toEqual(['a1', 'a2']);
    expect(next.ledger.turns[0]).toMatchObject({ domain: 'a', passedOver: [], progressAt: at('2026-03-10T12:00:00Z') });
  });
});

describe('P4: a roll', () => {
  it('begins with the first drifted node, and is written once', () => {
    const it = new Story([web(['1']), machine('n1'), machine('n2')]);
    expect(it.decide('2026-03-10T12:00:00Z').ledger.rolls).toBeUndefined();
    it.put(...drifted(2));
    it.decide('2026-03-10T12:01:00Z');
    it.decide('2026-03-10T12:01:10Z');
    const { ledger: known } = it;
    expect(known.rolls).toMatchObject([{ startedAt: at('2026-03-10T12:01:00Z'), counted: 2, inFlight: ['n1'] }]);
    expect(it.decide('2026-03-10T12:01:20Z').ledger).toBe(known);
  });

  it('ends when no node is drifted and the last wave has settled', () => {
    const objects = [web(['1'], { settle: '10m' }), ...fresh('m1')];
    expect(during(objects, { done: 1 }).ledger.rolls).toMatchObject([{ wellSince: at('2026-03-10T12:00:00Z') }]);
    expect(during(objects, { done: 1, wellSince: '2026-03-10T11:50:00Z' }).ledger.rolls).toEqual([]);
  });

  it('a node that drifted again, though it is younger than the roll: a new target begins at the first wave', () => {
    const again = fresh('m1', { created: '2026-03-10T11:30:00Z', drifted: '2026-03-10T11:59:00Z' });
    const round = during([web(['1', '5']), ...drifted(6), ...again], { done: 4, wave: 1 });
    expect(round.ledger.rolls).toMatchObject([{ startedAt: at('2026-03-10T12:00:00Z'), done: 0, wave: 0, counted: 7 }]);
    expect(begun(round)).toHaveLength(1);
  });

  it('a node that was released is not replaced, and its place is free again', () => {
    const released = during([web(['1']), ...drifted(2)], { inFlight: ['n1'] });
    expect(released.ledger.rolls).toMatchObject([{ done: 0 }]);
    expect(begun(released)).toEqual(['n1']);
  });

  it('a name that the cloud has given to a new node does not hide that the old one is gone', () => {
    const reused = machine('n1', { created: '2026-03-10T11:30:00Z' });
    const round = during([web(['1']), machine('n2', { drifted: longAgo }), ...reused], { inFlight: ['n1'] });
    expect(round.ledger.rolls).toMatchObject([{ done: 1 }]);
  });

  it('without a ledger it starts at the first wave, nodes in flight included', () => {
    const leaving = machine('n1', { drifted: longAgo, claim: { deleted: '2026-03-10T11:59:00Z' } });
    expect(begun(decide([web(['1']), ...leaving, machine('n2', { drifted: longAgo })]))).toEqual([]);
  });

  it('in guide, offers beyond the first wave of a new target are withdrawn, the newest first', () => {
    const offer = (name: string, startedAt: string) =>
      underway(name, { hands: 'karpenter', step: 'offered', startedAt, stepAt: startedAt });
    const round = decide([web(['1']), ...drifted(3)], {
      settings: { role: 'guide' },
      ledger: ledger({
        commands: [offer('n1', '2026-03-10T11:59:30Z'), offer('n2', '2026-03-10T11:59:40Z')],
        rolls: [recorded({ inFlight: ['n1', 'n2'] })],
      }),
    });
    expect(round.commands.map(({ step, why }) => [step, why])).toEqual([
      ['offered', undefined],
      ['withdrawn', 'wave 1 of 1 of pool web ends after 1 node'],
    ]);
  });

  it('is forgotten when the budget has no waves any more', () => {
    expect(during([pool('web'), ...drifted(2)], { done: 1 }).ledger.rolls).toEqual([]);
  });
});
