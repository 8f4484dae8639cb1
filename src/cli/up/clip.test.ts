import { describe, expect, it } from 'vitest';
import { bold, plain, widthOfLine } from '../span.ts';
import { clip } from './upGrid.ts';

const text = (line: readonly { readonly text: string }[]): string => line.map((span) => span.text).join('');

describe('A line at the edge of the screen', () => {
  it.each([
    [20, 'one two three'],
    [13, 'one two three'],
    [12, 'one two thr…'],
    [5, 'one …'],
    [1, '…'],
    [0, ''],
  ])('of %i columns: %s', (width, shown) => {
    expect(text(clip([bold('one '), plain('two '), plain('three')], width))).toBe(shown);
  });

  it('counts columns, not characters', () => {
    const line = clip([plain('漢字漢字')], 6);
    expect(text(line)).toBe('漢字…');
    expect(widthOfLine(line)).toBe(5);
  });
});
