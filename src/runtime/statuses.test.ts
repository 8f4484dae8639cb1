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
  podSchedule,
  pool,
  settings,
  storeOf,
  zone,
} from '../../test/build.ts';
import { emptyLedger, type Ledger } from '../cluster/ledger.ts';
import { decideRound } from '../engine/round.ts';
import { statusesOf } from './statuses.ts';
import type { WantedCondition, WantedStatus } from './wantedStatus.ts';

interface Asking {
  readonly settings?: Plain;
  readonly ledger?: Ledger;
  readonly now?: string;
  readonly bornParked?: boolean;
}

function statuses(objects: Objects, { settings: values, ledger: known = emptyLedger, now, ...more }: Asking = {}) {
  const facts = { cluster: storeOf(...objects), ledger: known };
  const inForce = settings({ role: 'guide', ...values });
  const round = decideRound(facts, at(noon), inForce);
  return statusesOf({ round, facts, settings: inForce, now: at(now ?? noon), ...more });
}

const only = (objects: Objects, asking?: Asking): WantedStatus => statuses(objects, asking)[0] as WantedStatus;

function condition({ conditions }: WantedStatus, type: string): Omit<WantedCondition, 'type'> | undefined {
  const { type: _, ...rest } = conditions.find((it) => it.type === type) ?? {};
  return rest as Omit<WantedCondition, 'type'>;
}

const idle = (count: number): Objects => Array.from({ length: count }, (_, index) => machine(`x${index}`));

describe('J2: the status of a pool', () => {
  it('N3: says how many nodes are parked until all are, but for those that have just been born', () => {
    const young = machine('y', { created: '2026-03-10T11:59:50Z' });
    const mark = { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': longAgo };
    const parked = machine('p', { annotations: mark });
    expect(condition(only([pool(), machine('n1'), parked, young]), 'LullReady')).toEqual({
      status: 'False',
      reason: 'Parking',
      message: 'Parked 1 of 3 nodes. Until all are parked, Karpenter may take the others by its own budgets.',
    });
    expect(condition(only([pool(), parked, young]), 'LullReady')).toMatchObject({ status: 'True', reason: 'Guide' });
  });

  it('F7: says what is not ready in time, and that nothing more is offered', () => {
    const late = claim('late', {
      nodeName: null,
      conditions: { Initialized: { status: 'Unknown', reason: 'NotYet' } },
    });
    const status = only([pool(), late]);
    const message = 'NodeClaim late-claim is not ready 2m after its creation: Initialized is Unknown (NotYet)';
    expect(condition(status, 'LullReady')).toEqual({
      status: 'False',
      reason: 'ReplacementSlow',
      message: `Nothing more is offered here until this has changed. ${message}.`,
    });
    expect(status.fields).toMatchObject({ lull: { slowClaims: [{ claim: 'late-claim', message }] } });
  });

  it.each([
    { it: 'not known', asking: {}, says: 'Karpenter takes them.' },
    { it: 'parked', asking: { bornParked: true }, says: 'Karpenter takes them. New nodes are parked from birth.' },
    {
      it: 'not parked',
      asking: { bornParked: false },
      says: 'Karpenter takes them. Nodes created while Lull is away are not parked: spec.disruption.budgets alone limits Karpenter then.',
    },
    { it: 'of another role', asking: { bornParked: false, settings: { role: 'drive' } }, says: 'by its own hands.' },
  ])('N2: says what protects new nodes while Lull is away: $it', ({ asking, says }) => {
    const ready = condition(only([pool()], asking), 'LullReady');
    expect(ready?.status).toBe('True');
    expect(ready?.message.endsWith(says)).toBe(true);
  });

  it('N11: says that nothing is offered, and why', () => {
    const status = only([pool()], { settings: { withhold: 'Karpenter is away.' } });
    const message = 'Lull offers nothing to Karpenter at present: Karpenter is away.';
    expect(condition(status, 'LullReady')).toEqual({
      status: 'False',
      reason: 'OffersWithheld',
      message: `${message} Every governed node stays parked.`,
    });
    expect(condition(status, 'LullDisruptionAllowed')).toEqual({ status: 'False', reason: 'OffersWithheld', message });
  });

  it('says for each reason how many may go, by which budget and until when', () => {
    const budgets = [{ nodes: '40%' }, { nodes: '2', reasons: ['Drifted'], schedule: '0 9 * * *', duration: '8h' }];
    const status = only([pool('web', { budgets }), idle(9), machine('d', { deleted: longAgo })], {
      settings: { role: 'observe' },
    });
    expect(condition(status, 'LullDisruptionAllowed')).toEqual({
      status: 'True',
      reason: 'WithinBudgets',
      message:
        'Unhealthy, Empty, Expired, Rebalance, Underutilized: 3 of 4 may go now by budget 0, in use: 1. ' +
        'Drifted: 1 of 2 may go now by budget 1, in use: 1, until 2026-03-10T17:00:00Z.',
    });
    const { lull } = status.fields as { lull: { allowances: { reason: string }[] } };
    expect(lull.allowances.find(({ reason }) => reason === 'Drifted')).toEqual({
      reason: 'Drifted',
      limit: 2,
      consumed: 1,
      left: 1,
      budget: 1,
      nextChange: '2026-03-10T17:00:00Z',
    });
  });

  it.each([
    { it: 'observe', says: 'Observe' },
    { it: 'guide', says: 'Guide' },
    { it: 'drive', says: 'Drive' },
  ])('says what Lull does there: $it', ({ it: role, says }) => {
    expect(condition(only([pool()], { settings: { role } }), 'LullReady')).toMatchObject({
      status: 'True',
      reason: says,
    });
  });

  it('says that it is frozen where no reason has a limit above zero', () => {
    const status = only([pool('web', { budgets: [{ nodes: '0' }] }), idle(2)]);
    expect(condition(status, 'LullDisruptionAllowed')).toMatchObject({ status: 'False', reason: 'Frozen' });
  });

  it('stays as it is while units are used up: Karpenter tells an event whenever a condition changes sides', () => {
    const spent = only([pool('web', { budgets: [{ nodes: '1' }] }), idle(2), machine('d', { deleted: longAgo })]);
    expect(condition(spent, 'LullDisruptionAllowed')).toMatchObject({ status: 'True', reason: 'WithinBudgets' });
  });

  it('C8: names the fault', () => {
    const status = only([pool('web', { budgets: [{ nodes: 'some' }] })]);
    expect(condition(status, 'LullReady')).toMatchObject({
      status: 'False',
      reason: 'PoolFault',
      message: expect.stringMatching(/^No node of it is moved\. spec\.disruption\.budgets\[0\]\.nodes: "some" is /),
    });
    expect(condition(status, 'LullDisruptionAllowed')).toMatchObject({ status: 'False', reason: 'PoolFault' });
    expect(status.fields.lull).toMatchObject({ fault: { path: 'spec.disruption.budgets[0].nodes' } });
  });

  it('K4: warns of an annotation that it does not know', () => {
    const misspelled = pool('web', { annotations: { 'lull.dev/budget': '[{nodes: "0"}]' } });
    expect(condition(only([misspelled]), 'LullReady')).toEqual({
      status: 'True',
      reason: 'Guide',
      message:
        'Lull says which nodes may go, and Karpenter takes them. Warning: metadata.annotations[lull.dev/budget]: Unknown annotation lull.dev/budget, which is ignored. Did you mean lull.dev/budgets?',
    });
  });

  it('F4: says until when it backs off', () => {
    const known = ledger({ backoffs: [{ pool: 'web', until: '2026-03-10T12:05:00Z', delay: '5m' }] });
    expect(condition(only([pool()], { ledger: known }), 'LullReady')).toEqual({
      status: 'False',
      reason: 'BackingOff',
      message: 'Replacements kept failing. It is tried again at 2026-03-10T12:05:00Z.',
    });
  });

  it('is taken away again where Lull does not govern the pool', () => {
    expect(only([pool('web', { labels: { team: 'b' } })], { settings: { pools: 'team=a' } })).toEqual({
      kind: 'NodePool',
      name: 'web',
      conditions: [],
      fields: {},
    });
  });
});

describe('C12, C13: the turn in the status of a pool', () => {
  const budgets = [{ nodes: '1', topologyKey: zone, sequential: true, settle: '10m' }];
  const drifted = (name: string, where: string) => machine(name, { zone: where, drifted: longAgo });
  const turn = { pool: 'web', topologyKey: zone, domain: 'a', takenAt: noon, progressAt: '2026-03-10T11:59:00Z' };
  const unready = { ready: 'False', readySince: '2026-03-10T11:59:00Z' };

  it.each([
    {
      it: 'whose it is, and who waits',
      objects: [drifted('a1', 'a'), drifted('b1', 'b'), machine('c1', { zone: 'c' })],
      turns: [],
      says: {
        status: 'True',
        reason: 'Rolling',
        message: 'zone a has the turn since 2026-03-10T12:00:00Z; drifted: 1. Waiting: zone b. Done: zone c.',
      },
    },
    {
      it: 'nothing is to go',
      objects: [machine('a1', { zone: 'a' })],
      turns: [],
      says: { status: 'True', reason: 'Rolled', message: 'Every domain is as its pool asks.' },
    },
    {
      it: 'one that settles',
      objects: [machine('a1', { zone: 'a' }), drifted('b1', 'b')],
      turns: [{ ...turn, wellSince: '2026-03-10T11:55:00Z' }],
      says: {
        status: 'True',
        reason: 'Settling',
        message: 'zone a has had its turn, is well, and settles until 2026-03-10T12:05:00Z. Waiting: zone b.',
      },
    },
    {
      it: 'one that is not well yet',
      objects: [machine('a1', { zone: 'a', ...unready }), drifted('b1', 'b')],
      turns: [turn],
      says: {
        status: 'True',
        reason: 'Settling',
        message: 'zone a has had its turn, but is not well: node a1 is not Ready. Waiting: zone b.',
      },
    },
    {
      it: 'one that does not get well',
      objects: [machine('a1', { zone: 'a', ...unready }), drifted('b1', 'b')],
      turns: [turn],
      now: '2026-03-10T12:01:00Z',
      says: {
        status: 'False',
        reason: 'SettleStuck',
        message: 'zone a has had its turn, but is not well: node a1 is not Ready. Waiting: zone b.',
      },
    },
    {
      it: 'what was left behind',
      objects: [drifted('a1', 'a'), drifted('b1', 'b'), drifted('b2', 'b')],
      turns: [{ ...turn, passedOver: ['b', null] }],
      says: {
        status: 'True',
        reason: 'Rolling',
        message:
          'zone a has the turn since 2026-03-10T12:00:00Z; drifted: 1. Waiting: zone b. Left behind in zone b: b1, b2.',
      },
    },
  ])('$it', ({ objects, turns, says, now }) => {
    const status = only([pool('web', { annotations: { 'lull.dev/budgets': JSON.stringify(budgets) } }), objects], {
      ledger: ledger({ turns }),
      ...(now !== undefined && { now }),
    });
    expect(condition(status, 'LullTurn')).toEqual(says);
    expect(status.fields.lull).toMatchObject({ turn: { topologyKey: zone, state: says.reason } });
  });

  it('is not told where domains need no turn', () => {
    const status = only([pool('web', { budgets: [{ nodes: '1', topologyKey: zone }] }), drifted('a1', 'a')], {
      settings: { role: 'observe' },
    });
    expect(status.conditions.map(({ type }) => type)).toEqual(['LullReady', 'LullDisruptionAllowed']);
    expect(condition(status, 'LullDisruptionAllowed')?.message).toMatch(/ Drifted in each zone: a 1 of 1\.$/);
  });
});

describe('D8: the status of a window', () => {
  it('says whether it is open, until when, whom it selects and whom it holds', () => {
    const schedules = [{ cron: '0 9 * * *', duration: '8h' }];
    const objects = [
      pool(),
      machine('n1', { drifted: longAgo }),
      machine('n2'),
      maintenanceWindow('freeze', { schedules, actions: ['Drift'] }),
    ];
    expect(statuses(objects)[1]).toEqual({
      kind: 'MaintenanceWindow',
      name: 'freeze',
      conditions: [{ type: 'Ready', status: 'True', reason: 'InForce', message: 'It is read and obeyed.' }],
      fields: { open: true, nextChange: '2026-03-10T17:00:00Z', selected: 2, holding: 1 },
    });
  });

  it('counts pods where it is a schedule of pods', () => {
    const objects = [pool(), machine(), pod('p'), podSchedule('nights', { selector: {}, schedule: '0 2 * * *' })];
    expect(statuses(objects)[1]).toMatchObject({
      kind: 'PodDisruptionSchedule',
      name: 'nights',
      fields: { open: false, nextChange: '2026-03-11T02:00:00Z', selected: 1, holding: 1 },
    });
  });

  it('D7: says what is wrong with it', () => {
    const schedules = [{ cron: '0 0 30 2 *', duration: '8h' }];
    const [, status] = statuses([pool(), maintenanceWindow('never', { schedules })]);
    expect(status?.conditions).toEqual([
      expect.objectContaining({
        status: 'False',
        reason: 'Fault',
        message: expect.stringMatching(/^It holds all that it may mean\. spec\.schedules\[0\]\.cron: .* never fire/),
      }),
    ]);
  });
});
