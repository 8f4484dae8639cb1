// Label selectors.
import { describe, expect, it } from 'vitest';
import { selects } from './kubeObject.ts';

const labels = { app: 'web', tier: 'front' };
const expression = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, ...(values.length > 0 && { values }) }],
});

describe('a label selector', () => {
  it.each([
    ['absent: nothing', undefined, false],
    ['null: nothing', null, false],
    ['empty: everything', {}, true],
    ['matchLabels', { matchLabels: { app: 'web' } }, true],
    ['one of several labels differs', { matchLabels: { app: 'web', tier: 'back' } }, false],
    ['In', expression('app', 'In', 'api', 'web'), true],
    ['In without the label', expression('zone', 'In', 'a'), false],
    ['NotIn', expression('app', 'NotIn', 'web'), false],
    ['NotIn without the label', expression('zone', 'NotIn', 'a'), true],
    ['Exists', expression('app', 'Exists'), true],
    ['DoesNotExist', expression('app', 'DoesNotExist'), false],
    ['an unknown operator', expression('app', 'Like', 'web'), false],
    ['what every object inherits', expression('constructor', 'Exists'), false],
    ['both must hold', { matchLabels: { app: 'web' }, ...expression('tier', 'In', 'back') }, false],
  ])('%s', (_name, selector, wanted) => {
    expect(selects(selector, labels)).toBe(wanted);
  });
});
