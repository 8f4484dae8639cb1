import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { scheduleEitherDay } from './schedule-either-day.ts';

const freeze = (schedule: string): string =>
  poolText(`- {nodes: "0", schedule: "${schedule}", duration: 1h}\n- nodes: "10%"`);

describe('B1: schedule-either-day', () => {
  it('finds its example', () => {
    expect(found(scheduleEitherDay)).toMatchObject([
      {
        severity: 'warning',
        object: 'MaintenanceWindow/patch-day',
        path: 'spec.schedules[0].cron',
        message:
          'A day of the month and a day of the week are both given, and either is enough: this fires on the 1st to 7th of the month, and also Monday.',
      },
    ]);
  });

  it.each(['0 0 */2 * mon', '0 0 15 * 5'])('finds %s', (schedule) => {
    expect(places(scheduleEitherDay, freeze(schedule))).toHaveLength(1);
  });

  it.each(['0 0 1-7 * *', '0 0 * * mon', '0 0 ? * mon', '0 0 1 * ?', '0 0 */1 * mon', '@monthly'])(
    'is silent about %s',
    (schedule) => {
      expect(places(scheduleEitherDay, freeze(schedule))).toEqual([]);
    },
  );
});
