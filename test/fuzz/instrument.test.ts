import { expect, it } from 'vitest';
import { instrument } from '../../scripts/fuzz/instrument.ts';

const source = `
function judge(text) {
  if (text === 'a') return 1; else if (text.length > 3) { return 2 }
  for (const char of text) if (char === 'x') return 3;
  switch (text) { case 'yes': case 'no': return 4; default: }
  const pick = (value) => value ? { ok: value && value.length } : (value ?? null);
  let sum = 0;
  do sum++; while (sum < 2);
  try { JSON.parse(text) } catch { return [pick(text), sum] }
  return text === '' || pick(text) ? 5 : 6;
}
`;
const texts = ['a', 'long one', 'bx', 'yes', '{', '7', ''];

function judged(code: string): unknown[] {
  const run = new Function('globalThis', `${code}\nreturn judge;`) as (scope: object) => (text: string) => unknown;
  const judge = run({ fuzzCounters: counters });
  return texts.map((text) => {
    try {
      return judge(text);
    } catch (error) {
      return String(error);
    }
  });
}
const counters = new Uint8Array(100);

it('instrumented code returns the same, and counts the branches that it takes', () => {
  const instrumented = instrument(source);
  expect(judged(instrumented.code)).toEqual(judged(`const fuzzCounters = globalThis.fuzzCounters;${source}`));
  expect(instrumented.words).toContain('yes');
  const taken = [...counters.slice(0, instrumented.counters)];
  expect(instrumented.counters).toBeGreaterThan(12);
  // Every input enters the function itself; only some enter most branches.
  expect(taken[0]).toBe(texts.length);
  expect(taken.filter((times) => times > 0).length).toBeGreaterThan(10);
  expect([...counters.slice(instrumented.counters)].every((times) => times === 0)).toBe(true);
});
