import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { budgetInverted } from './budget-inverted.ts';

describe('budget-inverted', () => {
  it('finds its example, with the hours that are free and the freeze that was meant', () => {
    expect(found(budgetInverted)).toEqual([
      {
        rule: 'budget-inverted',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].schedule',
        message:
          'This schedule says when at most 10% may go, not when nodes may go. Empty and Underutilized have no limit at all outside it: Monday to Thursday 17:00 to 09:00 the next day and Friday 17:00 to Monday 09:00 UTC.',
        suggestion: `# to let nodes go in these hours only, stop them at all others
- nodes: "0"
  schedule: "0 17 * * mon-thu"
  duration: 16h
  reasons: [Empty, Underutilized]
- nodes: "0"
  schedule: "0 17 * * fri"
  duration: 64h
  reasons: [Empty, Underutilized]`,
      },
    ]);
  });

  it('finds it where the schedule cannot be read, without its hours', () => {
    const text = poolText(
      '- {nodes: 10%, reasons: [Empty], schedule: "0 9 * * MON-FRI"}\n- {nodes: "5", reasons: [Drifted]}',
    );
    expect(found(budgetInverted, text)).toMatchObject([
      {
        path: 'spec.disruption.budgets[0].schedule',
        message:
          'This schedule says when at most 10% may go, not when nodes may go. Outside its hours Empty would have no limit at all.',
      },
    ]);
  });

  it.each([
    {
      name: 'a limit for all other hours',
      budgets: '- {nodes: "1", schedule: "0 9 * * *", duration: 8h}\n- nodes: "10%"',
    },
    {
      name: 'other hours that are frozen',
      budgets:
        '- {nodes: "1", schedule: "0 9 * * *", duration: 8h}\n- {nodes: "0", schedule: "0 17 * * *", duration: 16h}',
    },
    { name: 'a freeze, which is an exception', budgets: '- {nodes: "0", schedule: "0 9 * * *", duration: 8h}' },
    { name: 'a schedule that is always open', budgets: '- {nodes: "1", schedule: "@daily", duration: 24h}' },
    {
      name: 'a broken schedule beside a limit',
      budgets: '- {nodes: "1", schedule: "0 9 * * *"}\n- nodes: "10%"',
    },
  ])('is silent about $name', ({ budgets }) => {
    expect(places(budgetInverted, poolText(budgets))).toEqual([]);
  });
});
