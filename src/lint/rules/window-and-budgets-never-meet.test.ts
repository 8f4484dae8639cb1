import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { windowAndBudgetsNeverMeet } from './window-and-budgets-never-meet.ts';

const { example } = windowAndBudgetsNeverMeet;
const changed = (from: string, to: string): string => example.replace(from, to);

describe('D2: window-and-budgets-never-meet', () => {
  it('finds its example', () => {
    expect(found(windowAndBudgetsNeverMeet)).toEqual([
      {
        rule: 'window-and-budgets-never-meet',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets',
        message:
          'The budgets of default and the windows over its nodes (nights-only) are never open together: nothing ever goes for any reason.',
        suggestion: 'Leave the hours to one of them: to the windows, or to budgets of zero.',
      },
    ]);
  });

  it('names the reasons for which it is so', () => {
    const text = changed('{nodes: "0", schedule', '{nodes: "0", reasons: [Drifted, Expired], schedule');
    expect(found(windowAndBudgetsNeverMeet, text)[0]?.message).toMatch(/goes for Drifted and Expired\.$/);
  });

  it.each([
    { name: 'hours that meet', text: changed('duration: 14h', 'duration: 5h') },
    {
      name: 'a pool that never opens by itself',
      text: changed('schedule: 0 18 * * *, duration: 14h', 'reasons: [Drifted]').replace('nodes: 10%', 'nodes: "0"'),
    },
    {
      name: 'a window over other nodes',
      text: changed(
        'mode: Allow',
        'mode: Allow\n  selector: {matchExpressions: [{key: karpenter.sh/nodepool, operator: In, values: [other]}]}',
      ),
    },
    {
      name: 'a window that asks for what is not known yet',
      text: changed(
        'mode: Allow',
        'mode: Allow\n  selector: {matchExpressions: [{key: zone, operator: NotIn, values: [a]}]}',
      ),
    },
    { name: 'a pool with a fault', text: changed('nodes: 10%', 'nodes: some') },
  ])('is silent about $name', ({ text }) => {
    expect(places(windowAndBudgetsNeverMeet, text)).toEqual([]);
  });
});
