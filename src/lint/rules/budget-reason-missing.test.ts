import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { annotatedText, poolText } from '../facts/poolText.ts';
import { budgetReasonMissing } from './budget-reason-missing.ts';

describe('C5: budget-reason-missing', () => {
  it('finds its example', () => {
    expect(found(budgetReasonMissing)).toEqual([
      {
        rule: 'budget-reason-missing',
        severity: 'info',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets',
        message:
          'No budget is for Unhealthy, Expired and Rebalance, so any number of nodes may go for them at once. The default of 10% holds only where no budgets are written.',
        suggestion:
          'In the spec Karpenter would take one more budget for a ceiling of the others. Write the budgets in the annotation lull.dev/budgets, and there one more: nodes: "10%"',
      },
    ]);
  });

  it.each([
    { name: 'in the annotation', text: annotatedText('- {nodes: "80%", reasons: [Drifted]}') },
    { name: 'where it is no ceiling', text: poolText('- {nodes: "1", reasons: [Drifted]}') },
  ])('suggests one more budget $name', ({ text }) => {
    expect(found(budgetReasonMissing, text)[0]?.suggestion).toBe('- nodes: "10%"');
  });

  it('names the reasons in its suggestion where a budget without any would bind all', () => {
    const [finding] = found(budgetReasonMissing, undefined, { settings: { defaultBudgets: 'ceiling' } });
    expect(finding?.suggestion).toBe(
      'Karpenter\'s CRD does not know all of these reasons. Write the budgets in the annotation lull.dev/budgets, and there one more: nodes: "10%", reasons: [Unhealthy, Expired, Rebalance]',
    );
  });

  it.each([
    {
      name: 'a note where Lull only looks on, and Karpenter has no budgets for them',
      budgets: '- {nodes: "1", reasons: [Drifted, Empty, Underutilized]}',
      role: 'observe' as const,
      severity: 'info',
    },
    {
      name: 'a warning where Lull acts',
      budgets: '- {nodes: "1", reasons: [Drifted, Empty, Underutilized]}',
      role: 'guide' as const,
      severity: 'warning',
    },
    {
      name: 'a warning where Karpenter acts by it too',
      budgets: '- {nodes: "0", reasons: [Drifted]}\n- {nodes: "100%", reasons: [Empty]}',
      role: 'observe' as const,
      severity: 'warning',
    },
  ])('is $name', ({ budgets, role, severity }) => {
    expect(places(budgetReasonMissing, poolText(budgets), { settings: { role } })).toEqual([
      `${severity} NodePool/default spec.disruption.budgets`,
    ]);
  });

  it.each([
    { name: 'a budget for those that nobody names', budgets: '- {nodes: "1", reasons: [Drifted]}\n- nodes: "10%"' },
    {
      name: 'hours without a limit, which are told elsewhere',
      budgets: '- {nodes: "0", schedule: "0 9 * * *", duration: 8h}',
    },
    {
      name: 'a topology budget alone, which is told elsewhere',
      budgets: '- {nodes: "1", topologyKey: topology.kubernetes.io/zone}',
    },
    {
      name: 'reasons that the pool turns off',
      budgets: '- {nodes: "1", reasons: [Drifted, Expired, Rebalance, Unhealthy]}',
      more: 'consolidateAfter: Never',
    },
    { name: 'a budget that cannot be read', budgets: '- {nodes: many, reasons: [Drifted]}' },
  ])('is silent about $name', ({ budgets, more }) => {
    expect(places(budgetReasonMissing, poolText(budgets, more))).toEqual([]);
  });
});
