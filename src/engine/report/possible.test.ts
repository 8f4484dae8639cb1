import { describe, expect, it } from 'vitest';
import {
  at,
  decide,
  longAgo,
  machine,
  maintenanceWindow,
  type Objects,
  pdb,
  pod,
  pool,
  verdictOf,
} from '../../../test/build.ts';

// Tuesday 2026-03-10, 12:00 UTC.
const drifted = machine('n1', { drifted: longAgo });
const schedule = 'karpenter.sh/disruption-schedule';
const duration = 'karpenter.sh/disruption-schedule-duration';
const nightly = pod('p', 'n1', { annotations: { [schedule]: '0 22 * * *', [duration]: '8h' } });
const allowed = (cron: string, hours: string) =>
  maintenanceWindow('hours', { mode: 'Allow', schedules: [{ cron, duration: hours }] });
const possible = (...objects: Objects) => {
  const { possibleAt, waitsFor, neverMeet } = verdictOf(decide([pool(), drifted, objects]), 'n1', 'Drifted');
  return { possibleAt, waitsFor, ...(neverMeet && { neverMeet: neverMeet.map(({ code }) => code) }) };
};

describe('E12: when a held node becomes possible', () => {
  it.each([
    {
      it: 'one rule of time',
      objects: [nightly],
      says: { possibleAt: at('2026-03-10T22:00:00Z'), waitsFor: 'the clock' },
    },
    {
      it: 'two that meet later than each of them opens',
      objects: [nightly, allowed('0 2 * * sat', '12h')],
      says: { possibleAt: at('2026-03-14T02:00:00Z'), waitsFor: 'the clock' },
    },
    {
      it: 'two of which one is open now, and which never meet',
      objects: [nightly, allowed('0 9 * * *', '8h')],
      says: { possibleAt: 'never', waitsFor: 'someone', neverMeet: ['WindowNotOpen', 'PodScheduleClosed'] },
    },
    {
      it: 'a rule of time beside something that time does not lift: not before',
      objects: [nightly, pdb('web', 0)],
      says: { possibleAt: at('2026-03-10T22:00:00Z'), waitsFor: 'the cluster' },
    },
    { it: 'nothing of time', objects: [pod(), pdb('web', 0)], says: { possibleAt: 'now', waitsFor: 'the cluster' } },
    {
      it: 'a freeze without hours or end, which has no clock',
      objects: [maintenanceWindow('freeze')],
      says: { possibleAt: 'now', waitsFor: 'someone' },
    },
    {
      it: 'hours that miss each other every minute of 400 days',
      objects: [
        pod('p', 'n1', { annotations: { [schedule]: '*/2 * * * *', [duration]: '1m' } }),
        allowed('1-59/2 * * * *', '1m'),
      ],
      says: { possibleAt: 'never', waitsFor: 'someone', neverMeet: ['WindowNotOpen', 'PodScheduleClosed'] },
    },
  ])('$it', ({ objects, says }) => {
    expect(possible(...objects)).toEqual(says);
  });

  it('a budget of zero in these hours, with nothing else in use', () => {
    const closed = pool('web', { budgets: [{ nodes: '0', schedule: '0 9 * * *', duration: '8h' }, { nodes: '1' }] });
    const verdict = verdictOf(decide([closed, drifted]), 'n1', 'Drifted');
    expect(verdict).toMatchObject({ possibleAt: at('2026-03-10T17:00:00Z'), waitsFor: 'the clock' });
  });

  it('N4: in guide also what holds a wish that Karpenter would try first', () => {
    const consolidating = maintenanceWindow('c', {
      mode: 'Allow',
      actions: ['Consolidation'],
      schedules: [{ cron: '0 20 * * *', duration: '1h' }],
    });
    const settings = { settings: { role: 'guide' } } as const;
    const round = decide([pool('web', { consolidateAfter: '0s' }), drifted, consolidating], settings);
    expect(verdictOf(round, 'n1', 'Drifted').possibleAt).toBe(at('2026-03-10T20:00:00Z'));
  });
});
