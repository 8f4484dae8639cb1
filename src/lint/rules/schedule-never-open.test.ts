import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { scheduleNeverOpen } from './schedule-never-open.ts';

const changed = (from: string, to: string): string => scheduleNeverOpen.example.replace(from, to);

describe('D4: schedule-never-open', () => {
  it('finds its example', () => {
    expect(found(scheduleNeverOpen)).toMatchObject([
      {
        severity: 'warning',
        object: 'MaintenanceWindow/upgrade-week',
        path: 'spec.schedules',
        message:
          'Its schedules (0 2 * * sat for 4h) do not open once from 2026-11-23T00:00:00Z until 2026-11-28T00:00:00Z: it never allows anything, and its nodes stay until its time is over.',
      },
    ]);
  });

  it('says what a window that blocks fails to do', () => {
    expect(found(scheduleNeverOpen, changed('Allow', 'Block'))[0]?.message).toMatch(/it never blocks anything\.$/);
  });

  it.each([
    { name: 'a schedule that opens once', text: changed('2026-11-28', '2026-11-29') },
    {
      name: 'one that is open as its time begins',
      text: changed('0 2 * * sat, duration: 4h', '0 20 * * sun, duration: 8h'),
    },
    {
      name: 'a window that is over, which window-over tells',
      text: changed('2026-11-28', '2025-11-28').replace('2026-11-23', '2025-11-24'),
    },
    { name: 'dates alone', text: changed('schedules: [{cron: 0 2 * * sat, duration: 4h}]', 'note: x') },
  ])('is silent about $name', ({ text }) => {
    expect(places(scheduleNeverOpen, text)).toEqual([]);
  });
});
