import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { karpenterBudgetBinds } from './karpenter-budget-binds.ts';

const { example } = karpenterBudgetBinds;
const changed = (from: string, to: string): string => example.replace(from, to);
const guide = { settings: { role: 'guide' } } as const;

describe('N4: karpenter-budget-binds', () => {
  it('finds its example', () => {
    expect(found(karpenterBudgetBinds)).toEqual([
      {
        rule: 'karpenter-budget-binds',
        severity: 'info',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets',
        message:
          'lull.dev/budgets lets 50 of 100 nodes go at once for Drifted, but spec.disruption.budgets lets Karpenter take 10: the smaller holds.',
        suggestion:
          'Nothing, if the spec is what should hold: it also holds while Lull is away. Otherwise raise its limit to 50; keep one there.',
      },
    ]);
  });

  it('is told alike where Lull guides', () => {
    expect(places(karpenterBudgetBinds, example, guide)).toEqual(['info NodePool/default spec.disruption.budgets']);
  });

  it.each([
    {
      name: 'the default of 10%',
      text: changed('    budgets: [{nodes: 10%}]', '    consolidateAfter: 5m'),
      says: 'the default of Karpenter, 10%, lets Karpenter take 10',
    },
    {
      name: 'a freeze that comes later',
      text: changed('[{nodes: 10%}]', '[{nodes: "0", schedule: 0 9 * * 6, duration: 8h}]'),
      says: 'for Drifted at 2026-11-21T09:00:00Z, but',
    },
    {
      name: 'a freeze beside budgets by zone',
      text: changed(
        '- {nodes: 50%}',
        '- {nodes: "1", topologyKey: zone, sequential: true}\n      - {nodes: 10%}',
      ).replace('[{nodes: 10%}]', '[{nodes: "0", reasons: [Drifted]}]'),
      says: 'lets 1 of 100 nodes go at once for Drifted, but spec.disruption.budgets lets Karpenter take 0',
    },
  ])('finds $name', ({ text, says }) => {
    expect(found(karpenterBudgetBinds, text)[0]?.message).toContain(says);
  });

  it.each([
    { name: '100% in the spec', text: changed('[{nodes: 10%}]', '[{nodes: 100%}]') },
    {
      name: 'what Karpenter limits though Lull does not',
      text: changed('- {nodes: 50%}', '- {nodes: 5%, reasons: [Drifted]}'),
    },
    { name: 'no limit in the spec', text: changed('[{nodes: 10%}]', '[]') },
    { name: 'the same in both', text: changed('{nodes: 50%}', '{nodes: 10%}') },
    {
      name: 'budgets by zone, of which nobody knows how many go at once',
      text: changed(
        '- {nodes: 50%}',
        '- {nodes: "1", topologyKey: zone}\n      - {nodes: 10%, reasons: [Empty, Underutilized]}',
      ),
    },
    { name: 'budgets in the spec alone', text: example.replace(/ {2}annotations:[\s\S]*?spec:/, 'spec:') },
    {
      name: 'a limit on consolidation that is off',
      text: changed('[{nodes: 10%}]', '[{nodes: "0", reasons: [Empty]}]\n    consolidateAfter: Never'),
    },
  ])('is silent about $name', ({ text }) => {
    expect(places(karpenterBudgetBinds, text, guide)).toEqual([]);
  });
});
