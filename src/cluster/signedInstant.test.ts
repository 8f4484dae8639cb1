import { describe, expect, it } from 'vitest';
import { at } from '../../test/build.ts';
import { formatSigned, parseSigned } from './signedInstant.ts';

const ten = '2026-11-18T10:00:00Z';

describe('Q1: an instant with who wrote it and why', () => {
  it.each([
    [ten, {}],
    [`${ten} by ann`, { author: 'ann' }],
    [`${ten} by Ann Lee: new kernel: 6.12`, { author: 'Ann Lee', note: 'new kernel: 6.12' }],
    [`${ten}: new kernel`, { note: 'new kernel' }],
    [
      `${ten} by system:serviceaccount:ci:deploy: nightly`,
      { author: 'system:serviceaccount:ci:deploy', note: 'nightly' },
    ],
  ])('%s', (text, signed) => {
    expect(parseSigned(text)).toEqual({ at: at(ten), ...signed });
    expect(formatSigned({ at: at(ten), ...signed })).toBe(text);
  });

  it.each(['', 'now', 'yes', `${ten} ann`, `by ann ${ten}`, `${ten} by`, '2026-11-18'])('%j is not one', (text) => {
    expect(parseSigned(text)).toBeUndefined();
  });

  it('is one line, and a name does not end early', () => {
    expect(formatSigned({ at: at(ten), author: 'a: b', note: 'two\nlines' })).toBe(`${ten} by a:b: two lines`);
  });
});
