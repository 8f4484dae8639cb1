import { describe, expect, it } from 'vitest';
import { LineSplitter, longestLine } from './exchange.ts';

function read(pieces: readonly Buffer[]): string[] {
  const lines: string[] = [];
  const reader = new LineSplitter((line) => lines.push(line));
  for (const piece of pieces) expect(reader.take(piece)).toBe(true);
  return lines;
}

describe('lines', () => {
  it('are whole wherever they are cut, letters of several bytes included', () => {
    const text = Buffer.from('{"a":"ä€😀"}\n\n{"b":2}\nrest');
    for (let first = 0; first <= text.length; first++) {
      for (let second = first; second <= text.length; second += 3) {
        const pieces = [text.subarray(0, first), text.subarray(first, second), text.subarray(second)];
        expect(read(pieces)).toEqual(['{"a":"ä€😀"}', '{"b":2}']);
      }
    }
  });

  it('byte by byte', () => {
    const text = Buffer.from('one\ntwo\n');
    expect(read([...text].map((byte) => Buffer.from([byte])))).toEqual(['one', 'two']);
  });

  it('without an end are given up', () => {
    const reader = new LineSplitter(() => {});
    const piece = Buffer.alloc(longestLine / 2, 'x');
    expect([reader.take(piece), reader.take(piece), reader.take(Buffer.from('x'))]).toEqual([true, true, false]);
  });

  it('are counted again after each newline', () => {
    const reader = new LineSplitter(() => {});
    const piece = Buffer.concat([Buffer.alloc(longestLine - 1, 'x'), Buffer.from('\n')]);
    expect([reader.take(piece), reader.take(piece), reader.take(piece)]).toEqual([true, true, true]);
  });
});
