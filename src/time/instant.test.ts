import { describe, expect, it } from 'vitest';
import { asInstant, formatInstant, type Instant, parseInstant } from './instant.ts';

describe('L: an instant is RFC 3339, whose years have four digits', () => {
  it.each([
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59Z'],
    ['2026-11-17T10:20:00+05:30', '2026-11-17T04:50:00Z'],
    ['9999-12-31T23:59:59+01:00', '9999-12-31T22:59:59Z'],
  ])('%s is read, and written as %s', (text, written) => {
    expect(formatInstant(parseInstant(text) as Instant)).toBe(written);
  });

  it.each(['10000-01-01T00:00:00Z', '-0001-01-01T00:00:00Z'])('%s is none', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  it.each([
    ['0000-01-01T00:00:00+00:01', '0000-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59-00:01', '9999-12-31T23:59:59Z'],
  ])('%s, whose offset leads out of these years, is the nearest of them', (text, nearest) => {
    expect(formatInstant(parseInstant(text) as Instant)).toBe(nearest);
    expect(Math.floor((parseInstant(text) as Instant) / 1000)).toBe((parseInstant(nearest) as Instant) / 1000);
  });

  it.each([
    ['a second later', 253_402_300_800_000, '9999-12-31T23:59:59Z'],
    ['a lifetime of 292 years later', 253_402_300_799_000 + 292 * 366 * 86_400_000, '9999-12-31T23:59:59Z'],
    ['never', Infinity, '9999-12-31T23:59:59Z'],
    ['a second before the year 0', -62_167_219_201_000, '0000-01-01T00:00:00Z'],
    ['ever since', -Infinity, '0000-01-01T00:00:00Z'],
  ])('%s is written as the nearest that can be', (_, at, written) => {
    expect(formatInstant(asInstant(at))).toBe(written);
  });
});
