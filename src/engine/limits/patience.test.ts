import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  longAgo,
  machine,
  maintenanceWindow,
  type Objects,
  type Plain,
  pool,
  Story,
  startsOf,
  zone,
} from '../../../test/build.ts';

const sequential = { nodes: '1', topologyKey: zone, sequential: true };
const hold = { 'lull.dev/hold': 'mine' };
const drifted = (name: string, where: string, annotations: Record<string, string> = {}) =>
  machine(name, { zone: where, drifted: longAgo, annotations });
const web = (...more: Plain[]) => pool('web', { budgets: [sequential, ...more] });

/** a1 is gone, a2 is held by a person and b waits: nothing in zone a has progressed since noon. */
function stuck(...objects: Objects): Story {
  const story = new Story([drifted('a1', 'a'), drifted('a2', 'a', hold), drifted('b1', 'b'), ...objects]);
  expect(startsOf(story.decide('2026-03-10T12:00:00Z'))).toEqual(['a1 Drifted']);
  story.gone('a1');
  story.decide('2026-03-10T12:00:00Z');
  return story;
}

describe('C12: patience', () => {
  it('passes the turn when nothing was started for an hour', () => {
    const story = stuck(web());
    const before = story.decide('2026-03-10T12:59:59Z');
    expect(codesOf(before, 'b1', 'Drifted')).toEqual(['NotItsTurn']);
    expect(before.wakeAt).toBe(at('2026-03-10T13:00:00Z'));
    const then = story.decide('2026-03-10T13:00:00Z');
    expect(startsOf(then)).toEqual(['b1 Drifted']);
    expect(then.ledger.turns).toMatchObject([{ domain: 'b', passedOver: ['a'] }]);
  });

  it.each([
    { patience: '10m', passes: '2026-03-10T12:10:00Z' },
    { patience: '4h', passes: '2026-03-10T16:00:00Z' },
  ])('is set by the budget: $patience', ({ patience, passes }) => {
    const story = stuck(pool('web', { budgets: [{ ...sequential, patience }] }));
    expect(story.decide('2026-03-10T12:01:00Z').wakeAt).toBe(at(passes));
    expect(startsOf(story.decide(passes))).toEqual(['b1 Drifted']);
  });

  it('starts over with each start', () => {
    const story = new Story([
      web(),
      drifted('a1', 'a'),
      drifted('a2', 'a'),
      drifted('a3', 'a', hold),
      drifted('b1', 'b'),
    ]);
    story.decide('2026-03-10T12:00:00Z');
    story.gone('a1');
    expect(startsOf(story.decide('2026-03-10T12:50:00Z'))).toEqual(['a2 Drifted']);
    story.gone('a2');
    story.decide('2026-03-10T12:50:00Z');
    expect(startsOf(story.decide('2026-03-10T13:49:59Z'))).toEqual([]);
    expect(startsOf(story.decide('2026-03-10T13:50:00Z'))).toEqual(['b1 Drifted']);
  });

  it('starts over when a node of the domain is gone, also one that Karpenter disrupted', () => {
    const taken = {
      DisruptionReason: { status: 'True', reason: 'Drifted', lastTransitionTime: '2026-03-10T12:00:00Z' },
    };
    const story = new Story([
      web(),
      machine('a1', { zone: 'a', claim: { conditions: taken } }),
      drifted('a2', 'a', hold),
      drifted('b1', 'b'),
    ]);
    story.decide('2026-03-10T12:00:00Z');
    story.decide('2026-03-10T14:29:00Z');
    story.gone('a1');
    expect(startsOf(story.decide('2026-03-10T14:30:00Z'))).toEqual([]);
    expect(startsOf(story.decide('2026-03-10T15:30:00Z'))).toEqual(['b1 Drifted']);
  });

  it('does not run out while a node of the domain is in flight', () => {
    const story = new Story([web(), drifted('a1', 'a'), drifted('a2', 'a', hold), drifted('b1', 'b')]);
    story.decide('2026-03-10T12:00:00Z');
    const before = story.ledger;
    expect(startsOf(story.decide('2026-03-11T12:00:00Z'))).toEqual([]);
    expect(story.ledger).toBe(before);
  });

  it('a node that is no longer held is started before the turn passes', () => {
    const story = stuck(web());
    story.put(...drifted('a2', 'a'));
    expect(startsOf(story.decide('2026-03-10T12:59:00Z'))).toEqual(['a2 Drifted']);
  });
});

describe('C12: a domain that was passed over', () => {
  it('does not get the turn again before the others', () => {
    const story = stuck(web(), ...drifted('c1', 'c'));
    expect(startsOf(story.decide('2026-03-10T13:00:00Z'))).toEqual(['b1 Drifted']);
    // a2 is no longer held and is the oldest, but zone c still comes first.
    story.put(...machine('a2', { zone: 'a', drifted: '2026-01-01T00:00:00Z' }));
    story.gone('b1');
    expect(startsOf(story.decide('2026-03-10T13:10:00Z'))).toEqual(['c1 Drifted']);
    expect(story.ledger.turns[0]?.passedOver).toEqual(['a']);
    story.gone('c1');
    expect(startsOf(story.decide('2026-03-10T13:20:00Z'))).toEqual(['a2 Drifted']);
  });

  it('is remembered over a restart', () => {
    const story = stuck(web(), ...drifted('c1', 'c'));
    story.decide('2026-03-10T13:00:00Z');
    story.put(...drifted('a2', 'a'));
    story.gone('b1');
    story.restart();
    expect(startsOf(story.decide('2026-03-10T13:10:00Z'))).toEqual(['c1 Drifted']);
  });

  it.each([
    { it: 'a budget', freeze: [web({ nodes: '0', schedule: '5 13 * * *', duration: '1h' })] },
    {
      it: 'a window',
      freeze: [web(), maintenanceWindow('w', { schedules: [{ cron: '5 13 * * *', duration: '1h' }] })],
    },
  ])('is remembered when $it closes the pool as the next turn passes', ({ freeze }) => {
    const story = stuck(...freeze, ...drifted('c1', 'c'));
    expect(startsOf(story.decide('2026-03-10T13:00:00Z'))).toEqual(['b1 Drifted']);
    story.put(...machine('a2', { zone: 'a', drifted: '2026-01-01T00:00:00Z' }));
    story.gone('b1');
    expect(startsOf(story.decide('2026-03-10T13:30:00Z'))).toEqual([]);
    expect(startsOf(story.decide('2026-03-10T14:05:00Z'))).toEqual(['c1 Drifted']);
  });

  it('may be the domain of nodes without the label', () => {
    const story = new Story([
      web(),
      machine('u1', { drifted: longAgo }),
      machine('u2', { drifted: longAgo, annotations: hold }),
    ]);
    story.decide('2026-03-10T12:00:00Z');
    story.gone('u1');
    story.decide('2026-03-10T12:00:00Z');
    story.put(...drifted('b1', 'b'));
    expect(startsOf(story.decide('2026-03-10T13:00:00Z'))).toEqual(['b1 Drifted']);
    expect(story.ledger.turns).toMatchObject([{ domain: 'b', passedOver: [null] }]);
  });
});

describe('C12: time during which the whole pool is closed', () => {
  const freeze = { nodes: '0', schedule: '30 12 * * *', duration: '10h' };
  it.each([
    { it: 'by a budget', rules: [web(freeze)] },
    { it: 'by a budget that names Drifted', rules: [web({ ...freeze, reasons: ['Drifted'] })] },
    { it: 'by a topology budget of zero', rules: [web({ ...freeze, topologyKey: zone })] },
    {
      it: 'by a window',
      rules: [web(), maintenanceWindow('w', { schedules: [{ cron: '30 12 * * *', duration: '10h' }] })],
    },
    {
      it: 'by windows over all of its nodes',
      rules: [
        web(),
        ...['a', 'b'].map((where) =>
          maintenanceWindow(`w-${where}`, {
            selector: { matchLabels: { [zone]: where } },
            schedules: [{ cron: '30 12 * * *', duration: '10h' }],
          }),
        ),
      ],
    },
  ])('does not count: $it', ({ rules }) => {
    const story = stuck(...rules);
    // Half an hour before the freeze, and half an hour after it.
    expect(startsOf(story.decide('2026-03-10T22:59:59Z'))).toEqual([]);
    expect(startsOf(story.decide('2026-03-10T23:00:00Z'))).toEqual(['b1 Drifted']);
  });

  it.each([
    { it: 'a budget of another reason', rules: [web({ ...freeze, reasons: ['Empty'] })] },
    {
      it: 'a window for another action',
      rules: [
        web(),
        maintenanceWindow('w', { actions: ['Repair'], schedules: [{ cron: '30 12 * * *', duration: '10h' }] }),
      ],
    },
    {
      it: 'a window over some of its nodes',
      rules: [
        web(),
        maintenanceWindow('w', {
          selector: { matchLabels: { [zone]: 'a' } },
          schedules: [{ cron: '30 12 * * *', duration: '10h' }],
        }),
      ],
    },
  ])('counts where only part of it is closed: $it', ({ rules }) => {
    expect(startsOf(stuck(...rules).decide('2026-03-10T13:00:00Z'))).toEqual(['b1 Drifted']);
  });

  it('that never ends keeps the turn where it is', () => {
    const story = stuck(web());
    story.put(web({ nodes: '0' }));
    const round = story.decide('2027-03-10T12:00:00Z');
    expect(round.ledger.turns).toMatchObject([{ domain: 'a' }]);
    expect(round).not.toHaveProperty('wakeAt');
  });
});
