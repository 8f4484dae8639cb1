import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { budgetPolicyOff } from './budget-policy-off.ts';

const messages = (budgets: string, more: string): string[] =>
  found(budgetPolicyOff, poolText(budgets, more)).map(({ message }) => message);

describe('A3: budget-policy-off', () => {
  it('finds its example', () => {
    expect(found(budgetPolicyOff)).toMatchObject([
      {
        severity: 'info',
        path: 'spec.disruption.budgets[1].reasons',
        message: 'Underutilized is off by consolidationPolicy: WhenEmpty anyway, so naming it here does nothing.',
      },
    ]);
  });

  it('finds a budget of which nothing is left', () => {
    expect(messages('- {nodes: "1", reasons: [Empty, Underutilized]}', 'consolidateAfter: Never')).toEqual([
      'Empty and Underutilized are off by consolidateAfter: Never anyway, so this budget does nothing.',
    ]);
  });

  it('finds repair and expiry that are off', () => {
    expect(messages('- {nodes: "1", reasons: [Unhealthy]}', 'repairAfter: Never')).toEqual([
      'Unhealthy is off by repairAfter: Never anyway, so this budget does nothing.',
    ]);
    expect(
      places(budgetPolicyOff, poolText('- {nodes: "1", reasons: [Expired]}'), { settings: { expiration: 'forceful' } }),
    ).toEqual(['info NodePool/default spec.disruption.budgets[0].reasons']);
  });

  it.each([
    {
      name: 'Empty, which WhenEmpty leaves on',
      budgets: '- {nodes: "1", reasons: [Empty]}',
      more: 'consolidationPolicy: WhenEmpty',
    },
    { name: 'a budget for every reason', budgets: '- nodes: "1"', more: 'consolidationPolicy: WhenEmpty' },
    { name: 'a pool that consolidates', budgets: '- {nodes: "1", reasons: [Underutilized]}', more: '' },
  ])('is silent about $name', ({ budgets, more }) => {
    expect(messages(budgets, more)).toEqual([]);
  });
});
