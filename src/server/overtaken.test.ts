import { describe, expect, it } from 'vitest';
import { at, ledger, machine, noon, type Objects, type Plain, pod, pool, settings, storeOf } from '../../test/build.ts';
import { decideRound } from '../engine/round.ts';
import { after, asDuration, formatInstant, hour, minute } from '../time/instant.ts';
import { overtaken } from './metricsOfTrouble.ts';

const lifetime = '100h';

/** Machines that reach their hard expiry the given number of minutes after noon. */
const expiring = (...minutes: readonly number[]): Objects =>
  minutes.map((left, index) => {
    const created = formatInstant(after(at(noon), asDuration(left * minute - 100 * hour)));
    return machine(`n${index}`, { created, claim: { created, spec: { expireAfter: lifetime } } });
  });

function late(objects: Objects, role: 'observe' | 'guide' = 'guide', values: Plain = {}): number {
  const cluster = storeOf(...objects);
  const round = decideRound({ cluster, ledger: ledger({}) }, at(noon), settings({ role, ...values }));
  return overtaken(round, cluster, role).get('web') ?? 0;
}

const closedUntil = (instant: string): Plain => ({
  nodes: '0',
  schedule: '0 0 * * *',
  duration: `${(at(instant) - at('2026-03-10T00:00:00Z')) / minute}m`,
});
const optedOut = pod('p', 'n0', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });

describe('N7: nodes that their hard expiry overtakes', () => {
  it.each<{ it: string; objects: Objects; count: number }>([
    { it: 'none, if all may go', objects: [pool(), expiring(60, 60)], count: 0 },
    {
      it: 'none of a queue that is short enough: two at a time, five minutes each',
      objects: [pool('web', { budgets: [{ nodes: '2' }] }), expiring(60, 60, 60, 60)],
      count: 0,
    },
    {
      it: 'those at the end of a queue that is too long: one at a time, the first goes now',
      // The first is no longer held; the other five need 25 minutes, and three of them have the time.
      objects: [pool('web', { budgets: [{ nodes: '1' }] }), expiring(16, 16, 16, 16, 16, 16)],
      count: 2,
    },
    {
      it: 'all, if the pool opens too late',
      objects: [pool('web', { budgets: [closedUntil('2026-03-10T14:00:00Z')] }), expiring(100, 100)],
      count: 2,
    },
    {
      it: 'none, if it opens in time',
      objects: [pool('web', { budgets: [closedUntil('2026-03-10T14:00:00Z')] }), expiring(150, 150)],
      count: 0,
    },
    {
      it: 'all, if the pool never opens',
      objects: [pool('web', { budgets: [{ nodes: '0' }] }), expiring(300, 300)],
      count: 2,
    },
    { it: 'one that a pod holds for ever', objects: [pool(), expiring(300, 300), optedOut], count: 1 },
    {
      it: 'none without a deadline: only the pool says when they should go',
      objects: [
        pool('web', { budgets: [{ nodes: '0' }], annotations: { 'lull.dev/expire-after': '1h' } }),
        machine('n0', { claim: { spec: { expireAfter: 'Never' } } }),
      ],
      count: 0,
    },
  ])('$it', ({ objects, count }) => {
    expect(late(objects)).toBe(count);
  });

  it('none in observe mode', () => {
    expect(late([pool('web', { budgets: [{ nodes: '0' }] }), expiring(300, -5)], 'observe')).toBe(0);
  });
});
