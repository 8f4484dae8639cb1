import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide,
  longAgo,
  machine,
  maintenanceWindow,
  type Objects,
  pod,
  podSchedule,
  pool,
  refusalOf,
  startsOf,
} from '../../../test/build.ts';

const settings = { windowMargin: '10m' };
const drifted = machine('n1', { drifted: longAgo });
/** From nine to five. */
const day = { schedule: '0 9 * * *', duration: '8h' };
const allow = maintenanceWindow('w', { mode: 'Allow', schedules: [{ cron: '0 9 * * *', duration: '8h' }] });
const codes = (objects: Objects, when: string): string =>
  codesOf(decide([objects], { at: when, settings }), 'n1', 'Drifted').join(' ') || 'goes';
const [inTime, tooLate, closed] = ['2026-03-10T16:49:59Z', '2026-03-10T16:50:01Z', '2026-03-10T17:00:00Z'];

const owned = { 'karpenter.sh/disruption-schedule': '0 9 * * *', 'karpenter.sh/disruption-schedule-duration': '8h' };
const permits = {
  'an Allow window': {
    objects: [pool(), drifted, allow],
    instead: 'WindowNotOpen',
    owner: { kind: 'MaintenanceWindow', name: 'w' },
  },
  'a Block window that will open': {
    objects: [pool(), drifted, maintenanceWindow('w', { schedules: [{ cron: '0 17 * * *', duration: '1h' }] })],
    instead: 'WindowBlocks',
    owner: { kind: 'MaintenanceWindow', name: 'w' },
  },
  'an Allow window whose life begins': {
    objects: [
      pool(),
      drifted,
      maintenanceWindow('w', { mode: 'Allow', notBefore: closed, schedules: [{ cron: '0 2 * * *', duration: '1h' }] }),
    ],
    instead: 'WindowNotOpen',
    owner: { kind: 'MaintenanceWindow', name: 'w' },
  },
  'a freezing budget that will be active': {
    objects: [
      pool('web', { budgets: [{ nodes: '1' }, { nodes: '0', schedule: '0 17 * * *', duration: '1h' }] }),
      drifted,
    ],
    instead: 'BudgetSpent',
    owner: { kind: 'NodePool', name: 'web', index: 1 },
  },
  "a pod's own schedule": {
    objects: [pool(), drifted, pod('p1', 'n1', { annotations: owned })],
    instead: 'PodScheduleClosed',
    owner: { kind: 'Pod', namespace: 'shop', name: 'p1' },
  },
  'a PodDisruptionSchedule': {
    objects: [pool(), drifted, pod(), podSchedule('office', { selector: {}, ...day })],
    instead: 'PodScheduleClosed',
    owner: { kind: 'PodDisruptionSchedule', name: 'office' },
  },
} as const;
const names = Object.keys(permits) as (keyof typeof permits)[];

describe('B8: nothing new is started within the margin before it closes', () => {
  it.each(names)('%s', (name) => {
    const { objects, instead } = permits[name];
    expect([inTime, tooLate, closed].map((when) => codes(objects, when))).toEqual(['goes', 'ClosesTooSoon', instead]);
  });

  it.each(names)('%s: the round wakes at the margin, and from that instant on it is refused', (name) => {
    const { objects } = permits[name];
    expect(decide([objects], { at: '2026-03-10T16:00:00Z', settings }).wakeAt).toBe(at('2026-03-10T16:50:00Z'));
    expect(codes(objects, '2026-03-10T16:50:00Z')).toBe('ClosesTooSoon');
  });

  it.each(names)('%s: the refusal names whose rule it is', (name) => {
    const { objects, owner } = permits[name];
    expect(refusalOf(decide([objects], { at: tooLate, settings }), 'n1', 'Drifted', 'ClosesTooSoon').owner).toEqual(
      owner,
    );
  });

  it('says when it closes and when it opens again; no clock lifts it', () => {
    const refusal = refusalOf(
      decide([pool(), drifted, allow], { at: tooLate, settings }),
      'n1',
      'Drifted',
      'ClosesTooSoon',
    );
    expect(refusal.message).toContain('closes at 2026-03-10T17:00:00Z, within the margin of 10m');
    expect(refusal.message).toContain('it is permitted again at 2026-03-11T09:00:00Z');
    expect(refusal).not.toHaveProperty('liftsAt');
  });
});

describe('B8: what has no margin', () => {
  it('anything, by default', () => {
    const round = decide([pool(), drifted, allow], { at: '2026-03-10T16:59:59Z' });
    expect(startsOf(round)).toEqual(['n1 Drifted']);
  });

  it('what is forced', () => {
    const node = machine('n1', { claim: { conditions: { Interrupted: longAgo } } });
    expect(startsOf(decide([pool(), node, allow], { at: tooLate, settings }))).toEqual(['n1 Interrupted']);
  });

  it('pods whose schedules are waived', () => {
    const graced = machine('n1', { drifted: longAgo, claim: { spec: { terminationGracePeriod: '1h' } } });
    expect(
      startsOf(decide([pool(), graced, pod('p1', 'n1', { annotations: owned })], { at: tooLate, settings })),
    ).toEqual(['n1 Drifted']);
  });

  it('a window for another action', () => {
    const repair = maintenanceWindow('w', {
      mode: 'Allow',
      actions: ['Repair'],
      schedules: [{ cron: '0 9 * * *', duration: '8h' }],
    });
    expect(codes([pool(), drifted, repair], tooLate)).toBe('goes');
  });

  it('a window that touches the next, until that closes too', () => {
    const first = maintenanceWindow('first', { mode: 'Allow', schedules: [{ cron: '0 9 * * *', duration: '1h' }] });
    const next = maintenanceWindow('next', { mode: 'Allow', schedules: [{ cron: '0 10 * * *', duration: '5m' }] });
    expect(codes([pool(), drifted, first, next], '2026-03-10T09:54:59Z')).toBe('goes');
    expect(codes([pool(), drifted, first, next], '2026-03-10T09:55:01Z')).toBe('ClosesTooSoon');
  });

  it('a window that touches the next', () => {
    const evening = maintenanceWindow('v', { mode: 'Allow', schedules: [{ cron: '0 17 * * *', duration: '4h' }] });
    expect(codes([pool(), drifted, allow, evening], tooLate)).toBe('goes');
  });
});

describe('B7, B8: of several pods', () => {
  it('the round wakes for the margin of one that closes later, where that comes first', () => {
    const until1658 = pod('p1', 'n1', { annotations: { 'karpenter.sh/disruption-block-schedule': '58 15 * * *' } });
    const until1720 = pod('p2', 'n1', {
      annotations: { ...owned, 'karpenter.sh/disruption-schedule-duration': '8h20m' },
    });
    const objects = [pool(), drifted, until1658, until1720];
    const round = decide(objects, { at: '2026-03-10T16:45:00Z', settings: { windowMargin: '30m' } });
    expect(codesOf(round, 'n1', 'Drifted')).toEqual(['PodBlocked']);
    expect(round.wakeAt).toBe(at('2026-03-10T16:50:00Z'));
  });
});
