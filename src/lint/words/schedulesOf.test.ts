import { describe, expect, it } from 'vitest';
import { all, not } from '../../time/combine.ts';
import { parseCron } from '../../time/cron.ts';
import { formatDuration, parseDuration } from '../../time/duration.ts';
import type { Duration } from '../../time/instant.ts';
import type { Schedule } from '../../time/schedule.ts';
import { scheduleWindow } from '../../time/scheduleWindow.ts';
import { always, never } from '../../time/window.ts';
import { schedulesOf } from './schedulesOf.ts';

function schedule(text: string, duration: string, zone = ''): Schedule {
  const parsed = parseCron(text, zone);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return { cron: parsed.cron, duration: parseDuration(duration) as Duration };
}

const told = (schedules: readonly Schedule[] | undefined): string[] | undefined =>
  schedules?.map(({ cron, duration }) => `${cron.text} | ${formatDuration(duration)} | ${cron.zone.name}`);

describe('The schedules of a window', () => {
  it.each([
    ['0 9 * * mon-fri', '8h', '', 'UTC'],
    ['0 9 * * mon-fri', '8h', 'Europe/Berlin', 'Europe/Berlin'],
    ['TZ=Asia/Tokyo 0 9 * * *', '1h30m', '', 'Asia/Tokyo'],
    ['CRON_TZ=Asia/Tokyo 0 9 * * *', '90s', 'Europe/Berlin', 'Asia/Tokyo'],
    ['@daily', '24h', 'Etc/GMT+5', 'Etc/GMT+5'],
    ['0\t9  *\n* 1', '1h', '', 'UTC'],
  ])('%s for %s in %s are read back', (cron, duration, zone, name) => {
    const window = scheduleWindow([schedule(cron, duration, zone)]);
    expect(told(schedulesOf(window))).toEqual([
      `${cron} | ${formatDuration(parseDuration(duration) as Duration)} | ${name}`,
    ]);
  });

  it('are all of them', () => {
    const schedules = [
      schedule('0 9 * * *', '1h'),
      schedule('0 12 * * *', '2h', 'Europe/Berlin'),
      schedule('@hourly', '1m'),
    ];
    expect(told(schedulesOf(scheduleWindow(schedules)))).toEqual(told(schedules));
  });

  it('are none for what is always or never open', () => {
    expect([schedulesOf(always), schedulesOf(never)]).toEqual([[], []]);
  });

  it('are not known of what is made of other windows', () => {
    const window = scheduleWindow([schedule('0 9 * * *', '1h')]);
    const other = scheduleWindow([schedule('0 9 * * *', '2h')]);
    expect([schedulesOf(not(window)), schedulesOf(all([window, other]))]).toEqual([undefined, undefined]);
  });
});
