import { describe, expect, it } from 'vitest';
import {
  at,
  claim,
  ledger,
  longAgo,
  machine,
  maintenanceWindow,
  noon,
  type Objects,
  type Plain,
  pod,
  pool,
  settings,
  storeOf,
  underway,
  zone,
} from '../../test/build.ts';
import { decideRound } from '../engine/round.ts';
import { type Notice, openNotices } from './notices.ts';

/** The input of one round. */
interface Scene {
  readonly objects: Objects;
  readonly at?: string;
  readonly ledger?: Plain;
}

/** The notices of each round, compared with the round before. */
function told(scenes: readonly Scene[], values: Plain = {}): Notice[][] {
  const inForce = settings({ role: 'guide', ...values });
  const noticesOf = openNotices();
  return scenes.map(({ objects, at: when = noon, ledger: known = {} }) => {
    const facts = { cluster: storeOf(...objects), ledger: ledger(known) };
    const round = decideRound(facts, at(when), inForce);
    return noticesOf({ round, facts, settings: inForce, now: round.at });
  });
}

const say = ({ type, about, reason, message }: Notice): string =>
  `${type} ${reason} on ${[about.kind, about.namespace, about.name].filter(Boolean).join('/')}: ${message}`;

/** The notices of the last round. */
const last = (scenes: readonly Scene[], values?: Plain): string[] => told(scenes, values).at(-1)?.map(say) ?? [];

const drifted = machine('n1', { drifted: longAgo });
const frozen = (note: string) => maintenanceWindow('freeze', { actions: ['Drift'], note });
const nothing: Scene = { objects: [pool()] };

describe('J5: a node that is held', () => {
  const held = [pool(), drifted, frozen('Ann')];

  it('gets an event when the hold begins, with its UID', () => {
    const [, notices] = told([nothing, { objects: held }]);
    expect(notices).toEqual([
      {
        about: { kind: 'Node', name: 'n1', uid: 'uid-n1' },
        type: 'Normal',
        reason: 'Held',
        message: 'Drifted is held: MaintenanceWindow freeze blocks it now (Ann).',
        key: 'Drifted WindowBlocks:MaintenanceWindow//freeze/',
        topic: 'held Drifted',
        weight: 1,
      },
    ]);
  });

  it('gets no other event while code and owner stay, even if the sentence changes', () => {
    expect(last([nothing, { objects: held }, { objects: [pool(), drifted, frozen('Bob')] }])).toEqual([]);
  });

  it.each([
    { it: 'another owner', objects: [maintenanceWindow('other', { actions: ['Drift'] })], says: /other blocks it/ },
    {
      it: 'a further code',
      objects: [frozen('Ann'), pod('p', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })],
      says: /do-not-disrupt/,
    },
  ])('gets another event for $it', ({ objects, says }) => {
    const notices = last([nothing, { objects: held }, { objects: [pool(), drifted, objects] }]);
    expect(notices).toEqual([expect.stringMatching(says)]);
  });

  it.each([
    { it: 'beside a reason of its own', own: [frozen('Ann')], told: 0 },
    { it: 'by itself', own: [], told: 1 },
  ])('K5: limits shared with others come and go: $told events $it', ({ own, told: times }) => {
    const objects = [pool('web', { budgets: [{ nodes: '1' }] }), drifted, own];
    const spent = [...objects, machine('d', { deleted: longAgo })];
    const settingsOf = { role: 'observe' };
    const scenes = [nothing, { objects }, { objects: spent }];
    expect(last(scenes, settingsOf).filter((it) => it.includes('Held on Node/n1'))).toHaveLength(times);
  });

  it('gets another event if it was released in between', () => {
    expect(last([nothing, { objects: held }, nothing, { objects: held }])).toHaveLength(1);
  });

  it('gets an event of the lowest weight, once, from a process that has just started', () => {
    expect(told([{ objects: held }])[0]).toMatchObject([{ reason: 'Held', weight: 0, standing: true }]);
  });

  it('the event has the first refusals, and how many more there are', () => {
    const windows = ['a', 'b', 'c', 'd', 'e'].map((name) => maintenanceWindow(name, { actions: ['Drift'] }));
    expect(last([nothing, { objects: [pool(), drifted, windows] }])).toEqual([
      'Normal Held on Node/n1: Drifted is held: MaintenanceWindow a blocks it now; MaintenanceWindow b blocks it now; MaintenanceWindow c blocks it now; and 2 more.',
    ]);
  });

  it('in observe also nodes that may be disrupted', () => {
    expect(last([nothing, { objects: [pool(), drifted] }], { role: 'observe' })).toEqual([
      'Normal MayGo on Node/n1: Drifted: may be disrupted now. Lull only observes.',
    ]);
  });
});

describe('J5: a node that is disrupted', () => {
  const step = (name: string, more: Plain = {}): Plain => ({
    commands: [underway('n1', { hands: 'karpenter', step: name, ...more })],
  });
  const objects = [pool(), drifted];

  it.each([
    { step: 'offered', says: 'Normal Offered on Node/n1: Offered to Karpenter: Drifted.' },
    { step: 'taken', says: 'Normal Taken on Node/n1: Karpenter is disrupting it: Drifted.' },
    {
      step: 'withdrawn',
      more: { why: 'its pod changed its mind' },
      says: 'Warning Withdrawn on Node/n1: No longer offered to Karpenter: its pod changed its mind.',
    },
  ])('gets an event on the node and its claim: $step', ({ step: name, more, says }) => {
    const notices = last([{ objects }, { objects, ledger: step(name, more) }]);
    expect(notices).toEqual(expect.arrayContaining([says, says.replace('Node/n1', 'NodeClaim/n1-claim')]));
  });

  it('gets events for committed steps only, not for what a round only decides', () => {
    const [, second] = told([nothing, { objects }]);
    expect(second?.filter(({ reason }) => reason === 'Offered')).toEqual([]);
  });

  it('gets no repeated event from a process that resumes from the ledger', () => {
    const [first, second] = told([
      { objects, ledger: step('offered') },
      { objects, ledger: step('offered') },
    ]);
    expect([...(first ?? []), ...(second ?? [])].map(({ reason }) => reason)).not.toContain('Offered');
  });

  it('when gone, gets an event on the pool, since the node no longer exists', () => {
    const notices = last([
      { objects: [pool()], ledger: step('taken') },
      { objects: [pool()], at: '2026-03-10T12:00:05Z' },
    ]);
    expect(notices).toEqual(['Normal NodeGone on NodePool/web: n1 is gone, 1m after it was chosen: Drifted.']);
  });

  it('G7: a drain that waits for a pod without a known end', () => {
    const objects7 = [
      pool(),
      machine('n1', { drifted: longAgo, claim: { deleted: noon } }),
      pod('p', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
    ];
    const before = { objects: objects7.slice(0, 1), ledger: step('taken') };
    expect(last([before, { objects: objects7, ledger: step('taken') }])).toEqual([
      'Warning DrainStuck on Node/n1: Its drain is waiting: pod shop/p is annotated do-not-disrupt.',
    ]);
  });

  it('E9: a pod whose schedule keeps it on a node that is being drained', () => {
    const objects9 = [
      pool(),
      machine('n1', { drifted: longAgo, claim: { deleted: noon } }),
      pod('p', 'n1', { annotations: { 'karpenter.sh/disruption-schedule': '0 2 * * *' } }),
    ];
    const scene = { objects: objects9, ledger: step('taken') };
    const words = 'pod shop/p may be moved only in its window (every day 02:00–03:00 UTC)';
    expect(last([{ objects: [pool()], ledger: step('taken') }, scene])).toEqual([
      `Normal DrainWaits on Node/n1: Its drain is waiting: ${words}.`,
      `Normal EvictionDeferred on Pod/shop/p: Not evicted yet, though n1 is being drained: ${words}.`,
    ]);
    expect(
      last([{ objects: [pool()], ledger: step('taken') }, scene, { ...scene, at: '2026-03-10T12:30:00Z' }]),
    ).toEqual([]);
  });
});

describe('J5: events on a pool', () => {
  it('C8: a fault, also one from before this process started', () => {
    const [first, second] = told([{ objects: [pool('web', { budgets: [{ nodes: 'some' }] })] }, nothing]);
    expect(first).toMatchObject([{ type: 'Warning', reason: 'PolicyFault', about: { name: 'web' }, standing: true }]);
    expect(second).toEqual([]);
  });

  it('F4: a back-off, each time it grows', () => {
    const backoff = (until: string): Scene => ({
      ...nothing,
      ledger: { backoffs: [{ pool: 'web', until, delay: '1m' }] },
    });
    const [first, second, third] = ['2026-03-10T12:01:00Z', '2026-03-10T12:01:00Z', '2026-03-10T12:02:00Z'].map(
      backoff,
    );
    const scenes = [nothing, first, second, third] as Scene[];
    expect(told(scenes).map((it) => it.map(say))).toEqual([
      [],
      ['Warning BackingOff on NodePool/web: Replacements keep failing. Lull tries again at 2026-03-10T12:01:00Z.'],
      [],
      ['Warning BackingOff on NodePool/web: Replacements keep failing. Lull tries again at 2026-03-10T12:02:00Z.'],
    ]);
  });

  const budgets = JSON.stringify([{ nodes: '1', topologyKey: zone, sequential: true }]);
  const sequential = pool('web', { annotations: { 'lull.dev/budgets': budgets } });
  const turn = (domain: string, more: Plain = {}): Plain => ({
    turns: [{ pool: 'web', topologyKey: zone, domain, takenAt: noon, progressAt: noon, ...more }],
  });

  it.each([
    {
      it: 'taken',
      from: {},
      to: turn('a'),
      says: ['Normal TurnTaken on NodePool/web: zone a has the turn now.'],
    },
    {
      it: 'passed',
      from: turn('a'),
      to: turn('b'),
      says: [
        'Normal TurnPassed on NodePool/web: zone a is done and passes the turn.',
        'Normal TurnTaken on NodePool/web: zone b has the turn now.',
      ],
    },
    {
      it: 'passed with nodes left behind',
      from: turn('a'),
      to: turn('b', { passedOver: ['a'] }),
      says: [
        'Warning TurnPassed on NodePool/web: zone a passes the turn and leaves drifted nodes behind.',
        'Normal TurnTaken on NodePool/web: zone b has the turn now.',
      ],
    },
  ])('C12: a turn that is $it', ({ from, to, says }) => {
    const objects = [sequential];
    expect(
      last([
        { objects, ledger: from },
        { objects, ledger: to },
      ]),
    ).toEqual(says);
  });

  it('C13: a roll that is stuck, after a while', () => {
    const sick = machine('a1', { zone: 'a', ready: 'False', readySince: longAgo });
    const objects = [sequential, sick, machine('b1', { zone: 'b', drifted: longAgo })];
    const scene = (when: string): Scene => ({ objects, at: when, ledger: turn('a', { progressAt: noon }) });
    const minutes = ['12:00', '12:01', '12:02', '12:30'].map((it) => scene(`2026-03-10T${it}:00Z`));
    const stuck = told(minutes).map((it) => it.filter(({ reason }) => reason === 'SettleStuck').map(say));
    expect(stuck).toEqual([
      [],
      [],
      [
        'Warning SettleStuck on NodePool/web: The roll is stuck. zone a is done, but not healthy: node a1 is not Ready. Waiting: zone b.',
      ],
      [],
    ]);
  });
});

describe('J5: windows', () => {
  const schedules = [{ cron: '0 13 * * *', duration: '1h' }];
  const objects = [pool(), maintenanceWindow('lunch', { schedules })];

  it('get events when they open and close, not when they are first seen', () => {
    const times = ['12:00', '13:00', '13:30', '14:00'].map((it) => ({ objects, at: `2026-03-10T${it}:00Z` }));
    expect(told([nothing, ...times]).map((it) => it.map(say))).toEqual([
      [],
      [],
      ['Normal Opened on MaintenanceWindow/lunch: Open until 2026-03-10T14:00:00Z. Selects 0 nodes and holds 0.'],
      [],
      ['Normal Closed on MaintenanceWindow/lunch: Closed until 2026-03-11T13:00:00Z. Selects 0 nodes and holds 0.'],
    ]);
  });
});

describe('E1, E6: a pod with an annotation that cannot be read', () => {
  it.each([
    {
      it: 'a protection',
      annotations: { 'karpenter.sh/do-not-disrupt': 'yes' },
      says: /do-not-disrupt\]: "yes" is no/,
    },
    { it: 'a schedule', annotations: { 'karpenter.sh/disruption-schedule': '61 * * * *' }, says: /minute 61/ },
  ])('gets a warning: $it', ({ annotations, says }) => {
    const objects = [pool(), machine(), pod('p', 'n1', { annotations: annotations as Record<string, string> })];
    expect(last([nothing, { objects }])).toEqual([expect.stringMatching(says)]);
    expect(last([nothing, { objects }])[0]).toMatch(/^Warning BadDisruptionRule on Pod\/shop\/p: /);
    expect(last([nothing, { objects }, { objects }])).toEqual([]);
  });
});

describe('F7: a NodeClaim that is not ready in time', () => {
  const conditions = (reason: string) => ({
    Registered: { status: 'Unknown', reason },
    Initialized: { status: 'Unknown' },
  });
  const slow = (reason = 'NodeNotFound') => [pool(), claim('late', { nodeName: null, conditions: conditions(reason) })];

  it('gets one event on the pool and one on the claim, and again when the condition changes', () => {
    const says = (reason: string) =>
      `NodeClaim late-claim is not ready 2m after its creation: Registered is Unknown (${reason}). No more nodes of pool web are offered meanwhile.`;
    const scenes = [nothing, { objects: slow() }, { objects: slow() }, { objects: slow('Other') }];
    const [, first, again, other] = told(scenes).map((notices) => notices.map(say));
    expect(first).toEqual([
      `Warning ReplacementSlow on NodePool/web: ${says('NodeNotFound')}`,
      `Warning ReplacementSlow on NodeClaim/late-claim: ${says('NodeNotFound')}`,
    ]);
    expect(again).toEqual([]);
    expect(other).toHaveLength(2);
  });

  it('does not cause an event for each node that it also holds', () => {
    const frozenToo = [pool('web', { budgets: [{ nodes: '0' }] }), drifted];
    const late = claim('late', { nodeName: null, conditions: conditions('NodeNotFound') });
    const said = last([{ objects: frozenToo }, { objects: [...frozenToo, late] }]);
    expect(said.filter((it) => it.includes('Node/'))).toHaveLength(1);
  });
});
