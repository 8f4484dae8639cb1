import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { annotatedText, poolText } from '../facts/poolText.ts';
import { budgetEmptyList } from './budget-empty-list.ts';

describe('C1: budget-empty-list', () => {
  it('finds its example', () => {
    expect(found(budgetEmptyList)).toEqual([
      {
        rule: 'budget-empty-list',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets',
        message:
          'An empty list sets no limit at all: every node of default may go at once, for any reason. Only an absent list means 10%.',
        suggestion: '- nodes: "10%"',
      },
    ]);
  });

  it('finds an empty list in the annotation', () => {
    expect(places(budgetEmptyList, annotatedText('[]'))).toEqual([
      'warning NodePool/default metadata.annotations[lull.dev/budgets]',
    ]);
  });

  it.each([
    { name: 'an absent list', text: 'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n' },
    { name: 'a list of one', text: poolText('- nodes: "100%"') },
    { name: 'an annotation that cannot be read, which is a fault', text: annotatedText('nodes: 1') },
  ])('is silent about $name', ({ text }) => {
    expect(places(budgetEmptyList, text)).toEqual([]);
  });
});
