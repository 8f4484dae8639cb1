// Every n weeks and excepted dates, against a walk minute by minute (R2).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateText, dayLength, openMinutes, type Plain } from '../../test/time/calendarOracle.ts';
import { cronText, daysAround, type Sets } from '../../test/time/oracle.ts';
import {
  type Calendar,
  describeCalendar,
  formatCalendar,
  parseDate,
  parseDates,
  parseWeeks,
  readCalendar,
} from './calendar.ts';
import { type Cron, onDates, parseCron } from './cron.ts';
import { schedulesOf } from './describeCron.ts';
import { describeSchedules } from './describeSchedules.ts';
import { asDuration, asInstant, formatInstant, hour, type Instant, minute, parseInstant } from './instant.ts';
import { firstMeeting, neverMeeting } from './meet.ts';
import { blockOf, instantOf } from './minutes.ts';
import { minutesOf } from './remembered.ts';
import { scheduleWindow } from './scheduleWindow.ts';
import { staysForEver, type Window } from './window.ts';

const at = (text: string): Instant => parseInstant(text) as Instant;

function cronOf(text: string, zone = ''): Cron {
  const parsed = parseCron(text, zone);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return parsed.cron;
}

const everyWeeks = (weeks: number, anchor: string): Calendar['every'] & object => ({
  weeks,
  anchor: parseDate(anchor) as number,
  text: anchor,
});

const calendarOf = (more: Partial<Calendar> & { dates?: readonly string[] } = {}): Calendar => {
  const { dates = [], ...rest } = more;
  return { cuts: false, except: dates.map(parseDates).filter((range) => range !== undefined), ...rest };
};

const hitsOf = (cron: Cron, from: string, count: number): string[] => {
  const found: string[] = [];
  for (let hit = cron.next(at(from)); hit !== undefined && found.length < count; hit = cron.next(hit))
    found.push(formatInstant(hit).slice(0, 16));
  return found;
};

describe('R2: every n weeks', () => {
  it('counts from the Monday of the anchor’s week, in both directions', () => {
    const saturdays = onDates(cronOf('0 22 * * sat'), calendarOf({ every: everyWeeks(2, '2026-11-04') }));
    expect(hitsOf(saturdays, '2026-10-20T00:00:00Z', 4)).toEqual([
      '2026-10-24T22:00',
      '2026-11-07T22:00',
      '2026-11-21T22:00',
      '2026-12-05T22:00',
    ]);
    expect(formatInstant(saturdays.previous(at('2026-11-21T21:59:00Z')) as Instant)).toBe('2026-11-07T22:00:00Z');
  });

  it('takes Sunday as the last day of a week, by the date in the zone', () => {
    // Sunday 8 November 23:30 in New York is Monday in UTC.
    const cron = onDates(
      cronOf('30 23 * * sun', 'America/New_York'),
      calendarOf({ every: everyWeeks(2, '2026-11-02') }),
    );
    expect(hitsOf(cron, '2026-11-01T12:00:00Z', 2)).toEqual(['2026-11-09T04:30', '2026-11-23T04:30']);
  });

  it('never fires where week and date do not meet within thirty years', () => {
    const cron = (anchor: string) => onDates(cronOf('0 0 24 12 *'), calendarOf({ every: everyWeeks(52, anchor) }));
    expect(cron('2026-12-24').fires).toBe(true);
    expect(cron('2026-06-01').fires).toBe(false);
    expect(cron('2026-06-01').next(at('2026-01-01T00:00:00Z'))).toBeUndefined();
    expect(cron('2026-06-01').previous(at('2026-01-01T00:00:00Z'))).toBeUndefined();
  });
});

describe('R2: excepted dates', () => {
  const nights = (calendar: Calendar) =>
    scheduleWindow([
      { cron: onDates(cronOf('0 22 * * *', 'Europe/Berlin'), calendar), duration: asDuration(4 * hour) },
    ]);

  it('belong to the date on which an opening begins; in a Block window the one before goes on', () => {
    const window = nights(calendarOf({ dates: ['2026-12-24'] }));
    expect(window.isOpen(at('2026-12-23T23:30:00Z'))).toBe(true);
    expect(window.isOpen(at('2026-12-24T22:00:00Z'))).toBe(false);
    // The rest of what would have begun on that date is skipped as well.
    expect(window.isOpen(at('2026-12-24T23:30:00Z'))).toBe(false);
    expect(formatInstant(window.nextChange(at('2026-12-24T12:00:00Z')) as Instant)).toBe('2026-12-25T21:00:00Z');
  });

  it('close an Allow window for the whole date', () => {
    const window = nights(calendarOf({ dates: ['2026-12-24..2026-12-25'], cuts: true }));
    expect(formatInstant(window.nextChange(at('2026-12-23T22:00:00Z')) as Instant)).toBe('2026-12-23T23:00:00Z');
    expect(window.isOpen(at('2026-12-24T00:30:00Z'))).toBe(false);
    expect(formatInstant(window.nextChange(at('2026-12-24T12:00:00Z')) as Instant)).toBe('2026-12-26T21:00:00Z');
  });

  it('B7: without an opening in reach nothing is certain', () => {
    const window = nights(calendarOf({ dates: ['2026-01-01..2126-01-01'] }));
    const now = at('2026-06-01T00:00:00Z');
    expect([window.isOpen(now), window.nextChange(now), staysForEver(window, now)]).toEqual([false, undefined, false]);
  });
});

describe('E12, R1, R2: when windows permit together', () => {
  const now = at('2026-11-16T12:00:00Z');
  const windowOf = (cron: Cron, hours: number): Window =>
    scheduleWindow([{ cron, duration: asDuration(hours * hour) }]);
  const everyOther = (anchor: string): Window =>
    windowOf(onDates(cronOf('0 22 * * sat'), calendarOf({ every: everyWeeks(2, anchor) })), 4);

  it('is never in weeks that alternate, which is proven', () => {
    const permits = [everyOther('2026-11-02'), everyOther('2026-11-09')].map((window) => ({ window }));
    expect(firstMeeting(permits, now)).toBe('never');
    expect(neverMeeting(permits, now)).toHaveLength(2);
  });

  it('is the first Saturday of a month that is in one of the weeks', () => {
    const permits = [everyOther('2026-11-02'), windowOf(cronOf('0 0 * * sat#1'), 24)].map((window) => ({ window }));
    expect(formatInstant(firstMeeting(permits, now) as Instant)).toBe('2026-12-05T22:00:00Z');
  });

  it('is the last day of a month that is its fifth Sunday', () => {
    const permits = [cronOf('0 0 L * *'), cronOf('0 0 * * sun#5')].map((cron) => ({ window: windowOf(cron, 24) }));
    expect(formatInstant(firstMeeting(permits, now) as Instant)).toBe('2027-01-31T00:00:00Z');
  });
});

describe('R2: the text and the words of a calendar', () => {
  it.each([
    [calendarOf({ every: everyWeeks(2, '2026-11-02') }), 'every 2w from 2026-11-02'],
    [calendarOf({ dates: ['2026-12-24'] }), 'except 2026-12-24'],
    [
      calendarOf({ every: everyWeeks(3, '2026-11-02'), dates: ['2026-12-24', '2026-12-25..2026-12-26'], cuts: true }),
      'every 3w from 2026-11-02 not on 2026-12-24,2026-12-25..2026-12-26',
    ],
  ])('are read back', (calendar, text) => {
    expect(formatCalendar(calendar)).toBe(text);
    const again = readCalendar(text) as Calendar;
    expect(formatCalendar(again)).toBe(text);
    const window = scheduleWindow([
      { cron: onDates(cronOf('0 22 * * sat', 'Europe/Berlin'), calendar), duration: asDuration(4 * hour) },
      { cron: cronOf('0 2 * * *'), duration: asDuration(hour) },
    ]);
    expect(window.text).toBe(`0 22 * * sat for 4h (Europe/Berlin) ${text} or 0 2 * * * for 1h`);
    expect(schedulesOf(window)?.map(({ cron }) => cron.calendar && formatCalendar(cron.calendar))).toEqual([
      text,
      undefined,
    ]);
  });

  it('say both', () => {
    const calendar = calendarOf({
      every: everyWeeks(2, '2026-11-02'),
      dates: ['2026-12-24', '2026-12-26..2026-12-27'],
    });
    expect(describeCalendar(calendar)).toBe(
      'every 2 weeks (such as the week of 2 November 2026), except on 24 December 2026 and 26 December 2026 to 27 December 2026',
    );
    const window = scheduleWindow([
      { cron: onDates(cronOf('0 22 * * sat'), calendarOf({ dates: ['2026-12-26'] })), duration: asDuration(4 * hour) },
    ]);
    expect(describeSchedules(window)).toBe('Saturdays 22:00–02:00 UTC, except on 26 December 2026');
  });

  it.each(['2026-02-30', '2026-13-01', '26-01-01', '2026-1-1', ''])('%s is not a date', (text) => {
    expect(parseDate(text)).toBeUndefined();
    expect(parseDates(text)).toBeUndefined();
  });

  it.each(['2026-12-26..2026-12-25', '2026-12-24..', '2026-12-24...2026-12-26', '2026-12-24 .. 2026-12-26'])(
    '%s are not dates',
    (text) => {
      expect(parseDates(text)).toBeUndefined();
    },
  );

  it.each(['0w', '53w', '14d', '2', 'w', '02w', '1.5w'])('%s is not a number of weeks', (text) => {
    expect(parseWeeks(text)).toBeUndefined();
  });
});

const plains: fc.Arbitrary<Plain> = fc.record({
  weeks: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  anchor: fc.constantFrom('2026-03-02', '2026-03-29', '2026-04-07', '2025-06-15'),
  excepted: fc
    .array(fc.integer({ min: 0, max: 12 }), { maxLength: 3 })
    .map((days) => days.map((days) => dateText(at('2026-03-23T00:00:00Z') / minute + days * dayLength))),
  cuts: fc.boolean(),
});

const sets: fc.Arbitrary<Sets> = fc.record({
  minutes: fc.constantFrom([0], [30], [0, 45]),
  hours: fc.constantFrom([22], [0], [2], [1, 2, 3], undefined),
  dates: fc.constant(undefined),
  months: fc.constant(undefined),
  weekdays: fc.constantFrom<(readonly number[] | undefined)[]>(undefined, [6], [0, 1], [1, 2, 3, 4, 5]),
});

describe.each(['UTC', 'Europe/Berlin', 'Asia/Beirut', 'America/New_York'])(
  'R2: any schedule on dates in %s',
  (zone) => {
    const days = daysAround(zone, at('2026-03-29T00:00:00Z'), 7);

    it('is open in the minutes of a walk, asked one by one and at once', () => {
      fc.assert(
        fc.property(sets, plains, fc.constantFrom(45, 240, 600, 1500), (cron, plain, length) => {
          const calendar: Calendar = {
            ...(plain.weeks !== undefined && { every: everyWeeks(plain.weeks, plain.anchor) }),
            except: plain.excepted.map((text) => parseDates(text)).filter((range) => range !== undefined),
            cuts: plain.cuts,
          };
          const dated = onDates(cronOf(cronText(cron), zone), calendar);
          if (!dated.fires) return;
          const window = scheduleWindow([{ cron: dated, duration: asDuration(length * minute) }]);
          const want = openMinutes(days, cron, plain, length);
          // Openings that began before the walk are not known to it.
          const first = length + 60;
          const got = days.instants.map((instant) => window.isOpen(instant));
          expect(got.slice(first)).toEqual(want.slice(first));
          const sets = new Map(days.instants.map((instant) => [blockOf(instant), minutesOf(window, blockOf(instant))]));
          const atOnce = days.instants.map((instant) => {
            const bit = (instant - instantOf(blockOf(instant), 0)) / minute;
            return ((sets.get(blockOf(instant))?.whole[bit >> 5] ?? 0) & (1 << (bit & 31))) !== 0;
          });
          expect(atOnce.slice(first)).toEqual(want.slice(first));
          for (let index = first; index < want.length; index += 977) {
            const from = days.instants[index] as Instant;
            const change = want.findIndex((open, later) => later > index && open !== want[index]);
            if (change >= 0) expect(window.nextChange(from)).toBe(days.instants[change]);
            const next = dated.next(from);
            if (next !== undefined) expect(dated.previous(asInstant(next))).toBe(next);
          }
        }),
        { seed: 19, numRuns: 15 },
      );
    });
  },
);
