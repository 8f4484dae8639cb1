import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { not } from './combine.ts';
import { parseCron } from './cron.ts';
import { parseDuration } from './duration.ts';
import { asDuration, asInstant, type Duration, day, hour, type Instant, minute, parseInstant } from './instant.ts';
import { firstMeeting, neverMeeting, type Permit } from './meet.ts';
import { scheduleWindow } from './scheduleWindow.ts';
import { always, lifetime, never, type Window } from './window.ts';

const at = (text: string): Instant => parseInstant(text) as Instant;

function windowOf(cron: string, duration: string): Window {
  const parsed = parseCron(cron);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return scheduleWindow([{ cron: parsed.cron, duration: parseDuration(duration) as Duration }]);
}

const permits = (windows: readonly Window[], margin?: Duration): Permit[] =>
  windows.map((window) => ({ window, ...(margin !== undefined && { margin }) }));

const start = at('2026-06-01T00:00:00Z');
const nights = windowOf('0 22 * * *', '8h');
const office = windowOf('0 9 * * *', '8h');
const noons = windowOf('0 12 * * *', '1h');
const saturdays = windowOf('0 0 * * sat', '24h');
const even = windowOf('*/2 * * * *', '1m');

describe('E12: the first instant at which windows permit together', () => {
  it.each([
    { it: 'none', windows: [], found: start },
    { it: 'one that is open', windows: [nights], found: start },
    { it: 'one that opens later', windows: [office], found: at('2026-06-01T09:00:00Z') },
    { it: 'two that overlap', windows: [office, noons], found: at('2026-06-01T12:00:00Z') },
    { it: 'two, days away', windows: [saturdays, noons], found: at('2026-06-06T12:00:00Z') },
    { it: 'one that is always open beside it', windows: [always, office], found: at('2026-06-01T09:00:00Z') },
    { it: 'hours that miss each other', windows: [nights, office], found: 'never' },
    { it: 'one that never opens', windows: [nights, never], found: 'never' },
    { it: 'a window and its opposite', windows: [even, not(even)], found: 'never' },
  ] as const)('$it', ({ windows, found }) => {
    expect(firstMeeting(permits(windows), start)).toBe(found);
  });

  it('an instant further than 400 days away is never', () => {
    const later = lifetime(asInstant(start + 402 * day), undefined);
    expect(firstMeeting(permits([later]), start)).toBe('never');
  });

  it('later on the same day, after they met, it is the next time', () => {
    const windows = [noons, office];
    expect(firstMeeting(permits(windows), at('2026-06-01T00:00:00Z'))).toBe(at('2026-06-01T12:00:00Z'));
    expect(firstMeeting(permits(windows), at('2026-06-01T12:30:00Z'))).toBe(at('2026-06-01T12:30:00Z'));
    expect(firstMeeting(permits(windows), at('2026-06-01T13:00:00Z'))).toBe(at('2026-06-02T12:00:00Z'));
    expect(firstMeeting(permits(windows), at('2026-06-01T14:00:00Z'))).toBe(at('2026-06-02T12:00:00Z'));
  });

  it('B8: an opening permits until the margin before its end, and not at all where it is no longer than the margin', () => {
    const margin = asDuration(hour);
    expect(firstMeeting(permits([office], margin), at('2026-06-01T15:59:00Z'))).toBe(at('2026-06-01T15:59:00Z'));
    expect(firstMeeting(permits([office], margin), at('2026-06-01T16:00:00Z'))).toBe(at('2026-06-02T09:00:00Z'));
    expect(firstMeeting(permits([noons], margin), start)).toBe('never');
  });

  it('questions are bounded, however many windows there are', () => {
    let asked = 0;
    const counted = Array.from({ length: 50 }, (_, index): Window => {
      const window = windowOf(`${index} * * * *`, '1m');
      return {
        ...window,
        isOpen: (instant) => {
          asked++;
          return window.isOpen(instant);
        },
        nextChange: (instant) => {
          asked++;
          return window.nextChange(instant);
        },
      };
    });
    expect(firstMeeting(permits(counted), start)).toBe('never');
    expect(asked).toBeLessThan(1_000);
  });

  it('what was worked out before is not asked again', () => {
    let asked = 0;
    const counted: Window = {
      ...office,
      isOpen: (instant) => office.isOpen(instant),
      nextChange: (instant) => {
        asked++;
        return office.nextChange(instant);
      },
    };
    expect(firstMeeting(permits([counted, nights]), start)).toBe('never');
    asked = 0;
    expect(firstMeeting(permits([nights, counted]), asInstant(start + 11 * hour))).toBe('never');
    expect(asked).toBe(0);
  });
});

describe('E12: the fewest windows that never meet', () => {
  const thirds = [0, 8, 16].map((from) => not(windowOf(`0 ${from} * * *`, '8h')));
  it.each([
    { it: 'the two that miss each other', windows: [noons, nights, saturdays, office], fewest: [noons, nights] },
    { it: 'one that never opens', windows: [noons, never, nights], fewest: [never] },
    { it: 'three of which every two meet', windows: [saturdays, ...thirds], fewest: thirds },
    { it: 'none where they meet', windows: [noons, office], fewest: [] },
  ])('$it', ({ windows, fewest }) => {
    expect(new Set(neverMeeting(permits(windows), start).map(({ window }) => window))).toEqual(new Set(fewest));
  });
});

describe('E12: against a walk over all instants', () => {
  const walked = 10 * day;
  const hours = fc.integer({ min: 0, max: 23 });
  const window: fc.Arbitrary<Window> = fc.oneof(
    fc.tuple(hours, fc.integer({ min: 1, max: 26 })).map(([from, length]) => windowOf(`0 ${from} * * *`, `${length}h`)),
    fc
      .tuple(hours, fc.integer({ min: 0, max: 6 }), fc.integer({ min: 1, max: 40 }))
      .map(([from, weekday, length]) => windowOf(`30 ${from} * * ${weekday}`, `${length}h`)),
    fc.tuple(hours, hours).map(([from, length]) => not(windowOf(`15 ${from} * * *`, `${length + 1}h`))),
    fc
      .integer({ min: -100, max: 100 })
      .map((offset) => lifetime(asInstant(start + offset * hour), asInstant(start + (offset + 90) * hour))),
  );
  const margins = fc.constantFrom(0, 0, 30, 90).map((minutes) => asDuration(minutes * minute));

  /** Every edge is on one of these. */
  const step = 15 * minute;

  /** Step by step: the first at which every window is open, and still is a margin later without a break. */
  function walk(windows: readonly Window[], from: Instant, margin: Duration): Instant | undefined {
    const permits = (one: Window, instant: number): boolean => {
      for (let later = instant; later <= instant + margin; later += step)
        if (!one.isOpen(asInstant(later))) return false;
      return true;
    };
    for (let instant = from; instant < from + walked; instant = asInstant(instant + step)) {
      if (windows.every((one) => permits(one, instant))) return instant;
    }
    return undefined;
  }

  it('finds the same instant, asked cold or after earlier questions', () => {
    const instants = fc.array(fc.integer({ min: 0, max: 3 * 96 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(window, { maxLength: 4 }), margins, instants, (windows, margin, offsets) => {
        for (const offset of offsets.sort((a, b) => a - b)) {
          const from = asInstant(start + offset * step);
          const found = firstMeeting(permits(windows, margin), from);
          const expected = walk(windows, from, margin);
          if (expected !== undefined) expect(found).toBe(expected);
          else if (typeof found === 'number') expect(found).toBeGreaterThanOrEqual(from + walked);
          const fewest = neverMeeting(permits(windows, margin), from).map(({ window }) => window);
          expect(fewest.length > 0).toBe(found === 'never');
          if (fewest.length > 0) expect(walk(fewest, from, margin)).toBeUndefined();
        }
      }),
      { seed: 20261116, numRuns: 150 },
    );
  });
});
