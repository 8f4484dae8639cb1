import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { scheduleStepTooLarge } from './schedule-step-too-large.ts';

const freeze = (schedule: string): string =>
  poolText(`- {nodes: "0", schedule: "${schedule}", duration: 1h}\n- nodes: "10%"`);

describe('B1: schedule-step-too-large', () => {
  it('finds its example', () => {
    expect(found(scheduleStepTooLarge)).toEqual([
      {
        rule: 'schedule-step-too-large',
        severity: 'warning',
        object: 'MaintenanceWindow/breathing-space',
        path: 'spec.schedules[0].cron',
        message: 'The step of "*/90" (minute) is larger than its range of 60: only minute 0 matches.',
        suggestion:
          'Write 0 if that is meant. Otherwise list the times: cron counts the steps of each minute field anew.',
      },
    ]);
  });

  it.each([
    ['*/90 * * * *', 'only minute 0 matches'],
    ['0 */36 * * *', 'only hour 0 matches'],
    ['0 9-17/10 * * *', 'only hour 9 matches'],
    ['0,30/45 * * * *', 'only minute 30 matches'],
    ['0 0 */40 * *', 'only day-of-month 1 matches'],
    ['0 0 1 */13 *', 'only month 1 matches'],
    ['TZ=Europe/Berlin */90 * * * *', 'only minute 0 matches'],
    ['0 0 * * fri-mon/5', 'only day-of-week 5 matches'],
  ])('finds %s', (schedule, message) => {
    expect(found(scheduleStepTooLarge, freeze(schedule))[0]?.message).toContain(message);
  });

  it.each(['*/30 * * * *', '*/60 * * * *', '0 */24 * * *', '0 9-17/8 * * *', '0 22-6/4 * * *', '5 4 * * *', '@daily'])(
    'is silent about %s',
    (schedule) => {
      expect(places(scheduleStepTooLarge, freeze(schedule))).toEqual([]);
    },
  );
});
