// Tests of the lint rules about what people ask for.
import { describe, expect, it } from 'vitest';
import { exampleOf, found, places } from '../../../test/fixtures/lintPolicy.ts';

describe('Q1: roll-in-future', () => {
  const example = exampleOf('roll-in-future');

  it('finds its example', () => {
    expect(found('roll-in-future', example, { at: '2026-11-18T10:00:00Z' })).toEqual([
      {
        rule: 'roll-in-future',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'metadata.annotations[lull.dev/roll-requested]',
        message: 'This roll has no effect before 2062-11-18T10:00:00Z, and it is 2026-11-18T10:00:00Z now.',
        suggestion: 'Use the time of the request; `lull roll` writes it.',
      },
    ]);
  });

  it('finds one on a node', () => {
    const node = `apiVersion: v1\nkind: Node\nmetadata: {name: n-1, annotations: {lull.dev/roll-requested: "2062-11-18T10:00:00Z"}}`;
    expect(places('roll-in-future', node)).toEqual(['warning Node/n-1 metadata.annotations[lull.dev/roll-requested]']);
  });

  it('is silent once it has come', () => {
    expect(places('roll-in-future', example, { at: '2062-11-18T10:00:00Z' })).toEqual([]);
  });
});

describe('Q2: approval-in-vain', () => {
  const example = exampleOf('approval-in-vain');

  it('finds its example', () => {
    expect(found('approval-in-vain')).toEqual([
      {
        rule: 'approval-in-vain',
        severity: 'info',
        object: 'NodePool/default',
        path: 'metadata.annotations[lull.dev/approved]',
        message: 'Nothing requires approval for pool default: this approval has no effect.',
        suggestion: 'Set lull.dev/approval: required on the pool, or remove the approval.',
      },
    ]);
  });

  it.each([
    ['the pool', example.replace('{lull.dev/approved', '{lull.dev/approval: required, lull.dev/approved')],
    [
      'a window',
      `${example}---\napiVersion: karpenter.sh/v1alpha1\nkind: MaintenanceWindow\nmetadata: {name: w}\nspec: {approval: true}\n`,
    ],
  ])('is silent where %s requires it', (_, text) => {
    expect(places('approval-in-vain', text)).toEqual([]);
  });
});

describe('K1: an unreadable request', () => {
  it('is an error', () => {
    const example = exampleOf('roll-in-future').replace(/"2062.*"/, 'now');
    expect(found('fault', example)).toMatchObject([{ severity: 'error', object: 'NodePool/default' }]);
  });
});
