import { describe, expect, it } from 'vitest';
import { exampleOf, found, places } from '../../../test/fixtures/lintPolicy.ts';

describe('P3: waves-collapse', () => {
  const example = exampleOf('waves-collapse');

  it('finds its example', () => {
    expect(found('waves-collapse')).toEqual([
      {
        rule: 'waves-collapse',
        severity: 'info',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[1].waves',
        message: 'default has 1 node now: 10% is left out, because the waves before replace as many.',
        suggestion: 'Use numbers that differ for 1 node, or remove it.',
      },
    ]);
  });

  it.each([
    { name: 'one wave', text: example.replace('"1", 10%', '"1"') },
    { name: 'a pool without nodes', text: example.slice(0, example.indexOf('---')) },
  ])('is silent about $name', ({ text }) => {
    expect(places('waves-collapse', text)).toEqual([]);
  });
});

describe('P3: waves-unused', () => {
  it('finds its example', () => {
    expect(found('waves-unused')).toEqual([
      {
        rule: 'waves-unused',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[2].waves',
        message:
          'Only the first budget with waves of a pool is used, and budgets[1] (1) comes first: these waves have no effect.',
        suggestion: 'Keep one list of waves.',
      },
    ]);
  });
});

describe('P3: waves-without-settle', () => {
  const example = exampleOf('waves-without-settle');

  it('finds its example', () => {
    expect(found('waves-without-settle')).toEqual([
      {
        rule: 'waves-without-settle',
        severity: 'info',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[1].waves',
        message:
          'Without settle, the next wave of default begins as soon as the pods of this one run: an error that shows later reaches it too.',
        suggestion: 'settle: 10m',
      },
    ]);
  });

  it('is silent about waves that settle, whose settle is not called unused', () => {
    const text = example.replace('10%]}', '10%], settle: 10m}');
    expect(places('waves-without-settle', text)).toEqual([]);
    expect(places('budget-topology-inert', text)).toEqual([]);
  });
});
