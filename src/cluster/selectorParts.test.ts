// Splitting of selectors into signed parts (F6).
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matches, matchesAll, mostParts, type Operator, partsOf, type Requirement, type Selector } from './selector.ts';

const key = fc.constantFrom('app', 'tier', 'constructor', '__proto__');
const value = fc.constantFrom('x', 'y', '', '3');
const operator = fc.constantFrom<Operator>('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt');
const requirement: fc.Arbitrary<Requirement> = fc.record({ key, operator, values: fc.array(value, { maxLength: 3 }) });
const selector: fc.Arbitrary<Selector> = fc.oneof(
  fc.record({ requirements: fc.array(requirement, { maxLength: 5 }) }),
  fc.constant({ requirements: [], nothing: true }),
);
const labels = fc.dictionary(key, value, { maxKeys: 4 });

describe('F6: a selector as a sum of parts', () => {
  it('matches where the parts added are one more than the parts taken away, and nowhere else', () => {
    fc.assert(
      fc.property(selector, labels, (whole, of) => {
        const parts = partsOf(whole).filter(({ requirements }) => matchesAll(requirements, of));
        const sum = parts.reduce((total, { sign }) => total + sign, 0);
        expect(sum).toBe(matches(whole, of) ? 1 : 0);
      }),
      { seed: 15, numRuns: 3000 },
    );
  });

  it('has no more parts than it may', () => {
    fc.assert(
      fc.property(selector, (whole) => partsOf(whole).length <= mostParts),
      { seed: 15 },
    );
  });

  it('shares all but one part with a selector that leaves out another value', () => {
    const without = (name: string): string[] =>
      partsOf({
        requirements: [
          { key: 'job', operator: 'Exists', values: [] },
          { key: 'job', operator: 'NotIn', values: [name] },
        ],
      }).map((part) => JSON.stringify(part));
    expect(new Set([...without('a'), ...without('b')]).size).toBe(3);
  });
});
