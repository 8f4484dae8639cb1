// Matching of label and node selectors.
import { describe, expect, it } from 'vitest';
import { matches, matchesNode, type Operator, type Requirement, wholeNumber } from './selector.ts';

const labels = { app: 'web', cores: '8', empty: '', text: 'many' };
const ask = (key: string, operator: Operator, ...values: string[]): Requirement => ({ key, operator, values });

describe('D1, E10: a requirement on a label', () => {
  it.each([
    { it: 'In a list', requirement: ask('app', 'In', 'api', 'web'), holds: true },
    { it: 'In another list', requirement: ask('app', 'In', 'api'), holds: false },
    { it: 'In, where there is none', requirement: ask('tier', 'In', 'web'), holds: false },
    { it: 'In the empty text', requirement: ask('empty', 'In', ''), holds: true },
    { it: 'NotIn a list', requirement: ask('app', 'NotIn', 'web'), holds: false },
    { it: 'NotIn another list', requirement: ask('app', 'NotIn', 'api'), holds: true },
    { it: 'NotIn, where there is none', requirement: ask('tier', 'NotIn', 'web'), holds: true },
    { it: 'Exists', requirement: ask('app', 'Exists'), holds: true },
    { it: 'Exists, though empty', requirement: ask('empty', 'Exists'), holds: true },
    { it: 'Exists, where there is none', requirement: ask('tier', 'Exists'), holds: false },
    { it: 'DoesNotExist', requirement: ask('app', 'DoesNotExist'), holds: false },
    { it: 'DoesNotExist, where there is none', requirement: ask('tier', 'DoesNotExist'), holds: true },
    { it: 'Gt less', requirement: ask('cores', 'Gt', '7'), holds: true },
    { it: 'Gt the same', requirement: ask('cores', 'Gt', '8'), holds: false },
    { it: 'Lt more', requirement: ask('cores', 'Lt', '9'), holds: true },
    { it: 'Lt the same', requirement: ask('cores', 'Lt', '8'), holds: false },
    { it: 'Gte the same', requirement: ask('cores', 'Gte', '8'), holds: true },
    { it: 'Lte the same', requirement: ask('cores', 'Lte', '8'), holds: true },
    { it: 'Gt by number, not by text', requirement: ask('cores', 'Gt', '10'), holds: false },
    { it: 'Gt, where there is none', requirement: ask('tier', 'Gt', '1'), holds: false },
    { it: 'Lt of what is not a number', requirement: ask('text', 'Lt', '9'), holds: false },
    { it: 'Gt a bound that is not a number', requirement: ask('cores', 'Gt', 'few'), holds: false },
    { it: 'Gt two bounds', requirement: ask('cores', 'Gt', '1', '2'), holds: false },
  ])('$it: $holds', ({ requirement, holds }) => {
    expect(matches({ requirements: [requirement] }, labels)).toBe(holds);
  });
});

describe('E10: a selector', () => {
  it('needs all of its requirements', () => {
    expect(matches({ requirements: [ask('app', 'Exists'), ask('tier', 'Exists')] }, labels)).toBe(false);
  });

  it('without requirements means everything', () => {
    expect(matches({ requirements: [] }, {})).toBe(true);
  });

  it('that is null means nothing', () => {
    expect(matches({ requirements: [], nothing: true }, labels)).toBe(false);
  });
});

describe('F6: what a pod asks of its node', () => {
  const named = (...names: string[]) => ({ labels: [], names: [ask('metadata.name', 'In', ...names)] });
  const having = (...requirements: Requirement[]) => ({ labels: requirements, names: [] });

  it.each([
    { it: 'nothing', selector: { labels: {} }, fits: true },
    { it: 'a label it has', selector: { labels: { app: 'web' } }, fits: true },
    { it: 'a label it has not', selector: { labels: { app: 'web', tier: 'db' } }, fits: false },
    {
      it: 'one of two terms',
      selector: { labels: {}, terms: [having(ask('tier', 'Exists')), named('n1')] },
      fits: true,
    },
    { it: 'terms of which none holds', selector: { labels: {}, terms: [having(ask('tier', 'Exists'))] }, fits: false },
    { it: 'another name', selector: { labels: {}, terms: [named('n2', 'n3')] }, fits: false },
    { it: 'a term with nothing in it', selector: { labels: {}, terms: [having()] }, fits: false },
    { it: 'no term at all', selector: { labels: {}, terms: [] }, fits: false },
    {
      it: 'a term of which a part fails',
      selector: {
        labels: {},
        terms: [{ labels: [ask('app', 'In', 'web')], names: [ask('metadata.name', 'In', 'n2')] }],
      },
      fits: false,
    },
    { it: 'a label and a term', selector: { labels: { app: 'api' }, terms: [named('n1')] }, fits: false },
  ])('$it: $fits', ({ selector, fits }) => {
    expect(matchesNode(selector, 'n1', labels)).toBe(fits);
  });
});

describe('A whole number', () => {
  it.each([
    ['0', 0n],
    ['-5', -5n],
    ['+5', 5n],
    ['007', 7n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
  ])('%s', (text, value) => {
    expect(wholeNumber(text)).toBe(value);
  });

  it.each(['', ' 1', '1.0', '1e3', '0x1', 'one', '9223372036854775808', '-9223372036854775809'])(
    '%j is none',
    (text) => {
      expect(wholeNumber(text)).toBeUndefined();
    },
  );
});
