import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { annotatedText, poolText } from '../facts/poolText.ts';
import { budgetEmptyReasons } from './budget-empty-reasons.ts';

describe('C1: budget-empty-reasons', () => {
  it('finds its example, and leaving the list out means the same', () => {
    expect(found(budgetEmptyReasons)).toMatchObject([
      {
        severity: 'warning',
        path: 'spec.disruption.budgets[0].reasons',
        fix: [{ path: 'spec.disruption.budgets[0].reasons', remove: true }],
      },
    ]);
  });

  it('finds it in the annotation, where nothing is written for certain', () => {
    const [finding] = found(budgetEmptyReasons, annotatedText('- {nodes: "1", reasons: []}'));
    expect(finding?.path).toBe('metadata.annotations[lull.dev/budgets][0].reasons');
    expect(finding?.fix).toBeUndefined();
  });

  it.each([
    { name: 'reasons that are left out', budgets: '- nodes: "1"' },
    { name: 'a reason', budgets: '- {nodes: "1", reasons: [Drifted]}' },
    { name: 'null, which is absent', budgets: '- {nodes: "1", reasons: null}' },
  ])('is silent about $name', ({ budgets }) => {
    expect(places(budgetEmptyReasons, poolText(budgets))).toEqual([]);
  });
});
