import { describe, expect, it } from 'vitest';
import { all, not } from './combine.ts';
import { parseCron } from './cron.ts';
import { describeCron, schedulesOf } from './describeCron.ts';
import { formatDuration, parseDuration } from './duration.ts';
import type { Duration } from './instant.ts';
import type { Schedule } from './schedule.ts';
import { scheduleWindow } from './scheduleWindow.ts';
import { always, never } from './window.ts';

describe('A cron in words says when it fires', () => {
  it.each([
    ['0 2 * * *', 'every day at 02:00'],
    ['30 2 * * *', 'every day at 02:30'],
    ['@daily', 'every day at 00:00'],
    ['@hourly', 'every hour'],
    ['@weekly', 'Sunday at 00:00'],
    ['@monthly', 'on the 1st of the month at 00:00'],
    ['@yearly', 'on 1 January at 00:00'],
    ['0 9 * * mon-fri', 'Monday to Friday at 09:00'],
    ['0 9 * * 1-5', 'Monday to Friday at 09:00'],
    ['0 9 * * 6,0', 'Saturday and Sunday at 09:00'],
    ['0 9 * * 6-7', 'Saturday and Sunday at 09:00'],
    ['0 9 * * fri-mon', 'Friday to Monday at 09:00'],
    ['0 9 * * 1,3,5', 'Monday, Wednesday and Friday at 09:00'],
    ['0 9 * * */2', 'Tuesday, Thursday, Saturday and Sunday at 09:00'],
    ['0 9,17 * * *', 'every day at 09:00 and 17:00'],
    ['0,30 9 * * *', 'every day at 09:00 and 09:30'],
    ['0 0 1,15 * *', 'on the 1st and 15th of the month at 00:00'],
    ['0 0 1-7 * *', 'on the 1st to 7th of the month at 00:00'],
    ['0 0 22,23 2 *', 'on 22 and 23 February at 00:00'],
    ['0 0 24-26 12 *', 'on 24 to 26 December at 00:00'],
    ['0 0 1 1,7 *', 'on 1 January and 1 July at 00:00'],
    ['0 0 1 */3 *', 'on 1 January, 1 April, 1 July and 1 October at 00:00'],
    ['0 0 1,15 6-8 *', 'on the 1st and 15th of June to August at 00:00'],
    ['0 6 * 12 *', 'every day in December at 06:00'],
    ['0 6 * 12 mon-fri', 'Monday to Friday in December at 06:00'],
    ['*/15 * * * *', 'every 15 minutes'],
    ['5/15 * * * *', 'every 15 minutes from 5 min past the hour'],
    ['* * * * *', 'every minute'],
    ['0 * * * *', 'every hour'],
    ['20 * * * *', 'every hour at 20 min past'],
    ['0 9-18 * * mon-fri', 'Monday to Friday every hour from 09:00 to 18:00'],
    ['0 22-6 * * *', 'every hour from 22:00 to 06:00'],
    ['0 */2 * * *', 'every 2 hours from 00:00 to 22:00'],
    ['0 */5 * * *', 'every 5 hours from 00:00 to 20:00'],
    ['*/15 9-17 * * mon-fri', 'Monday to Friday every 15 minutes from 09:00 to 17:45'],
    ['* 9 * * *', 'every minute from 09:00 to 09:59'],
    ['TZ=Europe/Berlin 0 9 * * *', 'every day at 09:00'],
  ])('%s: %s', (cron, words) => {
    expect(describeCron(cron)).toBe(words);
  });

  describe('R1: days that are counted within the month', () => {
    it.each([
      ['0 22 * * sat#1', 'on the first Saturday of the month at 22:00'],
      ['0 22 * * 6#3,6#1', 'on the first and third Saturday of the month at 22:00'],
      ['0 22 * * sunL,tue#2', 'on the last Sunday and the second Tuesday of the month at 22:00'],
      ['0 22 * 3,6 sunL', 'on the last Sunday of March and June at 22:00'],
      ['0 22 * * mon,sat#1', 'Monday, and also on the first Saturday of the month, at 22:00'],
      ['0 22 L * *', 'on the last day of the month at 22:00'],
      ['0 22 1,15,L * *', 'on the 1st, 15th and last day of the month at 22:00'],
      ['0 22 L 2 *', 'on the last day of February at 22:00'],
      ['0 22 L * fri#1', 'on the last day of the month, and also on the first Friday of the month, at 22:00'],
      ['0 22 * * *,sat#1', 'every day at 22:00'],
    ])('%s: %s', (cron, words) => {
      expect(describeCron(cron)).toBe(words);
    });
  });

  describe('B1: where both day fields are restricted either may match', () => {
    it.each([
      ['0 2 13 * fri', 'on the 13th of the month, and also Friday, at 02:00'],
      ['0 2 13 6 fri', 'on the 13th of the month, and also Friday, both only in June, at 02:00'],
      ['0 2 1-31 * fri', 'every day at 02:00'],
      ['0 2 13 * 0-6', 'every day at 02:00'],
      ['0 2 13 * *', 'on the 13th of the month at 02:00'],
    ])('%s: %s', (cron, words) => {
      expect(describeCron(cron)).toBe(words);
    });
  });

  describe('what is not a shape with words is repeated as it was written', () => {
    it.each([
      ['*/7 * * * *', 'at each hit of “*/7 * * * *”'],
      ['0 0 */2 * *', 'at each hit of “0 0 */2 * *”'],
      ['CRON_TZ=UTC 1,4,9 1-5,8 * * *', 'at each hit of “1,4,9 1-5,8 * * *”'],
      ['soon', 'at each hit of “soon”'],
    ])('%s', (cron, words) => {
      expect(describeCron(cron)).toBe(words);
    });
  });
});

describe('A cron with a duration says when it is open', () => {
  it.each([
    ['0 9 * * mon-fri', '8h', 'Monday to Friday 09:00–17:00'],
    ['0 22 * * *', '8h', 'every day from 22:00 until 06:00 the next day'],
    ['0 22 * * *', '2h', 'every day 22:00–24:00'],
    ['0 0 1 * *', '24h', 'on the 1st of the month all day'],
    ['0 0 1 * *', '48h', 'on the 1st of the month from 00:00 for 2 days'],
    ['0 6 1 * *', '30h', 'on the 1st of the month from 06:00 for 30 h'],
    ['0 6 1 * *', '24h', 'on the 1st of the month from 06:00 for 24 h'],
    ['0 2,14 1 * *', '1h30m', 'on the 1st of the month 02:00–03:30 and 14:00–15:30'],
    ['0 2,14 1 * *', '13h', 'on the 1st of the month at 02:00 and 14:00 for 13 h each'],
    ['*/15 * * * *', '5m', 'every 15 minutes for 5 min each'],
    ['0 9-18 * * mon-fri', '9h', 'Monday to Friday every hour from 09:00 to 18:00 for 9 h each'],
    ['*/7 * * * *', '90s', 'at each hit of “*/7 * * * *” for 1 min 30 s'],
  ])('%s for %s: %s', (cron, length, words) => {
    expect(describeCron(cron, parseDuration(length))).toBe(words);
  });
});

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
