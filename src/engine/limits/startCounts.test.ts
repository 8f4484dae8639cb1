import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide,
  karpenterEvent,
  ledger,
  longAgo,
  machine,
  type Objects,
  type Plain,
  pool,
  refusalOf,
  Story,
  startsOf,
  underway,
  verdictOf,
} from '../../../test/build.ts';
import type { Ledger } from '../../cluster/ledger.ts';
import { writeLedger } from '../../kinds/read/disruptionLedger.ts';

const web = (...budgets: readonly Plain[]): Plain => pool('web', { budgets });
const hourly = (nodes: string, more: Plain = {}): Plain => web({ nodes, per: '1h', ...more });
const drifted = (...names: readonly string[]): Objects => names.map((name) => machine(name, { drifted: longAgo }));
const deleting = (name: string, deleted: string, more: Plain = {}): Objects =>
  machine(name, { claim: { deleted }, ...more });
const begun = (minutes: Readonly<Record<string, number>>, leaving: readonly string[] = []): Ledger =>
  ledger({
    starts: [
      {
        kind: 'NodePool',
        name: 'web',
        minutes: Object.entries(minutes).map(([clock, nodes]) => ({ at: `2026-03-10T${clock}:00Z`, nodes })),
        leaving,
      },
    ],
  });
const goes = (objects: Objects, known?: Ledger, when?: string): readonly string[] =>
  startsOf(decide(objects, { ...(known && { ledger: known }), ...(when !== undefined && { at: when }) })).map(
    (it) => it.split(' ')[0] ?? '',
  );

describe('P1: everything that begins to leave counts once, whichever actor began it', () => {
  const starts = (round: { readonly ledger: Ledger }) => round.ledger.starts?.[0];

  it('a deletion by a person, and what Karpenter takes by itself, from when they began', () => {
    const taken = machine('k', {
      claim: { conditions: { DisruptionReason: { lastTransitionTime: '2026-03-10T11:45:30Z', reason: 'Empty' } } },
    });
    const round = decide([hourly('3'), deleting('d', '2026-03-10T11:40:10Z'), taken, drifted('a', 'b')]);
    expect(startsOf(round)).toEqual(['a Drifted']);
    expect(starts(round)).toEqual({
      kind: 'NodePool',
      name: 'web',
      minutes: [
        { at: at('2026-03-10T11:40:00Z'), nodes: 1 },
        { at: at('2026-03-10T11:45:00Z'), nodes: 1 },
      ],
      leaving: ['d-claim', 'k-claim'],
    });
  });

  it('once in the next rounds too, which write nothing', () => {
    const story = new Story([hourly('2'), deleting('d', '2026-03-10T11:40:10Z'), machine('n1')]);
    const first = story.decide('2026-03-10T12:00:00Z').ledger;
    expect(first.starts).toHaveLength(1);
    for (const minute of [1, 2, 50, 59]) {
      const { ledger: next, rates } = story.decide(`2026-03-10T12:${String(minute).padStart(2, '0')}:30Z`);
      expect(next).toBe(first);
      expect(rates?.[0]?.used).toBe(minute < 41 ? 1 : 0);
    }
  });

  it('a node that is gone still counts, and its name is forgotten', () => {
    const story = new Story([hourly('1'), deleting('d', '2026-03-10T11:40:10Z'), drifted('a')]);
    story.decide('2026-03-10T12:00:00Z');
    story.gone('d');
    const round = story.decide('2026-03-10T12:00:10Z');
    expect(starts(round)?.leaving).toEqual([]);
    expect(codesOf(round, 'a', 'Drifted')).toEqual(['RateSpent']);
    story.restart();
    expect(story.decide('2026-03-10T12:00:20Z').ledger).toEqual(round.ledger);
  });

  it('a node of a command that is gone when Lull is back counts as begun now', () => {
    const offered = { commands: [underway('x', { hands: 'karpenter', step: 'offered' })] };
    const round = decide([hourly('1'), drifted('a')], { ledger: ledger(offered), settings: { role: 'guide' } });
    expect(starts(round)?.minutes).toEqual([{ at: at('2026-03-10T12:00:00Z'), nodes: 1 }]);
    expect(codesOf(round, 'a', 'Drifted')).toEqual(['RateSpent']);
  });

  it('interruptions do not count: a taint, a condition, an event of Karpenter', () => {
    const tainted = deleting('t', '2026-03-10T11:50:00Z', {
      spec: { taints: [{ key: 'aws-node-termination-handler/spot-itn', effect: 'NoSchedule' }] },
    });
    const told = machine('c', { claim: { deleted: '2026-03-10T11:50:00Z', conditions: { Interrupted: longAgo } } });
    const reported = [
      deleting('e', '2026-03-10T11:50:00Z'),
      karpenterEvent('e', 'SpotInterrupted', 'Spot interruption warning', '2026-03-10T11:49:58Z'),
    ];
    expect(starts(decide([hourly('1'), tainted, told, reported]))?.minutes ?? []).toEqual([]);
  });

  it('nodes that never finished starting do not count', () => {
    const starting = deleting('s', '2026-03-10T11:50:00Z', { labels: { 'karpenter.sh/initialized': undefined } });
    expect(starts(decide([hourly('1'), starting]))?.minutes ?? []).toEqual([]);
  });

  it('a start longer ago than the period is not recorded', () => {
    expect(starts(decide([hourly('1'), deleting('d', '2026-03-10T10:58:59Z')]))?.leaving).toBeUndefined();
  });

  it('a start in the future counts from now: another clock may be ahead', () => {
    const { ledger: next } = decide([hourly('1'), deleting('d', '2026-03-10T13:00:00Z')]);
    expect(next.starts?.[0]?.minutes).toEqual([{ at: at('2026-03-10T12:00:00Z'), nodes: 1 }]);
  });
});

describe('P1: a start counts from the moment it is chosen, and is recorded when it begins', () => {
  const inGuide = { settings: { role: 'guide' } };
  const offered = (step: string, more: Plain = {}) =>
    ledger({ commands: [underway('x', { hands: 'karpenter', step, ...more })] });

  it('an offer uses its unit; withdrawn and parked again for a minute, the unit comes back', () => {
    const parked = { annotations: { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': longAgo } };
    const objects = [
      hourly('1'),
      machine('x', { drifted: longAgo, ...parked }),
      machine('a', { drifted: longAgo, ...parked }),
    ];
    const round = decide(objects, { ledger: offered('offered', { stepAt: '2026-03-10T11:59:30Z' }), ...inGuide });
    expect(refusalOf(round, 'a', 'Drifted', 'RateSpent')).toEqual({
      code: 'RateSpent',
      message: 'budgets[0] of pool web allows 1 node to begin in any 1h; 0 began, 1 more in flight',
      owner: { kind: 'NodePool', name: 'web', index: 0 },
    });
    expect(verdictOf(round, 'a', 'Drifted').waitsFor).toBe('the cluster');
    const back = offered('withdrawn', { parkedAt: '2026-03-10T11:58:59Z' });
    const after = decide(objects, { ledger: back, ...inGuide });
    expect(after.ended).toHaveLength(1);
    expect(after.ledger.starts).toBeUndefined();
    expect(codesOf(decide(objects, { ledger: after.ledger, ...inGuide }), 'a', 'Drifted')).not.toContain('RateSpent');
  });

  it('taken by Karpenter, it has begun; given up, it still counts once', () => {
    const taken = machine('x', {
      drifted: longAgo,
      claim: { conditions: { DisruptionReason: { lastTransitionTime: '2026-03-10T11:59:40Z', reason: 'Drifted' } } },
    });
    const story = new Story([hourly('2'), taken, machine('a')], { role: 'guide' });
    story.ledger = offered('offered');
    const minutes = [{ at: at('2026-03-10T11:59:00Z'), nodes: 1 }];
    expect(story.decide('2026-03-10T12:00:00Z').ledger.starts?.[0]).toMatchObject({ minutes, leaving: ['x-claim'] });
    story.put(...machine('x', { drifted: longAgo }));
    const round = story.decide('2026-03-10T12:00:10Z');
    expect(round.commands[0]?.step).toBe('withdrawn');
    expect(round.rates?.[0]?.used).toBe(1);
  });

  it('in drive it begins with its first eviction, or with the deletion of its claim', () => {
    const used = (fields: Plain) => {
      const objects = [hourly('2'), machine('x', { drifted: longAgo })];
      return (
        decide(objects, { ledger: ledger({ commands: [underway('x', fields)] }) }).ledger.starts?.[0]?.minutes ?? []
      );
    };
    expect(used({ step: 'replacing' })).toEqual([]);
    const evictedAt = '2026-03-10T11:58:10Z';
    expect(used({ step: 'draining', evictedAt })).toEqual([{ at: at('2026-03-10T11:58:00Z'), nodes: 1 }]);
    expect(used({ step: 'terminating' })).toEqual([{ at: at('2026-03-10T11:59:00Z'), nodes: 1 }]);
  });

  it('N3: the newest offer is withdrawn if others use up the rate', () => {
    const objects = [
      hourly('2'),
      machine('x', { drifted: longAgo }),
      machine('y', { drifted: longAgo }),
      deleting('d', '2026-03-10T11:59:50Z'),
    ];
    const offer = (name: string, clock: string) =>
      underway(name, {
        hands: 'karpenter',
        step: 'offered',
        startedAt: `2026-03-10T${clock}Z`,
        stepAt: `2026-03-10T${clock}Z`,
      });
    const known = ledger({ commands: [offer('x', '11:59:10'), offer('y', '11:59:20')] });
    const { commands } = decide(objects, { ledger: known, ...inGuide });
    expect(commands.map(({ nodes, step }) => `${nodes[0]?.name} ${step}`)).toEqual(['x offered', 'y withdrawn']);
    expect(commands[1]?.why).toContain('RateSpent: budgets[0] of pool web allows 2 nodes to begin in any 1h');
  });
});

describe('P1: an offer beside one that Karpenter has just taken', () => {
  it('stays: the one that is taken counts once', () => {
    const taken = machine('a', {
      drifted: longAgo,
      claim: { conditions: { DisruptionReason: { lastTransitionTime: '2026-03-10T11:59:50Z', reason: 'Drifted' } } },
    });
    const offer = (name: string) => underway(name, { hands: 'karpenter', step: 'offered' });
    const known = ledger({ commands: [offer('a'), offer('b')] });
    const { commands } = decide([hourly('2'), taken, drifted('b')], { ledger: known, settings: { role: 'guide' } });
    expect(commands.map(({ step }) => step)).toEqual(['taken', 'offered']);
  });
});

describe('P1: an offer for a reason that a rate does not bind', () => {
  it('uses a unit, but does not have another offer withdrawn before it begins', () => {
    const rated = pool('web', { budgets: [{ nodes: '1', per: '1h', reasons: ['Empty'] }], consolidateAfter: '1s' });
    const objects = [rated, machine('x', { drifted: longAgo }), machine('y')];
    const offer = (name: string, reason: string) =>
      underway(name, { id: `${reason.toLowerCase()}-${name}`, reason, hands: 'karpenter', step: 'offered' });
    const known = ledger({ commands: [offer('x', 'Drifted'), offer('y', 'Empty')] });
    const { commands, rates } = decide(objects, { ledger: known, settings: { role: 'guide' } });
    expect(rates?.[0]?.used).toBe(2);
    expect(commands.map(({ why }) => why ?? '').join()).not.toContain('RateSpent');
  });
});

describe('P1: the ledger', () => {
  it('a ledger that a person deletes or replaces: what is leaving counts once, from when it began', () => {
    const objects = [hourly('2'), deleting('d', '2026-03-10T11:40:10Z'), machine('n1')];
    const story = new Story(objects);
    const first = story.decide('2026-03-10T12:00:00Z').ledger.starts;
    story.ledger = ledger({});
    expect(story.decide('2026-03-10T12:05:00Z').ledger.starts).toEqual(first);
    // An older copy, in which another node was leaving.
    story.ledger = begun({ '11:10': 1 }, ['old-claim']);
    const round = story.decide('2026-03-10T12:06:00Z');
    expect(round.ledger.starts).toMatchObject([{ leaving: ['d-claim'] }]);
    expect(round.rates?.[0]?.used).toBe(2);
    expect(story.decide('2026-03-10T12:07:00Z').ledger).toBe(round.ledger);
  });

  it('a ledger of an older Lull has no starts: what is visible counts', () => {
    expect(ledger({}).starts).toBeUndefined();
    expect(goes([hourly('1'), deleting('d', '2026-03-10T11:59:00Z'), drifted('a')])).toEqual([]);
  });

  it('without a rate nothing is recorded, and a record without its rate is dropped', () => {
    expect(decide([web({ nodes: '1' }), deleting('d', longAgo)]).ledger.starts).toBeUndefined();
    expect(decide([web({ nodes: '1' })], { ledger: begun({ '11:00': 1 }) }).ledger.starts).toEqual([]);
  });

  it('observe writes no ledger and counts what is visible beside it', () => {
    const known = begun({ '11:50': 1 });
    const round = decide([hourly('2'), deleting('d', '2026-03-10T11:59:00Z'), drifted('a')], {
      ledger: known,
      settings: { role: 'observe' },
    });
    expect(round.ledger).toBe(known);
    expect(codesOf(round, 'a', 'Drifted')).toContain('RateSpent');
  });

  it('observe does not know when a node began that nothing dates: it counts while it is there', () => {
    const tainted = machine('k', { spec: { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] } });
    const objects = [hourly('1'), tainted, drifted('a')];
    const held = (role: string) => refusalOf(decide(objects, { settings: { role } }), 'a', 'Drifted', 'RateSpent');
    expect(held('observe')).not.toHaveProperty('liftsAt');
    expect(held('drive').liftsAt).toBe(at('2026-03-10T13:01:00Z'));
  });

  it('drops minutes that no longer count when it is written, and is written as it is read', () => {
    const { ledger: next } = decide([hourly('5'), deleting('d', '2026-03-10T11:59:00Z')], {
      ledger: begun({ '10:00': 4, '11:30': 1 }),
    });
    expect(next.starts?.[0]?.minutes.map(({ nodes }) => nodes)).toEqual([1, 1]);
    expect(ledger(writeLedger(next).spec as Plain)).toEqual(next);
  });

  it('is bounded: too many minutes are merged into later ones, which count longer', () => {
    const pools = Array.from({ length: 2500 }, (_, index) =>
      pool(`p${index}`, { budgets: [{ nodes: '9', per: '1h' }] }),
    );
    const leaving = ['11:10:00', '11:11:00', '11:40:00', '11:50:00'].map((clock, index) =>
      machine(`d${index}`, { pool: 'p0', claim: { deleted: `2026-03-10T${clock}Z`, pool: 'p0' } }),
    );
    const { ledger: next, rates } = decide([pools, leaving]);
    expect(next.starts?.[0]?.minutes).toEqual([
      { at: at('2026-03-10T11:11:00Z'), nodes: 2 },
      { at: at('2026-03-10T11:50:00Z'), nodes: 2 },
    ]);
    expect(rates?.[0]?.used).toBe(4);
  });
});
