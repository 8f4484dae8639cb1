import { describe, expect, it } from 'vitest';
import { fingerprint } from '../../cluster/names.ts';

describe('G2: a fingerprint', () => {
  it('is ten characters that a name may have', () => {
    for (const text of ['', 'a', 'ü', 'x'.repeat(1000)]) expect(fingerprint(text)).toMatch(/^[0-9a-z]{10}$/);
  });

  it('is the same for the same text, today as ever', () => {
    expect(fingerprint('uid-n1 n1 Drifted 1773144000000')).toBe(fingerprint('uid-n1 n1 Drifted 1773144000000'));
    expect(fingerprint('lull')).toBe('18uqsnx1p1');
  });

  it('tells a hundred thousand apart', () => {
    const seen = new Set(
      Array.from({ length: 100_000 }, (_, index) => fingerprint(`uid-${index} node-${index} Drifted 1773144000000`)),
    );
    expect(seen.size).toBe(100_000);
  });
});
