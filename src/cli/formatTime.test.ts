// Tests of instants and durations as text.
import { describe, expect, it } from 'vitest';
import { asDuration, type Instant, parseInstant } from '../time/instant.ts';
import { findZone, type Zone } from '../time/zone.ts';
import {
  answerInZone,
  formatDistance,
  formatEnd,
  formatLength,
  formatMoment,
  formatTime,
  formatWithOffset,
  messageInZone,
  utc,
} from './formatTime.ts';

const at = (text: string): Instant => parseInstant(text) as Instant;
const berlin = findZone('Europe/Berlin') as Zone;
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

describe('an instant', () => {
  it('has its distance from now', () => {
    expect(formatMoment(at('2026-11-15T17:00:00Z'), { now: at('2026-11-15T13:40:00Z'), zone: utc })).toBe(
      '2026-11-15 17:00Z (in 3h20m)',
    );
    expect(formatMoment(at('2026-11-15T17:00:05Z'), { now: at('2026-11-15T17:00:20Z'), zone: utc })).toBe(
      '2026-11-15 17:00:05Z (15s ago)',
    );
    expect(formatDistance(at('2026-11-15T17:00:00Z'), at('2026-11-15T17:00:00Z'))).toBe('now');
  });

  it('has its offset in a table', () => {
    expect(formatWithOffset(at('2026-10-25T00:30:00Z'), berlin)).toBe('Sun 2026-10-25 02:30 +02:00');
    expect(formatWithOffset(at('2026-10-25T01:30:00Z'), berlin)).toBe('Sun 2026-10-25 02:30 +01:00');
    expect(formatWithOffset(at('1969-12-31T23:00:00Z'), findZone('') as Zone)).toBe('Wed 1969-12-31 23:00Z');
  });

  it.each([
    { start: '2026-11-17T08:00:00Z', end: '2026-11-17T16:00:00Z', want: '17:00' },
    { start: '2026-11-17T20:00:00Z', end: '2026-11-18T01:00:00Z', want: 'Wed 02:00' },
    { start: '2026-11-17T20:00:00Z', end: '2026-11-25T01:00:00Z', want: 'Wed 2026-11-25 02:00 +01:00' },
    { start: '2026-10-24T23:00:00Z', end: '2026-10-25T04:00:00Z', want: 'Sun 2026-10-25 05:00 +01:00' },
  ])('as the end of an opening is as short as possible: $want', ({ start, end, want }) => {
    expect(formatEnd(at(end), at(start), berlin)).toBe(want);
  });

  it('has an offset in a zone only where the clock shows the same time twice', () => {
    expect(formatTime(at('2026-11-15T17:00:00Z'), berlin)).toBe('2026-11-15 18:00');
    expect(formatTime(at('2026-10-25T00:30:00Z'), berlin)).toBe('2026-10-25 02:30 +02:00');
    expect(formatTime(at('2026-10-25T01:30:00Z'), berlin)).toBe('2026-10-25 02:30 +01:00');
  });

  it('in a message is printed in the zone; schedules are left alone', () => {
    const text = 'settles until 2026-11-15T17:00:00Z (Saturdays 22:00–02:00 UTC)';
    expect(messageInZone(text, berlin)).toBe('settles until 2026-11-15 18:00 (Saturdays 22:00–02:00 UTC)');
    expect(messageInZone(text, utc)).toBe(text);
  });

  it('in a sentence of the engine is printed in the zone where the answer has the instant', () => {
    const now = at('2026-11-15T10:00:00Z');
    const answer = {
      at: now,
      until: at('2026-11-15T23:30:00Z'),
      headline: 'n1 is held until 23:30 UTC: Mondays 23:00–23:30 UTC, since Sat 20:00 UTC',
      pods: 3,
    };
    const text = 'n1 is held until Mon 00:30: Mondays 23:00–23:30 UTC, since Sat 20:00 UTC';
    expect(answerInZone(answer, { now, zone: berlin })).toEqual({ ...answer, headline: text });
    const more = [at('2026-11-14T20:00:00Z')];
    const known = answerInZone(answer, { now, zone: berlin }, more).headline;
    expect(known).toBe('n1 is held until Mon 00:30: Mondays 23:00–23:30 UTC, since Sat 21:00');
    expect(answerInZone(answer, { now, zone: utc })).toBe(answer);
  });

  it.each([
    { length: 15 * second, want: '15s' },
    { length: 90 * second, want: '1m' },
    { length: 3 * hour + 20 * minute, want: '3h20m' },
    { length: 2 * day + 4 * hour + 5 * minute, want: '2d4h' },
    { length: 3 * day, want: '3d' },
    { length: 40 * day + hour, want: '40d' },
  ])('$want', ({ length, want }) => {
    expect(formatLength(asDuration(length))).toBe(want);
  });
});
