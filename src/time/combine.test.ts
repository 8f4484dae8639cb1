import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { all, any, not } from './combine.ts';
import { parseCron } from './cron.ts';
import { parseDuration } from './duration.ts';
import { asInstant, type Duration, day, formatInstant, hour, type Instant, parseInstant } from './instant.ts';
import { scheduleWindow } from './scheduleWindow.ts';
import { always, lifetime, never, type Window } from './window.ts';

const at = (text: string): Instant => parseInstant(text) as Instant;

function windowOf(cron: string, duration: string): Window {
  const parsed = parseCron(cron);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return scheduleWindow([{ cron: parsed.cron, duration: parseDuration(duration) as Duration }]);
}

const mornings = windowOf('0 6 * * *', '6h');
const mondays = windowOf('0 0 * * mon', '24h');
const evenings = windowOf('0 18 * * *', '6h');
const start = at('2026-06-01T00:00:00Z');
const june = lifetime(start, at('2026-07-01T00:00:00Z'));

describe('B7: trivial combinations are not built', () => {
  it.each([
    ['all of none', all([]), always],
    ['any of none', any([]), never],
    ['all of one', all([mornings]), mornings],
    ['all of one twice', all([mornings, mornings]), mornings],
    ['all with always', all([always, mornings]), mornings],
    ['all with never', all([mornings, never]), never],
    ['any with never', any([never, mornings]), mornings],
    ['any with always', any([mornings, always]), always],
    ['not always', not(always), never],
    ['not never', not(never), always],
    ['not not', not(not(mornings)), mornings],
    ['the same opposite twice', all([not(mornings), not(mornings)]), not(mornings)],
  ])('%s', (_, made, want) => {
    expect(made).toBe(want);
  });
});

describe('B7: a combination says when it changes', () => {
  const shown = (instant: Instant | undefined) => instant && formatInstant(instant);
  it.each([
    {
      name: 'all, closed: when the last of them opens',
      window: all([mornings, mondays]),
      at: '2026-06-02T12:00:00Z',
      want: [false, '2026-06-01T12:00:00Z', '2026-06-08T06:00:00Z'],
    },
    {
      name: 'all, open: when the first of them closes',
      window: all([mornings, mondays, june]),
      at: '2026-06-08T07:00:00Z',
      want: [true, '2026-06-08T06:00:00Z', '2026-06-08T12:00:00Z'],
    },
    {
      name: 'any, open: when the last of them closes',
      window: any([mornings, mondays]),
      at: '2026-06-08T07:00:00Z',
      want: [true, '2026-06-08T00:00:00Z', '2026-06-09T00:00:00Z'],
    },
    {
      name: 'any, closed: when the first of them opens',
      window: any([mornings, mondays]),
      at: '2026-06-09T13:00:00Z',
      want: [false, '2026-06-09T12:00:00Z', '2026-06-10T06:00:00Z'],
    },
    {
      name: 'all, closed for good',
      window: all([mornings, june]),
      at: '2026-07-02T07:00:00Z',
      want: [false, '2026-06-30T12:00:00Z', undefined],
    },
    {
      name: 'not: when the other changes',
      window: not(mornings),
      at: '2026-06-01T13:00:00Z',
      want: [true, '2026-06-01T12:00:00Z', '2026-06-02T06:00:00Z'],
    },
    {
      name: 'windows that never meet are not waited for',
      window: all([mornings, evenings]),
      at: '2026-06-01T13:00:00Z',
      want: [false, undefined, undefined],
    },
  ])('$name', ({ window, at: instant, want }) => {
    const [since, until] = [window.lastChange(at(instant)), window.nextChange(at(instant))];
    expect([window.isOpen(at(instant)), shown(since), shown(until)]).toEqual(want);
  });

  it('says what it is', () => {
    expect(all([june, not(any([mornings, evenings]))]).text).toBe(
      'from 2026-06-01T00:00:00Z until 2026-07-01T00:00:00Z and not (0 6 * * * for 6h or 0 18 * * * for 6h)',
    );
  });
});

describe('B7: windows that never meet', () => {
  let asked = 0;
  const count = <Answer>(answer: (at: Instant) => Answer) => {
    return (instant: Instant): Answer => {
      asked++;
      return answer(instant);
    };
  };
  const each = Array.from({ length: 50 }, (_, index) => windowOf(`${index} * * * *`, '1m'));
  const counted = each.map(({ text, isOpen, nextChange, lastChange, minutes }) => ({
    text,
    isOpen: count(isOpen),
    nextChange: count(nextChange),
    lastChange: count(lastChange),
    ...(minutes && { minutes }),
  }));

  it.each([
    ['forwards', () => all(counted).nextChange(start)],
    ['backwards', () => all(counted).lastChange(start)],
  ])('are asked a bounded number of questions, however many they are: %s', (_, ask) => {
    asked = 0;
    expect(ask()).toBeUndefined();
    expect(asked).toBeLessThan(10_000);
  });
});

describe('B7: every window keeps its word', () => {
  const simple: fc.Arbitrary<Window> = fc.oneof(
    fc.constantFrom(mornings, mondays, evenings, june, always, never, windowOf('0 */3 * * *', '100m')),
    fc
      .tuple(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 500 }))
      .map(([from, hours]) => lifetime(asInstant(start + from * hour), asInstant(start + (from + hours) * hour))),
  );
  const several = fc.array(simple, { maxLength: 4 });
  const combined: fc.Arbitrary<{ made: Window; means: (instant: Instant) => boolean }> = fc.oneof(
    several.map((windows) => ({ made: all(windows), means: (t: Instant) => windows.every((one) => one.isOpen(t)) })),
    several.map((windows) => ({ made: any(windows), means: (t: Instant) => windows.some((one) => one.isOpen(t)) })),
    fc.tuple(simple, several).map(([first, windows]) => ({
      made: all([not(first), any(windows)]),
      means: (t: Instant) => !first.isOpen(t) && windows.some((one) => one.isOpen(t)),
    })),
  );
  const instants = fc.integer({ min: -100, max: 1000 }).map((hours) => asInstant(start + hours * hour));

  it('about now, the next change and the last', () => {
    fc.assert(
      fc.property(combined, instants, ({ made, means }, instant) => {
        const open = means(instant);
        expect(made.isOpen(instant)).toBe(open);
        const next = made.nextChange(instant);
        const last = made.lastChange(instant);
        let same = true;
        for (let t: number = last ?? instant - 10 * day; t < (next ?? instant + 10 * day); t += hour / 6) {
          same &&= means(asInstant(t)) === open;
        }
        expect(same).toBe(true);
        if (next !== undefined) expect([means(next), made.lastChange(next)]).toEqual([!open, next]);
        if (last !== undefined) expect([means(last), means(asInstant(last - 1))]).toEqual([open, !open]);
      }),
      { seed: 6, numRuns: 500 },
    );
  });
});
