import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { annotatedText, poolText } from '../facts/poolText.ts';
import { upstreamBudgetsInSpec } from './upstream-budgets-in-spec.ts';

const guide = { settings: { role: 'guide' as const } };

describe('N4: upstream-budgets-in-spec', () => {
  it('finds its example, where Lull guides', () => {
    expect(found(upstreamBudgetsInSpec, undefined, guide)).toMatchObject([
      { severity: 'warning', path: 'spec.disruption.budgets' },
    ]);
    expect(found(upstreamBudgetsInSpec)).toEqual([]);
  });

  it.each([
    { name: '100%, which leaves Karpenter free', text: poolText('- nodes: "100%"') },
    { name: 'the annotation', text: annotatedText('- nodes: "10%"') },
    { name: 'an empty list', text: poolText('[]') },
  ])('is silent about $name', ({ text }) => {
    expect(places(upstreamBudgetsInSpec, text, guide)).toEqual([]);
  });
});
