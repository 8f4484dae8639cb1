import { describe, expect, it } from 'vitest';
import {
  at,
  decide,
  ledger,
  longAgo,
  machine,
  maintenanceWindow,
  noon,
  type Plain,
  pod,
  podSchedule,
  pool,
  zone,
} from '../../../test/build.ts';

const drifted = machine('n1', { drifted: longAgo });
const day = { schedule: '0 9 * * *', duration: '8h' };

describe('B7: a round wakes', () => {
  it.each<{ it: string; objects: Parameters<typeof decide>[0]; known?: Plain; wakes: string | undefined }>([
    { it: 'never, where time changes nothing', objects: [pool(), drifted], wakes: undefined },
    {
      it: 'when a budget opens or closes',
      objects: [pool('web', { budgets: [{ nodes: '1', ...day }] })],
      wakes: '2026-03-10T17:00:00Z',
    },
    {
      it: 'when a window does',
      objects: [pool(), maintenanceWindow('w', { schedules: [{ cron: '0 2 * * *', duration: '1h' }] })],
      wakes: '2026-03-11T02:00:00Z',
    },
    {
      it: 'when the life of a window begins',
      objects: [pool(), maintenanceWindow('w', { notBefore: '2026-03-20T00:00:00Z' })],
      wakes: '2026-03-20T00:00:00Z',
    },
    {
      it: 'when the life of a window ends',
      objects: [pool(), maintenanceWindow('w', { notAfter: '2026-03-20T00:00:00Z' })],
      wakes: '2026-03-20T00:00:00Z',
    },
    {
      it: "when a pod's schedule opens",
      objects: [pool(), drifted, pod('p', 'n1', { annotations: { 'karpenter.sh/disruption-schedule': '0 2 * * *' } })],
      wakes: '2026-03-11T02:00:00Z',
    },
    {
      it: "when a pod's protection ends",
      objects: [
        pool(),
        drifted,
        pod('p', 'n1', { started: noon, annotations: { 'karpenter.sh/do-not-disrupt': '5m' } }),
      ],
      wakes: '2026-03-10T12:05:00Z',
    },
    {
      it: 'when a PodDisruptionSchedule opens',
      objects: [pool(), podSchedule('s', { selector: {}, schedule: '0 2 * * *' })],
      wakes: '2026-03-11T02:00:00Z',
    },
    {
      it: "when a node's protection ends",
      objects: [
        pool(),
        machine('n1', { drifted: longAgo, created: noon, annotations: { 'karpenter.sh/do-not-disrupt': '10m' } }),
      ],
      wakes: '2026-03-10T12:10:00Z',
    },
    {
      it: 'when a node is stable',
      objects: [
        pool('web', { consolidateAfter: '10m' }),
        machine('n1', { claim: { lastPodEvent: '2026-03-10T11:58:00Z' } }),
      ],
      wakes: '2026-03-10T12:08:00Z',
    },
    {
      it: 'when a node expires',
      objects: [pool(), machine('n1', { created: noon, claim: { spec: { expireAfter: '10h' } } }), pod()],
      wakes: '2026-03-10T21:00:00Z',
    },
    {
      it: 'when a node is to be repaired',
      objects: [pool(), machine('n1', { ready: 'False', readySince: noon }), pod()],
      wakes: '2026-03-10T12:30:00Z',
    },
    {
      it: 'when a back-off ends',
      objects: [pool()],
      known: { backoffs: [{ pool: 'web', until: '2026-03-10T12:03:00Z', delay: '4m' }] },
      wakes: '2026-03-10T12:03:00Z',
    },
    {
      it: 'when patience ends',
      objects: [
        pool('web', { budgets: [{ nodes: '1', topologyKey: zone, sequential: true }] }),
        machine('n1', { zone: 'a', drifted: longAgo, annotations: { 'lull.dev/hold': '' } }),
      ],
      known: {
        turns: [{ pool: 'web', topologyKey: zone, domain: 'a', takenAt: noon, progressAt: '2026-03-10T11:30:00Z' }],
      },
      wakes: '2026-03-10T12:30:00Z',
    },
    {
      it: 'at the first of all',
      objects: [
        pool('web', { budgets: [{ nodes: '1', ...day }] }),
        machine('n1', { ready: 'False', readySince: noon }),
        pod(),
      ],
      wakes: '2026-03-10T12:30:00Z',
    },
  ])('$it', ({ objects, known, wakes }) => {
    expect(decide(objects, known ? { ledger: ledger(known) } : {}).wakeAt).toBe(wakes && at(wakes));
  });

  it("N4: in guide when a budget opens as Karpenter reads it, where Lull's own say nothing of it", () => {
    const own = { 'lull.dev/budgets': '[{"nodes":"1"}]' };
    const objects = [pool('web', { budgets: [{ nodes: '1', ...day }], annotations: own })];
    expect(decide(objects).wakeAt).toBeUndefined();
    expect(decide(objects, { settings: { role: 'guide' } }).wakeAt).toBe(at('2026-03-10T17:00:00Z'));
  });

  it('never in the past', () => {
    expect(
      decide([
        pool(),
        maintenanceWindow('w', { notAfter: '2026-03-01T00:00:00Z' }),
        machine('n1', { created: longAgo, annotations: { 'karpenter.sh/do-not-disrupt': '1h' } }),
      ]),
    ).not.toHaveProperty('wakeAt');
  });

  it('L2: at a whole second, rounded up', () => {
    const half = machine('n1', { ready: 'False', readySince: '2026-03-10T12:00:00.500Z' });
    expect(decide([pool(), half, pod()]).wakeAt).toBe(at('2026-03-10T12:30:01Z'));
  });
});
