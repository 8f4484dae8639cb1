// The short text of a window's schedules, and the windows that have none.
import { describe, expect, it } from 'vitest';
import { not } from './combine.ts';
import { parseCron } from './cron.ts';
import { describeSchedules } from './describeSchedules.ts';
import { parseDuration } from './duration.ts';
import { asDuration } from './instant.ts';
import { scheduleWindow } from './scheduleWindow.ts';
import { always, never, type Window } from './window.ts';

type Text = readonly [cron: string, duration: string, zone?: string];

function windowOf(...texts: readonly Text[]): Window {
  return scheduleWindow(
    texts.map(([text, duration, zone]) => {
      const parsed = parseCron(text, zone);
      if ('fault' in parsed) throw new Error(parsed.fault);
      return { cron: parsed.cron, duration: parseDuration(duration) ?? asDuration(0) };
    }),
  );
}

describe('The short text of a window', () => {
  const cases: readonly [string, ...Text[]][] = [
    ['Saturdays 22:00–02:00 Europe/Berlin', ['0 22 * * sat', '4h', 'Europe/Berlin']],
    ['Saturdays 22:00–02:00 Asia/Tokyo', ['CRON_TZ=Asia/Tokyo 0 22 * * sat', '4h']],
    ['Monday to Friday 09:00–17:30 UTC', ['0 9 * * mon-fri', '8h30m']],
    ['Saturday and Sunday 08:00–24:00 UTC', ['0 8 * * 0,6', '16h']],
    ['every day 02:00–04:00 UTC', ['0 2 * * *', '2h']],
    ['every day 02:00–03:00 and 14:00–15:00 UTC', ['0 2,14 * * *', '1h']],
    ['Sundays all day UTC', ['0 0 * * 0', '24h']],
    ['Fridays from 22:00 for 48h UTC', ['0 22 * * fri', '48h']],
    ['on the first Saturday of the month 22:00–02:00 Europe/Berlin', ['0 22 * * sat#1', '4h', 'Europe/Berlin']],
    ['on the last day of the month all day UTC', ['0 0 L * *', '24h']],
    ['on 24 December 18:00–22:00 UTC', ['0 18 24 12 *', '4h']],
    ['Mondays 01:00–02:00 and Thursdays 03:00–05:00 UTC', ['0 1 * * mon', '1h'], ['0 3 * * thu', '2h']],
    [
      'Mondays 01:00–02:00 UTC and Thursdays 03:00–05:00 Europe/Berlin',
      ['0 1 * * mon', '1h'],
      ['0 3 * * thu', '2h', 'Europe/Berlin'],
    ],
  ];

  it.each(cases)('is %s', (words, ...texts) => {
    expect(describeSchedules(windowOf(...texts))).toBe(words);
  });

  const without: readonly (readonly Text[])[] = [
    [['*/10 * * * *', '5m']],
    [['0 1 1 * fri', '2h']],
    [['0 2,4 * * *', '3h']],
    [['0 2,14 * * *', '13h']],
    [
      ['0 1 * * mon', '1h'],
      ['0 1 * * tue', '2h'],
      ['0 1 * * wed', '3h'],
    ],
  ];

  it.each(without.map((texts) => [texts]))('is left to the cron text for %j', (texts) => {
    expect(describeSchedules(windowOf(...texts))).toBeUndefined();
  });

  it('is left to the window itself where it is not made of schedules alone', () => {
    expect([always, never, not(windowOf(['0 1 * * mon', '1h']))].map(describeSchedules)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
