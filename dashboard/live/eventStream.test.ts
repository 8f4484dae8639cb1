// Tests of parsing server-sent events and of formatting durations and lists.
import { describe, expect, it } from 'vitest';
import { list, span } from '../parts/words.ts';
import { parse } from './eventStream.ts';

describe('A server-sent event', () => {
  it.each([
    ['id: r-1\nevent: change\ndata: {"at":1}', { id: 'r-1', event: 'change', data: { at: 1 } }],
    ['event: clock\ndata: {"now":5}', { event: 'clock', data: { now: 5 } }],
    [': still here', undefined],
    ['', undefined],
  ])('%j', (text, message) => {
    expect(parse(text)).toEqual(message);
  });
});

describe('Text', () => {
  it.each([
    [0, '0 s'],
    [999, '1 s'],
    [61_000, '1 min 1 s'],
    [3_600_000, '1 h'],
    [3_661_000, '1 h 1 min'],
    [90_000_000, '1 d 1 h'],
    [-5, '0 s'],
  ])('a span of %i ms is %s', (milliseconds, text) => {
    expect(span(milliseconds)).toBe(text);
  });

  it.each([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b'], 'a and b'],
    [['a', 'b', 'c'], 'a, b and c'],
  ])('%j is listed as %s', (words, text) => {
    expect(list(words)).toBe(text);
  });
});
