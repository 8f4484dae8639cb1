// Tests of line diffs.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines, withContext } from './replayCommand.ts';

const told = (before: string, after: string): string =>
  diffLines([...before], [...after])
    .map(({ sign, text }) => `${sign}${text}`)
    .join('');

describe('a diff of two texts', () => {
  it.each([
    ['abc', 'abc', ' a b c'],
    ['abc', 'axc', ' a-b+x c'],
    ['abc', 'ac', ' a-b c'],
    ['ac', 'abc', ' a+b c'],
    ['', 'ab', '+a+b'],
    ['ab', '', '-a-b'],
    ['abab', 'ab', ' a b-a-b'],
    ['abcd', 'bdce', '-a b-c d+c+e'],
  ])('%s to %s: %s', (before, after, way) => {
    expect(told(before, after)).toBe(way);
  });

  it('turns one text into the other', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before, after);
        expect(lines.filter(({ sign }) => sign !== '+').map((it) => it.text)).toEqual(before);
        expect(lines.filter(({ sign }) => sign !== '-').map((it) => it.text)).toEqual(after);
      }),
    );
  });

  it('shows texts that are too long as replaced', () => {
    const many = (word: string): string[] => Array.from({ length: 3000 }, (_, index) => `${word}${index}`);
    expect(diffLines(many('a'), many('b'))).toHaveLength(6000);
  });
});

describe('context lines', () => {
  it('are kept, and other lines left out', () => {
    const lines = withContext(diffLines([...'abcdefgh'], [...'abcxefgy']), 1);
    expect(lines.map(({ sign, text }) => `${sign}${text}`).join('')).toBe(' c-d+x e … g-h+y');
  });
});
