// The index from labels to selectors.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesAll, type Operator, type Requirement } from './selector.ts';
import { SelectorIndex } from './selectorIndex.ts';

const requirement = (key: string, operator: Operator, ...values: string[]): Requirement => ({ key, operator, values });
const appIs = (...apps: string[]): Requirement[] => [requirement('app', 'In', ...apps)];

describe('Many selectors', () => {
  it('that need another value of a label are not even tried', () => {
    let tried = 0;
    const index = new SelectorIndex<number>();
    for (let i = 0; i < 1000; i++) {
      const needed = requirement('app', 'In', `app-${i}`);
      const counted = Object.defineProperty(requirement('tier', 'Exists'), 'key', {
        get: () => {
          tried++;
          return 'tier';
        },
      });
      index.put(i, [needed, counted]);
    }
    tried = 0;
    expect(index.matching({ app: 'app-7', tier: 'web' })).toEqual([7]);
    expect(tried).toBe(1);
  });

  it.each([
    { common: requirement('team', 'In', 'red'), own: (i: number) => requirement('app', 'In', `app-${i}`) },
    { common: requirement('team', 'Exists'), own: (i: number) => requirement(`key-${i}`, 'Exists') },
  ])('that share a label which everything carries ($common.operator) are filed under another', ({ common, own }) => {
    let tried = 0;
    const counted = (of: Requirement): Requirement =>
      Object.defineProperty({ ...of }, 'values', {
        get: () => {
          tried++;
          return of.values;
        },
      });
    const index = new SelectorIndex<number>();
    for (let i = 0; i < 1000; i++) index.put(i, [counted(common), own(i)]);
    tried = 0;
    expect(index.matching({ team: 'red', app: 'app-7', 'key-7': '' })).toEqual([7]);
    expect(tried).toBeLessThan(5);
  });

  it.each([
    { name: 'is filed again when it changes', change: (index: SelectorIndex<string>) => index.put('a', appIs('y')) },
    { name: 'is found no more once it is gone', change: (index: SelectorIndex<string>) => index.delete('a') },
  ])('one of which $name', ({ change }) => {
    const index = new SelectorIndex<string>();
    index.put('a', appIs('x', 'x', 'z'));
    expect([index.matching({ app: 'x' }), index.matching({ app: 'z' })]).toEqual([['a'], ['a']]);
    change(index);
    expect([index.matching({ app: 'x' }), index.matching({ app: 'z' })]).toEqual([[], []]);
  });

  it('are found as if each were tried', () => {
    const key = fc.constantFrom('app', 'tier', 'constructor', '__proto__');
    const value = fc.constantFrom('x', 'y', '', '3');
    const anyRequirement = fc.record({
      key,
      operator: fc.constantFrom<Operator>('In', 'In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt'),
      values: fc.array(value, { maxLength: 2 }),
    });
    const steps = fc.array(
      fc.record({
        rule: fc.nat({ max: 5 }),
        selector: fc.option(fc.array(anyRequirement, { maxLength: 3 }), { nil: undefined }),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(steps, fc.dictionary(key, value, { noNullPrototype: false }), (changes, labels) => {
        const index = new SelectorIndex<number>();
        const rules = new Map<number, readonly Requirement[]>();
        for (const { rule, selector } of changes) {
          if (selector) {
            index.put(rule, selector);
            rules.set(rule, selector);
          } else {
            index.delete(rule);
            rules.delete(rule);
          }
        }
        const meant = [...rules].filter(([, selector]) => matchesAll(selector, labels)).map(([rule]) => rule);
        expect(index.matching(labels).sort()).toEqual(meant.sort());
      }),
      { seed: 3, numRuns: 500 },
    );
  });
});
