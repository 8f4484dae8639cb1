import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { annotatedText, poolText } from '../facts/poolText.ts';
import { budgetFrozen } from './budget-frozen.ts';
import { budgetNeverLeast } from './budget-never-least.ts';

describe('C5: budget-frozen', () => {
  it('finds its example: the 20% never applies', () => {
    expect(found(budgetFrozen)).toEqual([
      {
        rule: 'budget-frozen',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].nodes',
        message:
          'A budget of 0 without reasons freezes every reason at all times, so budgets[1] (20% for Empty) never applies.',
        suggestion: `# in place of these budgets
- nodes: "0"
  reasons: [Unhealthy, Drifted, Underutilized]
- nodes: "20%"`,
      },
    ]);
  });

  it('names all reasons in the annotation, where they are all known', () => {
    const [finding] = found(budgetFrozen, annotatedText('- nodes: "0"\n- {nodes: "20%", reasons: [Empty]}'));
    expect(finding?.suggestion).toContain('[Unhealthy, Drifted, Expired, Rebalance, Underutilized]');
    expect(finding?.suggestion).toContain('- nodes: "20%"\n  reasons: [Empty]');
  });

  it('leaves nothing of it to budget-never-least', () => {
    expect(found(budgetNeverLeast, budgetFrozen.example)).toEqual([]);
  });

  it.each(['- nodes: "0"', '- nodes: "0%"', '- nodes: "0"\n- {nodes: "0", reasons: [Drifted]}'])(
    'finds a pool of which nothing ever goes: %j',
    (budgets) => {
      expect(found(budgetFrozen, poolText(budgets))).toMatchObject([
        { severity: 'warning', message: expect.stringContaining('nothing of this pool is ever disrupted voluntarily') },
      ]);
    },
  );

  it.each([
    { name: 'a 0 for some reasons', text: poolText('- {nodes: "0", reasons: [Drifted]}\n- nodes: "10%"') },
    { name: 'a 0 at some hours', text: poolText('- {nodes: "0", schedule: "@daily", duration: 8h}\n- nodes: "10%"') },
    {
      name: 'a 0 that shuts a window: budget-shut says more',
      text: poolText('- nodes: "0"\n- {nodes: "100%", schedule: "0 2 * * 6", duration: 4h}'),
    },
    { name: 'a 0 beside another budget for every reason', text: poolText('- nodes: "0"\n- nodes: "10%"') },
  ])('is silent about $name', ({ text }) => {
    expect(places(budgetFrozen, text)).toEqual([]);
  });
});
