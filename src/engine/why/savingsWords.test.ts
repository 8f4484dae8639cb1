import { expect, it } from 'vitest';
import { saySavings, sayWorth, trialWords } from './savingsWords.ts';

it.each([
  [{}, ''],
  [{ savings: 0.192, podsMoved: 3 }, 'saves 0.192 an hour, moves 3 pods'],
  [{ savings: 0.1 + 0.2, podsMoved: 1 }, 'saves 0.3 an hour, moves 1 pod'],
  [{ savings: -0.05, podsMoved: 0 }, 'costs 0.05 more an hour'],
  [{ savings: 0 }, 'saves nothing'],
  [{ savings: 0.000_01 }, 'saves nothing'],
  [{ podsMoved: 2 }, 'moves 2 pods'],
  [{ podsMoved: 0 }, ''],
])('a command of %j is told: %s', (figures, words) => {
  expect(saySavings(figures)).toBe(words);
});

it('F5: of a trial offer it is said why, since what it saves is not known', () => {
  expect(sayWorth({ trial: true, podsMoved: 3 })).toBe(`${trialWords}; moves 3 pods`);
  expect(sayWorth({ trial: true })).toBe(trialWords);
  expect(sayWorth({ savings: 0.1 })).toBe('saves 0.1 an hour');
});
