import { describe, expect, it } from 'vitest';
import { asDuration, type Instant, parseInstant } from '../time/instant.ts';
import { findZone, type Zone } from '../time/zone.ts';
import { sayDistance, sayEndInZone, sayInZone, sayLength, sayMoment } from './moment.ts';

const at = (text: string): Instant => parseInstant(text) as Instant;
const berlin = findZone('Europe/Berlin') as Zone;
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

describe('a moment', () => {
  it('is said in UTC with its distance', () => {
    expect(sayMoment(at('2026-11-15T17:00:00Z'), at('2026-11-15T13:40:00Z'))).toBe('2026-11-15 17:00Z (in 3h20m)');
    expect(sayMoment(at('2026-11-15T17:00:05Z'), at('2026-11-15T17:00:20Z'))).toBe('2026-11-15 17:00:05Z (15s ago)');
    expect(sayDistance(at('2026-11-15T17:00:00Z'), at('2026-11-15T17:00:00Z'))).toBe('now');
  });

  it('on the clock of a zone, with the offset that tells two like times apart', () => {
    expect(sayInZone(at('2026-10-25T00:30:00Z'), berlin)).toBe('Sun 2026-10-25 02:30 +02:00');
    expect(sayInZone(at('2026-10-25T01:30:00Z'), berlin)).toBe('Sun 2026-10-25 02:30 +01:00');
    expect(sayInZone(at('1969-12-31T23:00:00Z'), findZone('') as Zone)).toBe('Wed 1969-12-31 23:00Z');
  });

  it.each([
    { start: '2026-11-17T08:00:00Z', end: '2026-11-17T16:00:00Z', want: '17:00' },
    { start: '2026-11-17T20:00:00Z', end: '2026-11-18T01:00:00Z', want: 'Wed 02:00' },
    { start: '2026-11-17T20:00:00Z', end: '2026-11-25T01:00:00Z', want: 'Wed 2026-11-25 02:00 +01:00' },
    { start: '2026-10-24T23:00:00Z', end: '2026-10-25T04:00:00Z', want: 'Sun 2026-10-25 05:00 +01:00' },
  ])('as the end of a stretch, no longer than needed: $want', ({ start, end, want }) => {
    expect(sayEndInZone(at(end), at(start), berlin)).toBe(want);
  });

  it.each([
    { length: 15 * second, want: '15s' },
    { length: 90 * second, want: '1m' },
    { length: 3 * hour + 20 * minute, want: '3h20m' },
    { length: 2 * day + 4 * hour + 5 * minute, want: '2d4h' },
    { length: 3 * day, want: '3d' },
    { length: 40 * day + hour, want: '40d' },
  ])('$want', ({ length, want }) => {
    expect(sayLength(asDuration(length))).toBe(want);
  });
});
