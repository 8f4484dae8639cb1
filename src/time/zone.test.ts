import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { intlClock } from '../../test/time/oracle.ts';
import {
  asDuration,
  asInstant,
  day,
  formatInstant,
  hour,
  type Instant,
  minute,
  parseInstant,
  second,
} from './instant.ts';
import { findZone, firstInstantOf, instantsOf, lastJump, nextJump, offsetAt, wallTime, type Zone } from './zone.ts';

const at = (text: string): Instant => parseInstant(text) as Instant;
const wall = (text: string): number => at(`${text}:00Z`);
const zoneOf = (name: string): Zone => findZone(name) as Zone;
const tenYears = asDuration(3653 * day);

describe('B3: a zone', () => {
  it.each([
    ['UTC', '2026-07-01T00:00:00Z', 0],
    ['', '2026-07-01T00:00:00Z', 0],
    ['Etc/UTC', '2026-07-01T00:00:00Z', 0],
    ['Europe/Berlin', '2026-01-01T00:00:00Z', 60],
    ['Europe/Berlin', '2026-03-29T00:59:59Z', 60],
    ['Europe/Berlin', '2026-03-29T01:00:00Z', 120],
    ['America/New_York', '2026-07-01T00:00:00Z', -240],
    ['Asia/Kathmandu', '2026-07-01T00:00:00Z', 345],
    ['Asia/Kathmandu', '1985-07-01T00:00:00Z', 330],
    ['Australia/Lord_Howe', '2026-07-01T00:00:00Z', 630],
    ['Pacific/Apia', '2011-12-30T09:59:59Z', -600],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', 840],
    ['Africa/Monrovia', '1971-06-01T00:00:00Z', -44.5],
    ['Europe/Berlin', '2099-07-01T00:00:00Z', 120],
  ])('%s at %s is %d minutes ahead of UTC', (name, instant, minutes) => {
    expect(offsetAt(zoneOf(name), at(instant))).toBe(minutes * minute);
  });

  it.each(['Bad/Zone', 'Local', '+01:00', 'Europe/', '1', ' '])('is unknown by the name %j', (name) => {
    expect(findZone(name)).toBeUndefined();
  });

  it('is made once', () => {
    expect(findZone('Europe/Berlin')).toBe(findZone('Europe/Berlin'));
  });

  it.each([
    ['America/New_York', '2026-03-08T01:59', ['2026-03-08T06:59:00Z'], '2026-03-08T06:59:00Z'],
    ['America/New_York', '2026-03-08T02:30', [], '2026-03-08T07:00:00Z'],
    ['America/New_York', '2026-03-08T03:00', ['2026-03-08T07:00:00Z'], '2026-03-08T07:00:00Z'],
    ['America/New_York', '2026-11-01T01:30', ['2026-11-01T05:30:00Z', '2026-11-01T06:30:00Z'], '2026-11-01T05:30:00Z'],
    ['America/New_York', '2026-11-01T02:00', ['2026-11-01T07:00:00Z'], '2026-11-01T07:00:00Z'],
    ['Pacific/Apia', '2011-12-30T12:00', [], '2011-12-30T10:00:00Z'],
    [
      'Australia/Lord_Howe',
      '2026-04-05T01:45',
      ['2026-04-04T14:45:00Z', '2026-04-04T15:15:00Z'],
      '2026-04-04T14:45:00Z',
    ],
    ['UTC', '2026-03-08T02:30', ['2026-03-08T02:30:00Z'], '2026-03-08T02:30:00Z'],
  ])('%s shows %s at %j', (name, time, instants, first) => {
    expect(instantsOf(zoneOf(name), wall(time)).map(formatInstant)).toEqual(instants);
    expect(formatInstant(firstInstantOf(zoneOf(name), wall(time)))).toBe(first);
  });

  it('finds the changes of its clock on either side', () => {
    const newYork = zoneOf('America/New_York');
    const june = at('2026-06-01T00:00:00Z');
    expect(nextJump(newYork, june, tenYears)).toMatchObject({ start: at('2026-11-01T06:00:00Z'), jump: -hour });
    expect(lastJump(newYork, june, tenYears)).toMatchObject({ start: at('2026-03-08T07:00:00Z'), jump: hour });
    expect(nextJump(newYork, at('2026-11-01T06:00:00Z'), tenYears)?.start).toBe(at('2027-03-14T07:00:00Z'));
    expect(lastJump(newYork, at('2026-11-01T06:00:00Z'), tenYears)?.start).toBe(at('2026-11-01T06:00:00Z'));
    expect(nextJump(zoneOf('Asia/Tokyo'), june, tenYears)).toBeUndefined();
    expect(lastJump(zoneOf('Asia/Tokyo'), june, tenYears)).toBeUndefined();
    expect(nextJump(zoneOf('UTC'), june, tenYears)).toBeUndefined();
  });

  it('keeps its nearest offset outside the years that are read', () => {
    expect(offsetAt(zoneOf('Asia/Tokyo'), at('0800-01-01T00:00:00Z'))).toBe(9 * hour);
    expect(offsetAt(zoneOf('Asia/Tokyo'), at('9000-01-01T00:00:00Z'))).toBe(9 * hour);
  });

  it('shows what Intl shows', () => {
    const names = [
      'America/New_York',
      'Asia/Gaza',
      'Africa/Cairo',
      'Australia/Lord_Howe',
      'America/Boa_Vista',
      'Asia/Tehran',
    ];
    const clocks = names.map((name) => ({ zone: zoneOf(name), shown: intlClock(name) }));
    const seconds = fc.integer({ min: at('1970-01-01T00:00:00Z') / second, max: at('2100-01-01T00:00:00Z') / second });
    fc.assert(
      fc.property(fc.constantFrom(...clocks), seconds, ({ zone, shown }, count) => {
        const instant = asInstant(count * second);
        expect(wallTime(zone, instant)).toBe(shown(instant));
        expect(instantsOf(zone, wallTime(zone, instant))).toContain(instant);
      }),
      { seed: 2, numRuns: 3000 },
    );
  });
});
