// Tests of the lint rules about budgets in combination.
import { describe, expect, it } from 'vitest';
import { annotatedText, exampleOf, found, places, poolText } from '../../../test/fixtures/lintPolicy.ts';

describe('C5: budget-frozen', () => {
  it('finds its example: the 20% never applies', () => {
    expect(found('budget-frozen')).toEqual([
      {
        rule: 'budget-frozen',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].nodes',
        message:
          'A budget of 0 without reasons freezes every reason at all times, so budgets[1] (20% for Empty) never applies.',
        suggestion: `# replaces these budgets
- nodes: "0"
  reasons: [Unhealthy, Drifted, Underutilized]
- nodes: "20%"`,
      },
    ]);
  });

  it('names all reasons in the annotation, where they are all known', () => {
    const [finding] = found('budget-frozen', annotatedText('- nodes: "0"\n- {nodes: "20%", reasons: [Empty]}'));
    expect(finding?.suggestion).toContain('[Unhealthy, Drifted, Expired, Rebalance, Underutilized]');
    expect(finding?.suggestion).toContain('- nodes: "20%"\n  reasons: [Empty]');
  });

  it('leaves nothing of it to budget-never-least', () => {
    expect(found('budget-never-least', exampleOf('budget-frozen'))).toEqual([]);
  });

  it.each(['- nodes: "0"', '- nodes: "0%"', '- nodes: "0"\n- {nodes: "0", reasons: [Drifted]}'])(
    'finds a pool that never disrupts a node: %j',
    (budgets) => {
      expect(found('budget-frozen', poolText(budgets))).toMatchObject([
        { severity: 'warning', message: expect.stringContaining('no node of this pool is ever disrupted voluntarily') },
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
    expect(places('budget-frozen', text)).toEqual([]);
  });
});

describe('budget-never-least', () => {
  const messages = (budgets: string): string[] =>
    found('budget-never-least', poolText(budgets)).map(({ message }) => message);

  it('finds its example, and how more is allowed in a window', () => {
    expect(found('budget-never-least')).toEqual([
      {
        rule: 'budget-never-least',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[1].nodes',
        message:
          '30% never decides: whenever this budget applies, budgets[0] (10%) applies to the same reasons, and the smallest budget wins.',
        suggestion:
          '# replaces budgets[0]: 10% at all other hours\n- nodes: "10%"\n  schedule: "0 0 * * mon"\n  duration: 120h',
      },
    ]);
  });

  it('leaves a reason that a freeze without reasons holds as well to budget-frozen (C5)', () => {
    expect(messages('- {nodes: "100%", reasons: [Empty]}\n- nodes: "0"')).toEqual([]);
  });

  it('finds a budget for unnamed reasons if all are named', () => {
    const all = '[Empty, Underutilized, Drifted, Expired, Unhealthy, Rebalance]';
    expect(messages(`- {nodes: "20%", reasons: ${all}}\n- nodes: "5"`)).toEqual([
      'Other budgets name every reason, and this one is for reasons that none names: its 5 never applies. Karpenter would read it as a ceiling for all reasons.',
    ]);
  });

  it('notes a budget that says the same again', () => {
    expect(
      places('budget-never-least', poolText('- nodes: "10%"\n- {nodes: "10%", schedule: "0 9 * * *", duration: 8h}')),
    ).toEqual(['info NodePool/default spec.disruption.budgets[1].nodes']);
  });

  const named = '- nodes: "10%"\n- {nodes: "100%", reasons: [Empty]}';

  it('is exact: what decides by fallback may never decide by ceiling', () => {
    expect(places('budget-never-least', poolText(named))).toEqual([]);
    expect(places('budget-never-least', poolText(named), { settings: { defaultBudgets: 'ceiling' } })).toEqual([
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
      name: 'a window kept shut, which budget-shut reports',
      budgets: '- {nodes: "1", schedule: "0 2 * * *", duration: 4h}\n- nodes: "0"',
    },
  ])('is silent about $name', ({ budgets }) => {
    expect(places('budget-never-least', poolText(budgets))).toEqual([]);
  });
});

describe('C5: budget-reason-missing', () => {
  it('finds its example', () => {
    expect(found('budget-reason-missing')).toEqual([
      {
        rule: 'budget-reason-missing',
        severity: 'info',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets',
        message:
          'No budget applies to Unhealthy, Expired and Rebalance, so any number of nodes may be disrupted for them at the same time. The default of 10% applies only to pools without budgets.',
        suggestion:
          'In the spec, Karpenter would read one more budget as a ceiling for the others. Move the budgets to the annotation lull.dev/budgets and add there: nodes: "10%"',
      },
    ]);
  });

  it.each([
    { name: 'in the annotation', text: annotatedText('- {nodes: "80%", reasons: [Drifted]}') },
    { name: 'where it is not a ceiling', text: poolText('- {nodes: "1", reasons: [Drifted]}') },
  ])('suggests one more budget $name', ({ text }) => {
    expect(found('budget-reason-missing', text)[0]?.suggestion).toBe('- nodes: "10%"');
  });

  it('names the reasons in its suggestion where a budget without any would bind all', () => {
    const [finding] = found('budget-reason-missing', undefined, { settings: { defaultBudgets: 'ceiling' } });
    expect(finding?.suggestion).toBe(
      'Karpenter\'s CRD does not accept all of these reasons. Move the budgets to the annotation lull.dev/budgets and add there: nodes: "10%", reasons: [Unhealthy, Expired, Rebalance]',
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
    expect(places('budget-reason-missing', poolText(budgets), { settings: { role } })).toEqual([
      `${severity} NodePool/default spec.disruption.budgets`,
    ]);
  });

  it.each([
    { name: 'a budget for unnamed reasons', budgets: '- {nodes: "1", reasons: [Drifted]}\n- nodes: "10%"' },
    {
      name: 'hours without a limit, which another rule reports',
      budgets: '- {nodes: "0", schedule: "0 9 * * *", duration: 8h}',
    },
    {
      name: 'a topology budget alone, which another rule reports',
      budgets: '- {nodes: "1", topologyKey: topology.kubernetes.io/zone}',
    },
    {
      name: 'reasons that the pool turns off',
      budgets: '- {nodes: "1", reasons: [Drifted, Expired, Rebalance, Unhealthy]}',
      more: 'consolidateAfter: Never',
    },
    { name: 'a budget that cannot be read', budgets: '- {nodes: many, reasons: [Drifted]}' },
  ])('is silent about $name', ({ budgets, more }) => {
    expect(places('budget-reason-missing', poolText(budgets, more))).toEqual([]);
  });
});
