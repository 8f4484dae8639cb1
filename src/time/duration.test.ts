import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';
import { asDuration } from './instant.ts';

describe('B5: a Go duration', () => {
  it.each([
    ['1h30m', 5_400_000],
    ['8h', 28_800_000],
    ['48h', 172_800_000],
    ['0', 0],
    ['-0', 0],
    ['+0', 0],
    ['0s', 0],
    ['-1m', -60_000],
    ['+1m', 60_000],
    ['1.5h', 5_400_000],
    ['.5s', 500],
    ['1.s', 1000],
    ['30m1h', 5_400_000],
    ['1h1h', 7_200_000],
    ['100ms', 100],
    ['1us', 0.001],
    ['1\u00b5s', 0.001],
    ['1\u03bcs', 0.001],
    ['1ns', 0.000001],
    ['0.3333333333333333333h', 1_200_000],
    ['2562047h47m16.854775807s', 9_223_372_036_854.775],
    ['-9223372036854775808ns', -9_223_372_036_854.775],
  ])('reads %s', (text, milliseconds) => {
    expect(parseDuration(text)).toBeCloseTo(milliseconds, 2);
  });

  it.each([
    ['', 'nothing'],
    ['-', 'a sign alone'],
    ['5', 'no unit'],
    ['1h30', 'no unit at the end'],
    ['h', 'no number'],
    ['.s', 'no digit'],
    ['1..5h', 'two points'],
    ['1d', 'no unit of Go'],
    ['1H', 'a unit in capitals'],
    ['1h 30m', 'a space'],
    ['--1h', 'two signs'],
    ['1h-30m', 'a sign inside'],
    ['1constructor', 'a word'],
    ['2562048h', 'more than 64 bits hold'],
    ['9223372036854775808ns', 'one too many'],
    ['-9223372036854775809ns', 'one too few'],
  ])('rejects %j: %s', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('A duration for people', () => {
  it.each([
    [0, '0s'],
    [5_400_000, '1h30m'],
    [28_800_000, '8h'],
    [172_800_000, '48h'],
    [60_000, '1m'],
    [61_500, '1m1.5s'],
    [3_601_000, '1h1s'],
    [250, '250ms'],
    [-90_000, '-1m30s'],
  ])('writes %d as %s', (milliseconds, text) => {
    expect(formatDuration(asDuration(milliseconds))).toBe(text);
  });

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (milliseconds) => {
        expect(parseDuration(formatDuration(asDuration(milliseconds)))).toBe(milliseconds);
      }),
      { seed: 1 },
    );
  });
});
