import { describe, expect, it } from 'vitest';
import { at, machine, maintenanceWindow, type Objects, pool, settings, storeOf } from '../../../test/build.ts';
import type { Pool } from '../../cluster/model.ts';
import { asDuration, hour, minute } from '../../time/instant.ts';
import { expireLead } from './expired.ts';

const born = at('2026-02-08T12:00:00Z');

/** The lead in hours. */
function leadOf(objects: Objects, lifetime: number, expireLeadSetting = 'auto'): number {
  const cluster = storeOf(...objects);
  const rolling = {
    group: cluster.nodesOf('web'),
    settings: settings({ role: 'guide', expireLead: expireLeadSetting }),
  };
  return expireLead(cluster.pools.get('web') as Pool, asDuration(lifetime * hour), born, rolling) / hour;
}

const nodes = (count: number): Objects => Array.from({ length: count }, (_, index) => machine(`n${index}`));
/** Mondays to Fridays from six to six nothing goes; at weekends all day. */
const businessHours = { nodes: '0', schedule: '0 6 * * mon-fri', duration: '12h' };

describe('N7: the automatic lead', () => {
  it.each([
    { it: 'is at least a tenth of the lifetime', objects: [pool(), nodes(1)], lifetime: 720, lead: 72 },
    { it: 'is at least a tenth of a short one too', objects: [pool(), nodes(1)], lifetime: 10, lead: 1 },
    {
      it: 'is pool size ÷ limit × replacement time',
      objects: [pool('web', { budgets: [{ nodes: '2' }] }), nodes(50)],
      lifetime: 10,
      lead: (25 * 5 * minute) / hour,
    },
    {
      it: 'P1: is pool size ÷ rate × per, where that is longer',
      objects: [pool('web', { budgets: [{ nodes: '2' }, { nodes: '4', per: '24h' }] }), nodes(9)],
      lifetime: 400,
      lead: 3 * 24,
    },
    {
      it: 'counts a last round that is not full',
      objects: [pool('web', { budgets: [{ nodes: '2' }] }), nodes(5)],
      lifetime: 1,
      lead: (3 * 5 * minute) / hour,
    },
    {
      it: 'sees a closed stretch that comes only after the lifetime',
      objects: [
        pool(),
        nodes(1),
        maintenanceWindow('monthly', { schedules: [{ cron: '0 0 20 * *', duration: '100h' }] }),
      ],
      lifetime: 240,
      lead: 100 + 5 / 60,
    },
    {
      it: 'adds the longest closed stretch of the budgets',
      objects: [pool('web', { budgets: [{ nodes: '1' }, businessHours] }), nodes(12)],
      lifetime: 100,
      lead: 12 + (12 * 5) / 60,
    },
    {
      it: 'adds the longest closed stretch of the windows',
      objects: [
        pool(),
        nodes(1),
        maintenanceWindow('week', { schedules: [{ cron: '0 0 * * mon', duration: '120h' }] }),
      ],
      lifetime: 720,
      lead: 120 + 5 / 60,
    },
    {
      it: 'looks at the longest stretch of an Allow window',
      objects: [
        pool(),
        nodes(1),
        maintenanceWindow('nights', { mode: 'Allow', schedules: [{ cron: '0 2 * * *', duration: '4h' }] }),
      ],
      lifetime: 100,
      lead: 20 + 5 / 60,
    },
    {
      it: 'counts windows for Expiration alone',
      objects: [
        pool(),
        nodes(1),
        maintenanceWindow('week', { actions: ['Drift'], schedules: [{ cron: '0 0 * * mon', duration: '120h' }] }),
      ],
      lifetime: 720,
      lead: 72,
    },
    {
      it: 'is at most half of the lifetime',
      objects: [
        pool(),
        nodes(1),
        maintenanceWindow('week', { schedules: [{ cron: '0 0 * * mon', duration: '120h' }] }),
      ],
      lifetime: 100,
      lead: 50,
    },
    {
      it: 'is half of it where the pool is never open',
      objects: [pool('web', { budgets: [{ nodes: '0' }] }), nodes(1)],
      lifetime: 720,
      lead: 360,
    },
  ])('$it', ({ objects, lifetime, lead }) => {
    expect(leadOf(objects, lifetime)).toBeCloseTo(lead, 6);
  });

  it('gives way to one that is given', () => {
    expect(leadOf([pool(), nodes(1)], 720, '24h')).toBe(24);
  });
});
