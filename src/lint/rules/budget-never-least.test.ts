import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { budgetNeverLeast } from './budget-never-least.ts';

const messages = (budgets: string): string[] =>
  found(budgetNeverLeast, poolText(budgets)).map(({ message }) => message);

describe('budget-never-least', () => {
  it('finds its example, and how more is allowed in a window', () => {
    expect(found(budgetNeverLeast)).toEqual([
      {
        rule: 'budget-never-least',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[1].nodes',
        message:
          '30% is never the least: whenever this budget holds, budgets[0] (10%) holds for the same reasons, and the least wins.',
        suggestion:
          '# in place of budgets[0]: 10% at all other hours\n- nodes: "10%"\n  schedule: "0 0 * * mon"\n  duration: 120h',
      },
    ]);
  });

  it('leaves a reason that a freeze without reasons holds as well to budget-frozen (C5)', () => {
    expect(messages('- {nodes: "100%", reasons: [Empty]}\n- nodes: "0"')).toEqual([]);
  });

  it('finds a budget for reasons that nobody names, where all are named', () => {
    const all = '[Empty, Underutilized, Drifted, Expired, Unhealthy, Rebalance]';
    expect(messages(`- {nodes: "20%", reasons: ${all}}\n- nodes: "5"`)).toEqual([
      'Every reason is named by another budget, and this one is for those that none names: its 5 never holds. Karpenter would read it as a ceiling for all.',
    ]);
  });

  it('notes a budget that says the same again', () => {
    expect(
      places(budgetNeverLeast, poolText('- nodes: "10%"\n- {nodes: "10%", schedule: "0 9 * * *", duration: 8h}')),
    ).toEqual(['info NodePool/default spec.disruption.budgets[1].nodes']);
  });

  const named = '- nodes: "10%"\n- {nodes: "100%", reasons: [Empty]}';

  it('is exact: what decides by fallback may never decide by ceiling', () => {
    expect(places(budgetNeverLeast, poolText(named))).toEqual([]);
    expect(places(budgetNeverLeast, poolText(named), { settings: { defaultBudgets: 'ceiling' } })).toEqual([
      'warning NodePool/default spec.disruption.budgets[1].nodes',
    ]);
  });

  it.each([
    { name: 'a count beside a percentage: in a large pool it is the least', budgets: '- nodes: "10%"\n- nodes: "3"' },
    { name: 'a percentage beside a count: in a small pool it is the least', budgets: '- nodes: "5"\n- nodes: "50%"' },
    {
      name: 'budgets for different reasons',
      budgets: '- {nodes: "1", reasons: [Drifted]}\n- {nodes: "50%", reasons: [Empty]}',
    },
    {
      name: 'the same number for a reason that is frozen at times',
      budgets:
        '- nodes: "10%"\n- {nodes: "0", reasons: [Drifted], schedule: "0 0 * * 1-5", duration: 9h}\n- {nodes: "10%", reasons: [Drifted]}',
    },
    {
      name: 'hours that do not meet',
      budgets:
        '- {nodes: "10%", schedule: "0 6 * * *", duration: 16h}\n- {nodes: "50%", schedule: "0 22 * * *", duration: 8h}',
    },
    {
      name: 'a window kept shut, which budget-shut tells',
      budgets: '- {nodes: "1", schedule: "0 2 * * *", duration: 4h}\n- nodes: "0"',
    },
  ])('is silent about $name', ({ budgets }) => {
    expect(places(budgetNeverLeast, poolText(budgets))).toEqual([]);
  });
});
