import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFields } from './cronFields.ts';
import { anyDayMatches, compileDays, dayAtOrAfter, longestWait, matchesFrom } from './matchingDays.ts';

const days = fc
  .tuple(
    fc.oneof(
      fc.constantFrom('*', '*/2', '*/7', '29', '1-28', '31', '2-30', 'L', '15,L'),
      fc.integer({ min: 1, max: 31 }).map(String),
    ),
    fc.constantFrom('*', '*', '2', '1-11', '*/2', '4,6'),
    fc.constantFrom('*', '*', '1-5', '0,6', '3', '1,3,5', 'sat#1', '0L', 'mon#5', 'tue#2,5L', '3,sun#1'),
  )
  .map((fields) => {
    const read = readFields(`0 0 ${fields.join(' ')}`);
    if ('fault' in read) throw new Error(read.fault);
    return compileDays(read);
  })
  .filter(anyDayMatches);

describe('B4, R1: the days of a schedule', () => {
  it('are never further apart than the longest wait, which 400 years bear out', () => {
    fc.assert(
      fc.property(days, fc.integer({ min: 1, max: 27 }), (matching, limit) => {
        let longest = 1;
        for (let day = dayAtOrAfter(matching, 0); day < 146_097 && longest <= limit; ) {
          const next = dayAtOrAfter(matching, day + 1);
          longest = Math.max(longest, next - day);
          day = next;
        }
        const found = longestWait(matching, limit);
        expect(Math.min(found, limit + 1)).toBe(Math.min(longest, limit + 1));
      }),
      { seed: 15, numRuns: 150 },
    );
  });

  it('are the same asked for many at once', () => {
    fc.assert(
      fc.property(days, fc.integer({ min: -80_000, max: 40_000 }), (matching, from) => {
        const each = Array.from({ length: 70 }, (_, index) => dayAtOrAfter(matching, from + index) === from + index);
        expect(matchesFrom(matching, from, 70)).toEqual(each);
      }),
      { seed: 15, numRuns: 150 },
    );
  });
});
