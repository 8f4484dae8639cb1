// Tests of aligned columns, word wrap and escaping.
import { describe, expect, it } from 'vitest';
import { escapeControls } from '../kinds/text/escaping.ts';
import { alignColumns, type Line, paint, plain, styled, widthOf, wrap } from './span.ts';

const cells = (...texts: string[]): Line[] => texts.map((text) => [plain(text)]);
const shown = (lines: readonly Line[]): string[] => paint(lines, false).split('\n').slice(0, -1);

describe('columns', () => {
  it('are aligned, and the last one is wrapped below itself', () => {
    const rows = [cells('a', 'one', 'a sentence that is too long for its line'), cells('bbbb', 'three', 'short')];
    expect(shown(alignColumns(rows, { indent: 2, width: 44 }))).toEqual([
      '  a     one    a sentence that is too long',
      '               for its line',
      '  bbbb  three  short',
    ]);
  });

  it('place the last cell below where too little room is left', () => {
    const rows = [cells('a-very-long-name-of-a-node', 'word and word again and again')];
    expect(shown(alignColumns(rows, { indent: 0, width: 40 }))).toEqual([
      'a-very-long-name-of-a-node',
      '    word and word again and again',
    ]);
  });

  it('have the visible width, whatever the style and the script', () => {
    const rows = [[[styled('red', '東京')], ...cells('x')], cells('four', 'y'), cells('é', 'z')];
    expect(shown(alignColumns(rows, { indent: 0, width: 40 }))).toEqual(['東京  x', 'four  y', 'é     z']);
    expect(paint([[styled('red', 'ab'), styled('red', 'cd'), plain('  ')]], true)).toBe('\x1b[31mabcd\x1b[39m\n');
  });

  it.each([
    { text: 'plain', width: 5 },
    { text: '東京', width: 4 },
    { text: 'e\u0301', width: 1 },
    { text: '🚀', width: 2 },
    { text: '█·', width: 2 },
  ])('$text is $width wide', ({ text, width }) => {
    expect(widthOf(text)).toBe(width);
  });

  it('can have more rows than a call can have arguments', () => {
    const rows = Array.from({ length: 200_000 }, () => cells('a', 'b'));
    expect(alignColumns(rows, { indent: 0, width: 40 })).toHaveLength(rows.length);
  });

  it('a word longer than the line is not broken', () => {
    expect(shown(wrap([plain('a abcdefghij b')], 5))).toEqual(['a', 'abcdefghij', 'b']);
  });
});

describe('text from the cluster', () => {
  it.each([
    { text: 'a\x1b[2Jb', want: 'a\\x1b[2Jb' },
    { text: 'two\nlines\tand\r', want: 'two\\nlines\\tand\\x0d' },
    { text: '\u202egnol', want: '\\u{202e}gnol' },
    { text: '\u200b\u2028\ud800', want: '\\u{200b}\\u{2028}\\u{d800}' },
    { text: 'Zürich 東京 🚀', want: 'Zürich 東京 🚀' },
  ])('has invisible characters escaped: $want', ({ text, want }) => {
    expect(escapeControls(text)).toBe(want);
  });
});
