import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countKeys, findDuplicate, findSyntaxError, skipValue } from './jsonScan.ts';

const runs = { numRuns: 2000, seed: 7 };

function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inside = Object.values(value).reduce<number>((sum, part) => sum + keysIn(part), 0);
  return inside + (Array.isArray(value) ? 0 : Object.keys(value).length);
}

describe('Valid JSON', () => {
  it('is passed over as a whole, has as many keys as it says, no twins and no break', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 3), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(skipValue(text, 0)).toBe(text.length);
        expect(countKeys(text)).toBe(keysIn(value));
        expect(findDuplicate(text)).toBeUndefined();
        expect(findSyntaxError(text)).toBe(text.length);
      }),
      runs,
    );
  });

  it.each([
    { text: '{"a":1,"a":2}', twin: { key: 'a', offset: 7 } },
    { text: '{"a":{"a":1},"b":[{"a":1},{"a":2}]}', twin: undefined },
    { text: '[{"b":1,"a":{"x":1,\n "x" : 2}}]', twin: { key: 'x', offset: 21 } },
    { text: '{"a\\"":1,"a":2,"\\u0061":3}', twin: { key: 'a', offset: 15 } },
    { text: '{"":1,"":2}', twin: { key: '', offset: 6 } },
    { text: '{"a":":8080","b":" : "}', twin: undefined },
    { text: '{"a\\\\":1,"a\\\\":2}', twin: { key: 'a\\', offset: 9 } },
  ])('has a key twice, or not: $text', ({ text, twin }) => {
    expect(findDuplicate(text)).toEqual(twin);
  });
});

describe('Broken JSON', () => {
  it.each([
    { text: '{"a":1,}', at: 7 },
    { text: '{"a" 1}', at: 5 },
    { text: '{a:1}', at: 1 },
    { text: '[1 2]', at: 3 },
    { text: '[1,2', at: 4 },
    { text: '{"a":"b', at: 7 },
    { text: '["a\nb"]', at: 1 },
    { text: '[01]', at: 1 },
    { text: '[tru]', at: 1 },
    { text: '[]]', at: 2 },
    { text: '{"a":[1}', at: 7 },
  ])('breaks at $at: $text', ({ text, at }) => {
    expect(findSyntaxError(text)).toBe(at);
  });

  it('breaks where it does, and not before', () => {
    const broken = fc
      .tuple(fc.jsonValue(), fc.nat(), fc.constantFrom('', '{', '}', '[', ']', ',', ':', '"', 'x', ' '))
      .map(([value, at, put]) => {
        const text = JSON.stringify(value, null, 1);
        const place = at % (text.length + 1);
        return text.slice(0, place) + put + text.slice(place + 1);
      })
      .filter((text) => !isJson(text));
    fc.assert(
      fc.property(broken, (text) => {
        // Whatever comes before it can still become JSON: only its end is missing.
        const before = text.slice(0, findSyntaxError(text));
        expect(whyNot(before)).toMatch(endMissing(before.length));
      }),
      runs,
    );
  });
});

const isJson = (text: string): boolean => whyNot(text) === 'whole';

function whyNot(text: string): string {
  try {
    JSON.parse(text);
    return 'whole';
  } catch (error) {
    return (error as Error).message;
  }
}

const endMissing = (length: number): RegExp => new RegExp(`^whole$|end of JSON|Unterminated|position ${length}\\b`);
