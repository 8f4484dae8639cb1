import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cronText, daysAround, type Sets, slowHits } from '../../test/time/oracle.ts';
import { type Cron, parseCron } from './cron.ts';
import { asInstant, formatInstant, type Instant, minute, parseInstant } from './instant.ts';

function cronOf(text: string, zone: string): Cron {
  const parsed = parseCron(text, zone);
  if ('fault' in parsed) throw new Error(parsed.fault);
  return parsed.cron;
}

const some = (min: number, max: number, most: number) =>
  fc.option(fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: most }), { nil: undefined });

const anySets: fc.Arbitrary<Sets> = fc.record({
  minutes: some(0, 59, 5),
  hours: some(0, 23, 8),
  dates: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, some(1, 31, 20)),
  months: fc.constant(undefined),
  weekdays: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, some(0, 6, 5)),
  nth: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 5 })), { minLength: 1, maxLength: 4 }),
  ),
  lastDay: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.boolean()),
});

const changes: [zone: string, change: string, what: string][] = [
  ['America/New_York', '2026-03-08T07:00:00Z', 'an hour is skipped'],
  ['America/New_York', '2026-11-01T06:00:00Z', 'an hour is repeated'],
  ['Europe/Berlin', '2026-10-25T01:00:00Z', 'an hour is repeated'],
  ['Australia/Lord_Howe', '2026-04-04T15:00:00Z', 'half an hour is repeated'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z', 'half an hour is skipped'],
  ['Asia/Beirut', '2026-03-28T22:00:00Z', 'midnight is skipped'],
  ['America/Havana', '2026-11-01T05:00:00Z', 'midnight is repeated'],
  ['America/St_Johns', '2010-11-07T02:31:00Z', 'the clock is set back at a minute past midnight'],
  ['Antarctica/Troll', '2026-10-25T01:00:00Z', 'two hours are repeated'],
  ['Antarctica/Casey', '2010-03-04T15:00:00Z', 'three hours are repeated'],
  ['Asia/Kathmandu', '1985-12-31T18:30:00Z', 'a quarter of an hour is skipped'],
  ['Pacific/Apia', '2011-12-30T10:00:00Z', 'a day is skipped'],
  ['Pacific/Kwajalein', '1993-08-21T12:00:00Z', 'a day is skipped'],
  ['Pacific/Kwajalein', '1969-09-30T13:00:00Z', 'nearly a day is repeated'],
  ['UTC', '2026-03-08T07:00:00Z', 'nothing happens'],
];

describe('B3, R1: next and previous agree with a walk minute by minute', () => {
  it.each(changes)('%s at %s: %s', (zone, change) => {
    const days = daysAround(zone, parseInstant(change) as Instant, 3);
    const first = days.instants[0] as Instant;
    const last = days.instants.at(-1) as Instant;
    fc.assert(
      fc.property(anySets, (sets) => {
        const want = slowHits(days, sets);
        const cron = cronOf(cronText(sets), zone);
        if (!cron.fires) return want.length === 0;
        const forwards: Instant[] = [];
        const before = asInstant(first - 1);
        for (let hit = cron.next(before) as Instant; hit <= last; hit = cron.next(hit) as Instant) forwards.push(hit);
        const backwards: Instant[] = [];
        for (
          let hit = cron.previous(last) as Instant;
          hit >= first;
          hit = cron.previous(asInstant(hit - 1)) as Instant
        ) {
          backwards.unshift(hit);
        }
        expect(forwards.map(formatInstant)).toEqual(want.map(formatInstant));
        expect(backwards).toEqual(forwards);
        return true;
      }),
      { seed: 3, numRuns: 40 },
    );
  });
});

describe('B7, R1: the hits on either side of an instant', () => {
  it('have nothing between them', () => {
    const zones = fc.constantFrom(...new Set(changes.map(([zone]) => zone)));
    const instants = fc.integer({ min: 0, max: 4_102_444_800_000 }).map(asInstant);
    fc.assert(
      fc.property(anySets, zones, instants, (sets, zone, at) => {
        const cron = cronOf(cronText(sets), zone);
        if (!cron.fires) return;
        const next = cron.next(at) as Instant;
        const previous = cron.previous(at) as Instant;
        expect(previous).toBeLessThanOrEqual(at);
        expect(next).toBeGreaterThan(at);
        expect(cron.next(previous)).toBe(next);
        expect(cron.previous(asInstant(next - 1))).toBe(previous);
        expect(cron.previous(next)).toBe(next);
        expect(cron.next(asInstant(previous - 1))).toBe(previous);
        expect(next % minute).toBe(0);
      }),
      { seed: 4, numRuns: 5000 },
    );
  });
});
