// Tests of weeks: the usual week of a window, and weeks with clock changes.
import { describe, expect, it } from 'vitest';
import { any } from '../time/combine.ts';
import { parseCron } from '../time/cron.ts';
import { describeHours } from '../time/describeClock.ts';
import { parseDuration } from '../time/duration.ts';
import { type Duration, formatInstant, type Instant, parseInstant } from '../time/instant.ts';
import { scheduleWindow } from '../time/scheduleWindow.ts';
import type { Window } from '../time/window.ts';
import { findZone, type Zone } from '../time/zone.ts';
import { differences, hoursOf, type Year, yearOf } from './week.ts';

const at = (text: string): Instant => parseInstant(text) as Instant;
const zoneOf = (name: string): Zone => findZone(name) as Zone;

function open(cron: string, duration: string, zone = 'UTC'): Window {
  const parsed = parseCron(cron, zone);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return scheduleWindow([{ cron: parsed.cron, duration: parseDuration(duration) as Duration }]);
}

const yearIn = (window: Window, zones: readonly string[], now = '2026-02-11T10:00:00Z'): Year<boolean> => {
  const [zone = zoneOf('UTC'), ...others] = zones.map(zoneOf);
  const changing = { zone, stateAt: (when: Instant) => window.isOpen(when), nextEdge: window.nextChange };
  return yearOf(changing, [zone, ...others], at(now));
};

const usually = ({ usual }: Year<boolean>): string => describeHours(hoursOf(usual, true)).text;
const oddly = ({ odd }: Year<boolean>): string[] =>
  odd.map(({ from, to, state }) => `${formatInstant(from)} ${formatInstant(to)} ${state ? 'open' : 'closed'}`);

describe('The week of a window', () => {
  it.each([
    { cron: '0 9 * * mon-fri', duration: '8h', week: 'Monday to Friday 09:00–17:00' },
    { cron: '0 17 * * mon-fri', duration: '16h', week: 'Monday to Friday from 17:00 until 09:00 the next day' },
    { cron: '0 9-18 * * mon-fri', duration: '9h', week: 'Monday to Friday from 09:00 until 03:00 the next day' },
    { cron: '0 0 * * sat-sun', duration: '48h', week: 'Saturday to Monday all day' },
    { cron: '0 12 * * sun', duration: '24h', week: 'Sunday 12:00 until Monday 12:00' },
    { cron: '* * * * *', duration: '1m', week: 'at all times' },
    { cron: '0 0 * * *', duration: '24h', week: 'at all times' },
  ])('$cron for $duration: $week', ({ cron, duration, week }) => {
    expect(usually(yearIn(open(cron, duration), ['UTC']))).toBe(week);
  });

  it('is the same from any day of the week', () => {
    for (const now of ['2026-02-09T00:00:00Z', '2026-02-13T23:59:59Z', '2026-02-15T12:00:00Z'])
      expect(usually(yearIn(open('0 9 * * mon-fri', '8h'), ['UTC'], now))).toBe('Monday to Friday 09:00–17:00');
  });

  it('is in the given time zone', () => {
    expect(usually(yearIn(open('0 0 * * mon-fri', '9h'), ['Asia/Seoul']))).toBe('Monday to Friday 09:00–18:00');
    expect(usually(yearIn(open('0 22 * * sun', '4h'), ['Asia/Tokyo']))).toBe('Monday 07:00–11:00');
  });
});

describe('Weeks with a clock change', () => {
  // Berlin: forward on 29 March 2026 at 02:00, back on 25 October 2026 at 03:00.
  it('are like others if nothing is open then', () => {
    const year = yearIn(open('0 9 * * mon-fri', '8h', 'Europe/Berlin'), ['Europe/Berlin']);
    expect(year).toMatchObject({ seasons: [], odd: [] });
  });

  it('shift the end of an opening, because a duration is elapsed time', () => {
    expect(oddly(yearIn(open('0 22 * * *', '8h', 'Europe/Berlin'), ['Europe/Berlin']))).toEqual([
      '2026-03-29T04:00:00Z 2026-03-29T05:00:00Z open',
      '2026-10-25T04:00:00Z 2026-10-25T05:00:00Z closed',
    ]);
  });

  it('show the hour that two schedules leave between them in autumn', () => {
    const windows = [open('0 9 * * *', '8h', 'Europe/Berlin'), open('0 17 * * *', '16h', 'Europe/Berlin')];
    const year = yearIn(any(windows), ['Europe/Berlin']);
    expect(usually(year)).toBe('at all times');
    expect(oddly(year)).toEqual(['2026-10-25T07:00:00Z 2026-10-25T08:00:00Z closed']);
  });

  it('show an opening that the clock skips, and one that it does not repeat', () => {
    expect(oddly(yearIn(open('30 2 * * *', '20m', 'Europe/Berlin'), ['Europe/Berlin']))).toEqual([
      '2026-03-29T01:00:00Z 2026-03-29T01:20:00Z open',
      '2026-10-25T01:30:00Z 2026-10-25T01:50:00Z closed',
    ]);
  });

  it('leave whole days alone', () => {
    expect(oddly(yearIn(open('0 0 * * sun', '24h', 'Europe/Berlin'), ['Europe/Berlin']))).toEqual([]);
  });

  it('are searched from now on', () => {
    const year = yearIn(open('0 22 * * *', '8h', 'Europe/Berlin'), ['Europe/Berlin'], '2026-06-01T00:00:00Z');
    expect(oddly(year)).toEqual([
      '2026-10-25T04:00:00Z 2026-10-25T05:00:00Z closed',
      '2027-03-28T04:00:00Z 2027-03-28T05:00:00Z open',
    ]);
  });
});

describe('A schedule in another time zone than its description', () => {
  const said = ({ usual, seasons }: Year<boolean>): string[] =>
    seasons.map(({ from, to, week }) => {
      const hours = differences(week, usual).map(
        (it) => `${it.state ? 'open' : 'closed'} ${describeHours(hoursOf([it], it.state)).text}`,
      );
      return `${formatInstant(from)} ${formatInstant(to)} ${hours.slice(0, 2).join(', ')}`;
    });

  it('has other hours in summer', () => {
    const year = yearIn(open('0 9 * * mon', '8h'), ['Europe/Berlin', 'UTC']);
    expect(usually(year)).toBe('Monday 10:00–18:00');
    expect(said(year)).toEqual([
      '2026-03-29T01:00:00Z 2026-10-25T01:00:00Z closed Monday 10:00–11:00, open Monday 18:00–19:00',
    ]);
    expect(year.odd).toEqual([]);
  });

  it('has other hours in the weeks between the changes of two continents', () => {
    const year = yearIn(open('0 9 * * mon', '1h', 'America/New_York'), ['Europe/Berlin', 'America/New_York']);
    expect(usually(year)).toBe('Monday 15:00–16:00');
    expect(said(year)).toEqual([
      '2026-03-08T07:00:00Z 2026-03-29T01:00:00Z open Monday 14:00–15:00, closed Monday 15:00–16:00',
      '2026-10-25T01:00:00Z 2026-11-01T06:00:00Z open Monday 14:00–15:00, closed Monday 15:00–16:00',
    ]);
    expect(year.odd).toEqual([]);
  });
});
