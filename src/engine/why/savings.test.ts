import { expect, it } from 'vitest';
import { describeSavings, describeWorth, trialReason } from './commandWhy.ts';

it.each([
  [{}, ''],
  [{ savings: 0.192, podsMoved: 3 }, 'saves 0.192 an hour, moves 3 pods'],
  [{ savings: 0.1 + 0.2, podsMoved: 1 }, 'saves 0.3 an hour, moves 1 pod'],
  [{ savings: -0.05, podsMoved: 0 }, 'costs 0.05 more an hour'],
  [{ savings: 0 }, 'saves nothing'],
  [{ savings: 0.000_01 }, 'saves nothing'],
  [{ podsMoved: 2 }, 'moves 2 pods'],
  [{ podsMoved: 0 }, ''],
])('the savings %j read: %s', (figures, words) => {
  expect(describeSavings(figures)).toBe(words);
});

it('F5: a trial offer has its cause instead of savings, which are not known', () => {
  expect(describeWorth({ trial: true, podsMoved: 3 })).toBe(`${trialReason}; moves 3 pods`);
  expect(describeWorth({ trial: true })).toBe(trialReason);
  expect(describeWorth({ savings: 0.1 })).toBe('saves 0.1 an hour');
});
