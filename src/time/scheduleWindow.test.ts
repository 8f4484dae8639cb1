import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cronText, type Days, daysAround, type Sets, slowHits } from '../../test/time/oracle.ts';
import { parseCron } from './cron.ts';
import { parseDuration } from './duration.ts';
import { asInstant, type Duration, formatInstant, type Instant, minute, parseInstant } from './instant.ts';
import type { Schedule } from './schedule.ts';
import { scheduleWindow } from './scheduleWindow.ts';
import { never } from './window.ts';

const at = (text: string): Instant => parseInstant(text) as Instant;

function schedule(cron: string, duration: string, zone?: string): Schedule {
  const parsed = parseCron(cron, zone);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return { cron: parsed.cron, duration: parseDuration(duration) as Duration };
}

/** [since, until] of the stretch, open or closed, that holds the instant. */
function periodAt(schedules: readonly Schedule[], instant: string) {
  const window = scheduleWindow(schedules);
  const [since, until] = [window.lastChange(at(instant)), window.nextChange(at(instant))];
  return [window.isOpen(at(instant)), since && formatInstant(since), until && formatInstant(until)];
}

/** Schedules that count how often their hits are looked for. */
function counting(schedules: readonly Schedule[]): { counted: Schedule[]; asked: () => number } {
  let questions = 0;
  const count = (find: (at: Instant) => Instant | undefined) => (instant: Instant) => {
    questions++;
    return find(instant);
  };
  const counted = schedules.map(({ cron, duration }) => ({
    cron: { ...cron, next: count(cron.next), previous: count(cron.previous) },
    duration,
  }));
  return { counted, asked: () => questions };
}

const newYork = 'America/New_York';

describe('B4: openings that overlap or touch are one', () => {
  it.each([
    {
      name: 'a single one',
      schedules: [schedule('0 9 * * mon-fri', '8h')],
      at: '2024-01-08T12:00:00Z',
      want: [true, '2024-01-08T09:00:00Z', '2024-01-08T17:00:00Z'],
    },
    {
      name: 'closed in between',
      schedules: [schedule('0 9 * * mon-fri', '8h')],
      at: '2024-01-06T12:00:00Z',
      want: [false, '2024-01-05T17:00:00Z', '2024-01-08T09:00:00Z'],
    },
    {
      name: 'hits of one schedule that overlap',
      schedules: [schedule('0 9-18 * * mon-fri', '9h')],
      at: '2024-01-08T12:00:00Z',
      want: [true, '2024-01-08T09:00:00Z', '2024-01-09T03:00:00Z'],
    },
    {
      name: 'hits of one schedule that touch',
      schedules: [schedule('*/5 9-16 * * *', '5m')],
      at: '2024-01-08T12:00:00Z',
      want: [true, '2024-01-08T09:00:00Z', '2024-01-08T17:00:00Z'],
    },
    {
      name: 'schedules that touch',
      schedules: [schedule('0 9 * * *', '8h'), schedule('0 17 * * *', '2h'), schedule('0 7 * * *', '2h')],
      at: '2024-01-08T09:00:00Z',
      want: [true, '2024-01-08T07:00:00Z', '2024-01-08T19:00:00Z'],
    },
    {
      name: 'eleven months of single minutes',
      schedules: [schedule('* * * 1-11 *', '1m')],
      at: '2024-05-08T12:00:00Z',
      want: [true, '2024-01-01T00:00:00Z', '2024-12-01T00:00:00Z'],
    },
  ])('$name', ({ schedules, at, want }) => {
    expect(periodAt(schedules, at)).toEqual(want);
  });

  it.each([
    { name: 'touching days', schedules: [schedule('@daily', '24h')] },
    { name: 'overlapping days', schedules: [schedule('@daily', '48h')] },
    { name: 'minutes', schedules: [schedule('* * * * *', '1m')] },
    { name: 'minutes in a zone', schedules: [schedule('* * * * *', '1m', newYork)] },
    {
      name: 'minutes in a zone that does not change its clocks',
      schedules: [schedule('* * * * *', '1m', 'Asia/Tokyo')],
    },
    { name: 'days in a zone', schedules: [schedule('30 2 * * *', '24h', newYork)] },
    { name: 'hours that outlast a clock set back', schedules: [schedule('0 */2 * * *', '3h', newYork)] },
    { name: 'leap days', schedules: [schedule('0 0 29 2 *', '70128h')] },
    { name: 'working days and weekends', schedules: [schedule('0 0 * * 1-5', '24h'), schedule('0 0 * * 6-7', '24h')] },
  ])('$name without an end are always open', ({ schedules }) => {
    expect(periodAt(schedules, '2024-01-08T12:00:00Z')).toEqual([true, undefined, undefined]);
  });

  const eachHour = (hours: number, days: string, zone?: string): Schedule[] =>
    Array.from({ length: 24 / hours }, (_, index) => schedule(`0 ${index * hours} ${days}`, `${hours}h`, zone));
  const halfHours = (from: number, days: string, zone?: string): Schedule[] =>
    Array.from({ length: 48 }, (_, index) =>
      schedule(`${from + (index % 2) * 30} ${Math.floor(index / 2)} ${days}`, '30m', zone),
    );

  it.each([
    { name: 'half hours', schedules: halfHours(0, '* * *'), want: [true, undefined, undefined] },
    {
      name: 'half hours that begin at a quarter',
      schedules: halfHours(15, '* * *'),
      want: [true, undefined, undefined],
    },
    {
      name: 'half hours in a zone',
      schedules: halfHours(0, '* * *', 'Asia/Tokyo'),
      want: [true, undefined, undefined],
    },
    {
      name: 'half hours where clocks are set back: only hours with a neighbour fire again, and these have none',
      schedules: halfHours(0, '* * *', 'Europe/Berlin'),
      want: [true, '2023-10-29T02:00:00Z', '2024-10-27T01:00:00Z'],
    },
    {
      name: 'half hours until the last of the month',
      schedules: halfHours(0, '1-30 * *'),
      want: [true, '2024-01-01T00:00:00Z', '2024-01-31T00:00:00Z'],
    },
    {
      name: 'half hours of working days, from a quarter on',
      schedules: halfHours(15, '* * mon-fri'),
      want: [true, '2024-01-08T00:15:00Z', '2024-01-13T00:15:00Z'],
    },
    {
      name: 'the first half of the month and the second',
      schedules: [...eachHour(1, '1-15 * *'), ...eachHour(1, '16-31 * *')],
      want: [true, undefined, undefined],
    },
    {
      name: 'working days and weekends, in a zone',
      schedules: [...eachHour(1, '* * 1-5', 'Asia/Tokyo'), ...eachHour(2, '* * 6,7', 'Asia/Tokyo')],
      want: [true, undefined, undefined],
    },
    {
      name: 'every other minute, and those between, for eleven months',
      schedules: [schedule('*/2 * * 1-11 *', '1m'), schedule('1/2 * * 1-11 *', '1m')],
      want: [true, '2024-01-01T00:00:00Z', '2024-12-01T00:00:00Z'],
    },
    {
      name: 'minutes that never touch',
      schedules: Array.from({ length: 30 }, (_, index) => schedule(`${index * 2} * * * *`, '1m')),
      want: [true, '2024-01-08T12:00:00Z', '2024-01-08T12:01:00Z'],
    },
  ])('$name: found without walking all hits', ({ schedules, want }) => {
    const { counted, asked } = counting(schedules);
    expect(periodAt(counted, '2024-01-08T12:00:00Z')).toEqual(want);
    expect(asked()).toBeLessThan(10_000);
  });

  it('what its schedules cannot tell within a few steps is found in its minutes', () => {
    // No day is covered by schedules of the same days alone.
    const { counted, asked } = counting([
      schedule('*/2 * * 1-11 *', '1m'),
      schedule('1/2 * * 1-6 *', '1m'),
      schedule('1/2 * * 7-12 *', '1m'),
    ]);
    expect(periodAt(counted, '2024-11-30T12:00:00Z')).toEqual([true, '2023-12-31T23:59:00Z', '2024-12-01T00:00:00Z']);
    expect(asked()).toBeLessThan(5_000);
  });

  it.each([
    ['an empty list', []],
    ['a schedule that never fires', [schedule('0 0 30 2 *', '1h')]],
    ['no duration', [schedule('@daily', '0s')]],
    ['a negative duration', [schedule('@daily', '-1h')]],
  ])('%s opens nothing', (_, schedules) => {
    expect(scheduleWindow(schedules)).toBe(never);
  });

  it('says what it is', () => {
    const schedules = [schedule('0 9 * * mon-fri', '8h', 'Europe/Berlin'), schedule('TZ=Asia/Tokyo @daily', '90m')];
    expect(scheduleWindow(schedules).text).toBe(
      '0 9 * * mon-fri for 8h (Europe/Berlin) or TZ=Asia/Tokyo @daily for 1h30m',
    );
  });
});

describe('B3: a duration when clocks change', () => {
  it.each([
    {
      name: 'is elapsed time',
      schedules: [schedule('0 0 * * *', '8h', newYork)],
      at: '2026-03-08T08:00:00Z',
      want: [true, '2026-03-08T05:00:00Z', '2026-03-08T13:00:00Z'],
    },
    {
      name: 'of whole days ends at the same time of day, after 23 hours',
      schedules: [schedule('0 0 * * sun', '24h', newYork)],
      at: '2026-03-08T08:00:00Z',
      want: [true, '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z'],
    },
    {
      name: 'of whole days ends at the same time of day, after 49 hours',
      schedules: [schedule('0 0 * * sat', '48h', newYork)],
      at: '2026-11-01T08:00:00Z',
      want: [true, '2026-10-31T04:00:00Z', '2026-11-02T05:00:00Z'],
    },
    {
      name: 'of 25 hours is elapsed time',
      schedules: [schedule('0 0 * * sat', '25h', newYork)],
      at: '2026-10-31T08:00:00Z',
      want: [true, '2026-10-31T04:00:00Z', '2026-11-01T05:00:00Z'],
    },
    {
      name: 'leaves a hole where the clock is set back and nothing fires again',
      schedules: [schedule('0 */2 * * *', '2h', newYork)],
      at: '2026-11-01T06:30:00Z',
      want: [false, '2026-11-01T06:00:00Z', '2026-11-01T07:00:00Z'],
    },
    {
      name: 'reaches from hole to hole at once',
      schedules: [schedule('0 */2 * * *', '2h', newYork)],
      at: '2026-06-01T00:00:00Z',
      want: [true, '2025-11-02T07:00:00Z', '2026-11-01T06:00:00Z'],
    },
    {
      name: 'leaves a hole on Lord Howe, where the half hour shown again holds no hit',
      schedules: [schedule('15 * * * *', '1h', 'Australia/Lord_Howe')],
      at: '2026-06-01T00:00:00Z',
      want: [true, '2026-04-04T15:45:00Z', '2027-04-03T15:15:00Z'],
    },
    {
      name: 'leaves a hole among the three hours that Casey showed again: 23:00 has a neighbour, 01:00 has none',
      schedules: [schedule('0 1/2,22 * * *', '2h', 'Antarctica/Casey')],
      at: '2010-03-04T15:30:00Z',
      want: [true, undefined, '2010-03-04T17:00:00Z'],
    },
    {
      name: 'begins again after that hole',
      schedules: [schedule('0 1/2,22 * * *', '2h', 'Antarctica/Casey')],
      at: '2010-04-01T00:00:00Z',
      want: [true, '2010-03-04T19:00:00Z', '2012-02-21T18:00:00Z'],
    },
  ])('$name', ({ schedules, at, want }) => {
    expect(periodAt(schedules, at)).toEqual(want);
  });
});

const some = (min: number, max: number, most: number) =>
  fc.option(fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: most }), { nil: undefined });

const anySchedule = fc.record({
  sets: fc.record<Sets>({
    minutes: some(0, 59, 4),
    hours: some(0, 23, 12),
    dates: fc.constant(undefined),
    months: fc.constant(undefined),
    weekdays: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, some(0, 6, 3)),
  }),
  minutes: fc.oneof(fc.constantFrom(1, 60, 90, 120, 1380, 1440, 1500, 2880), fc.integer({ min: 1, max: 2880 })),
});

/** Schedules of the same days that touch all day long, or leave a hole where one is missing. */
const choir = fc
  .record({
    count: fc.constantFrom(2, 3, 4, 6),
    minute: fc.constantFrom(0, 0, 17),
    weekdays: fc.oneof(fc.constant(undefined), some(0, 6, 6)),
    missing: fc.option(fc.nat({ max: 1 }), { nil: undefined, freq: 3 }),
  })
  .map(({ count, minute: offset, weekdays, missing }) =>
    Array.from({ length: count }, (_, index) => ({
      sets: { minutes: [offset], hours: [(24 / count) * index], dates: undefined, months: undefined, weekdays },
      minutes: 1440 / count,
    })).filter((_, index) => index !== missing),
  );

const severalSchedules = fc.oneof(
  fc.array(anySchedule, { minLength: 1, maxLength: 3 }),
  fc.tuple(choir, fc.array(anySchedule, { maxLength: 1 })).map((parts) => parts.flat()),
  fc.tuple(choir, choir).map((parts) => parts.flat()),
);

const margin = 3 * 1440;

/** Minute by minute, whether it is open; the first days miss what began before them. */
function slowlyOpen(days: Days, { sets, minutes }: { sets: Sets; minutes: number }): boolean[] {
  const first = days.instants[0] as Instant;
  const open = days.instants.map(() => false);
  for (const hit of slowHits(days, sets)) {
    const start = (hit - first) / minute;
    let end = start + minutes;
    if (minutes % 1440 === 0) {
      const sameTime = (days.walls[start] as number) + minutes;
      // No clock is changed by more than a day.
      end = start + minutes - 1440;
      while (end < open.length && (days.walls[end] as number) < sameTime) end++;
    }
    open.fill(true, start, end);
  }
  return open;
}

describe('B4: a window agrees with a walk minute by minute', () => {
  it.each([
    [newYork, '2026-03-08T07:00:00Z'],
    [newYork, '2026-11-01T06:00:00Z'],
    ['Australia/Lord_Howe', '2026-04-04T15:00:00Z'],
    ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
    ['America/Havana', '2026-11-01T05:00:00Z'],
    ['Antarctica/Troll', '2026-10-25T01:00:00Z'],
    ['Pacific/Apia', '2011-12-30T10:00:00Z'],
    ['UTC', '2026-11-01T06:00:00Z'],
  ])('%s at %s', (zone, change) => {
    const days = daysAround(zone, at(change), 4);
    const position = fc.integer({ min: margin, max: days.instants.length - 1 });
    fc.assert(
      fc.property(severalSchedules, position, (schedules, here) => {
        const slow = schedules.map((one) => slowlyOpen(days, one));
        const open = days.instants.map((_, minute) => slow.some((one) => one[minute]));
        const window = scheduleWindow(schedules.map((one) => schedule(cronText(one.sets), `${one.minutes}m`, zone)));

        const instant = days.instants[here] as Instant;
        const next = open.findIndex((is, minute) => minute > here && is !== open[here]);
        const last = open.findLastIndex((is, minute) => minute < here && is !== open[here]) + 1;
        expect(window.isOpen(instant)).toBe(open[here]);
        if (next >= 0) expect(window.nextChange(instant)).toBe(days.instants[next]);
        else expect(window.nextChange(instant) ?? Infinity).toBeGreaterThan(days.instants.at(-1) as Instant);
        if (last > margin) expect(window.lastChange(instant)).toBe(days.instants[last]);
        else expect(window.lastChange(instant) ?? -Infinity).toBeLessThanOrEqual(days.instants[margin] as Instant);
        expect(window.isOpen(asInstant(instant + minute - 1))).toBe(open[here]);
      }),
      { seed: 5, numRuns: 60 },
    );
  });
});
