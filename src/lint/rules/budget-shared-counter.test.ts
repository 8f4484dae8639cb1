import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { budgetSharedCounter } from './budget-shared-counter.ts';

describe('C4: budget-shared-counter', () => {
  it('finds its example', () => {
    expect(found(budgetSharedCounter)).toMatchObject([
      {
        severity: 'info',
        path: 'spec.disruption.budgets[0].nodes',
        message:
          'All reasons share one counter: nodes that go for Empty and Underutilized under budgets[1] (100%) use up this 1 too, so Drifted must wait while they are in flight.',
      },
    ]);
  });

  it.each([
    {
      name: 'numbers that are near each other',
      budgets: '- {nodes: "10", reasons: [Drifted]}\n- {nodes: "15", reasons: [Empty]}',
    },
    {
      name: 'a freeze, which waits anyway',
      budgets: '- {nodes: "0", reasons: [Drifted]}\n- {nodes: "100%", reasons: [Empty]}',
    },
    {
      name: 'the same reason twice',
      budgets: '- {nodes: "1", reasons: [Drifted]}\n- {nodes: "100%", reasons: [Drifted]}',
    },
    { name: 'a budget for all others', budgets: '- {nodes: "1", reasons: [Drifted]}\n- nodes: "100%"' },
  ])('is silent about $name', ({ budgets }) => {
    expect(places(budgetSharedCounter, poolText(budgets))).toEqual([]);
  });
});
