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
import { statusesOf, type WantedCondition, type WantedStatus } from './statuses.ts';

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
  it('N3: counts parked nodes until all are, except nodes that were just created', () => {
    const young = machine('y', { created: '2026-03-10T11:59:50Z' });
    const mark = { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': longAgo };
    const parked = machine('p', { annotations: mark });
    expect(condition(only([pool(), machine('n1'), parked, young]), 'LullReady')).toEqual({
      status: 'False',
      reason: 'Parking',
      message: 'Parked 1 of 3 nodes. Karpenter may disrupt the others by its own budgets until they are parked.',
    });
    expect(condition(only([pool(), parked, young]), 'LullReady')).toMatchObject({ status: 'True', reason: 'Guide' });
  });

  it('F7: names the claim that is not ready in time, and that no more nodes are offered', () => {
    const late = claim('late', {
      nodeName: null,
      conditions: { Initialized: { status: 'Unknown', reason: 'NotYet' } },
    });
    const status = only([pool(), late]);
    const message = 'NodeClaim late-claim is not ready 2m after its creation: Initialized is Unknown (NotYet)';
    expect(condition(status, 'LullReady')).toEqual({
      status: 'False',
      reason: 'ReplacementSlow',
      message: `No more nodes of this pool are offered until this changes. ${message}.`,
    });
    expect(status.fields).toMatchObject({ lull: { slowClaims: [{ claim: 'late-claim', message }] } });
  });

  it.each([
    { it: 'not known', asking: {}, says: 'Karpenter disrupts them.' },
    { it: 'parked', asking: { bornParked: true }, says: 'Karpenter disrupts them. New nodes are parked at creation.' },
    {
      it: 'not parked',
      asking: { bornParked: false },
      says: 'Karpenter disrupts them. Nodes created while Lull is not running are not parked: only spec.disruption.budgets limits Karpenter then.',
    },
    {
      it: 'of another role',
      asking: { bornParked: false, settings: { role: 'drive' } },
      says: 'and disrupts them itself.',
    },
  ])('N2: what protects new nodes while Lull is not running: $it', ({ asking, says }) => {
    const ready = condition(only([pool()], asking), 'LullReady');
    expect(ready?.status).toBe('True');
    expect(ready?.message.endsWith(says)).toBe(true);
  });

  it('N11: reports that nothing is offered, and why', () => {
    const status = only([pool()], { settings: { withhold: 'Karpenter is away.' } });
    const message = 'Lull offers no nodes to Karpenter at present: Karpenter is away.';
    expect(condition(status, 'LullReady')).toEqual({
      status: 'False',
      reason: 'OffersWithheld',
      message: `${message} Every governed node stays parked.`,
    });
    expect(condition(status, 'LullDisruptionAllowed')).toEqual({ status: 'False', reason: 'OffersWithheld', message });
  });

  it('reports for each reason how many nodes may be disrupted, by which budget and until when', () => {
    const budgets = [{ nodes: '40%' }, { nodes: '2', reasons: ['Drifted'], schedule: '0 9 * * *', duration: '8h' }];
    const status = only([pool('web', { budgets }), idle(9), machine('d', { deleted: longAgo })], {
      settings: { role: 'observe' },
    });
    expect(condition(status, 'LullDisruptionAllowed')).toEqual({
      status: 'True',
      reason: 'WithinBudgets',
      message:
        'Unhealthy, Empty, Expired, Rebalance, Underutilized: 3 of 4 nodes may be disrupted now (budgets[0]), 1 in use. ' +
        'Drifted: 1 of 2 nodes may be disrupted now (budgets[1]), 1 in use, until 2026-03-10T17:00:00Z.',
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
  ])('reports the role: $it', ({ it: role, says }) => {
    expect(condition(only([pool()], { settings: { role } }), 'LullReady')).toMatchObject({
      status: 'True',
      reason: says,
    });
  });

  it('is Frozen if no reason has a limit above zero', () => {
    const status = only([pool('web', { budgets: [{ nodes: '0' }] }), idle(2)]);
    expect(condition(status, 'LullDisruptionAllowed')).toMatchObject({ status: 'False', reason: 'Frozen' });
  });

  it('does not change while limits are used up: Karpenter emits an event whenever the status changes', () => {
    const spent = only([pool('web', { budgets: [{ nodes: '1' }] }), idle(2), machine('d', { deleted: longAgo })]);
    expect(condition(spent, 'LullDisruptionAllowed')).toMatchObject({ status: 'True', reason: 'WithinBudgets' });
  });

  it('C8: names the fault', () => {
    const status = only([pool('web', { budgets: [{ nodes: 'some' }] })]);
    expect(condition(status, 'LullReady')).toMatchObject({
      status: 'False',
      reason: 'PoolFault',
      message: expect.stringMatching(
        /^No node of this pool may be disrupted\. spec\.disruption\.budgets\[0\]\.nodes: "some" is /,
      ),
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
        'Lull decides which nodes may be disrupted; Karpenter disrupts them. Warning: metadata.annotations[lull.dev/budget]: Unknown annotation lull.dev/budget, which is ignored. Did you mean lull.dev/budgets?',
    });
  });

  it('F4: reports until when it backs off', () => {
    const known = ledger({ backoffs: [{ pool: 'web', until: '2026-03-10T12:05:00Z', delay: '5m' }] });
    expect(condition(only([pool()], { ledger: known }), 'LullReady')).toEqual({
      status: 'False',
      reason: 'BackingOff',
      message: 'Replacements kept failing. Lull tries again at 2026-03-10T12:05:00Z.',
    });
  });

  it('is removed if Lull does not govern the pool', () => {
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
      it: 'the domain that has it, and those that wait',
      objects: [drifted('a1', 'a'), drifted('b1', 'b'), machine('c1', { zone: 'c' })],
      turns: [],
      says: {
        status: 'True',
        reason: 'Rolling',
        message: 'zone a has had the turn since 2026-03-10T12:00:00Z; drifted: 1. Waiting: zone b. Done: zone c.',
      },
    },
    {
      it: 'nothing is drifted',
      objects: [machine('a1', { zone: 'a' })],
      turns: [],
      says: { status: 'True', reason: 'Rolled', message: 'Every domain is up to date.' },
    },
    {
      it: 'a domain that settles',
      objects: [machine('a1', { zone: 'a' }), drifted('b1', 'b')],
      turns: [{ ...turn, wellSince: '2026-03-10T11:55:00Z' }],
      says: {
        status: 'True',
        reason: 'Settling',
        message: 'zone a is done and healthy, and settles until 2026-03-10T12:05:00Z. Waiting: zone b.',
      },
    },
    {
      it: 'a domain that is not healthy yet',
      objects: [machine('a1', { zone: 'a', ...unready }), drifted('b1', 'b')],
      turns: [turn],
      says: {
        status: 'True',
        reason: 'Settling',
        message: 'zone a is done, but not healthy: node a1 is not Ready. Waiting: zone b.',
      },
    },
    {
      it: 'a domain that does not become healthy',
      objects: [machine('a1', { zone: 'a', ...unready }), drifted('b1', 'b')],
      turns: [turn],
      now: '2026-03-10T12:01:00Z',
      says: {
        status: 'False',
        reason: 'SettleStuck',
        message: 'zone a is done, but not healthy: node a1 is not Ready. Waiting: zone b.',
      },
    },
    {
      it: 'nodes that were left behind',
      objects: [drifted('a1', 'a'), drifted('b1', 'b'), drifted('b2', 'b')],
      turns: [{ ...turn, passedOver: ['b', null] }],
      says: {
        status: 'True',
        reason: 'Rolling',
        message:
          'zone a has had the turn since 2026-03-10T12:00:00Z; drifted: 1. Waiting: zone b. Left behind in zone b: b1, b2.',
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

  it('is absent if the domains need no turn', () => {
    const status = only([pool('web', { budgets: [{ nodes: '1', topologyKey: zone }] }), drifted('a1', 'a')], {
      settings: { role: 'observe' },
    });
    expect(status.conditions.map(({ type }) => type)).toEqual(['LullReady', 'LullDisruptionAllowed']);
    expect(condition(status, 'LullDisruptionAllowed')?.message).toMatch(/ Drifted per zone: a 1 of 1\.$/);
  });
});

describe('D8: the status of a window', () => {
  it('reports whether it is open, until when, what it selects and what it holds', () => {
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
      conditions: [{ type: 'Ready', status: 'True', reason: 'InForce', message: 'Valid and in force.' }],
      fields: { open: true, nextChange: '2026-03-10T17:00:00Z', selected: 2, holding: 1 },
    });
  });

  it('counts pods for a PodDisruptionSchedule', () => {
    const objects = [pool(), machine(), pod('p'), podSchedule('nights', { selector: {}, schedule: '0 2 * * *' })];
    expect(statuses(objects)[1]).toMatchObject({
      kind: 'PodDisruptionSchedule',
      name: 'nights',
      fields: { open: false, nextChange: '2026-03-11T02:00:00Z', selected: 1, holding: 1 },
    });
  });

  it('D7: reports what is wrong with it', () => {
    const schedules = [{ cron: '0 0 30 2 *', duration: '8h' }];
    const [, status] = statuses([pool(), maintenanceWindow('never', { schedules })]);
    expect(status?.conditions).toEqual([
      expect.objectContaining({
        status: 'False',
        reason: 'Fault',
        message: expect.stringMatching(
          /^Until this is fixed, everything it may select is held\. spec\.schedules\[0\]\.cron: .* never fire/,
        ),
      }),
    ]);
  });
});
