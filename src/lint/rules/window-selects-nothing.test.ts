import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { windowSelectsNothing } from './window-selects-nothing.ts';

const { example } = windowSelectsNothing;
const changed = (from: string, to: string): string => example.replace(from, to);

describe('D8: window-selects-nothing', () => {
  it('finds its example, and the label that was meant', () => {
    expect(found(windowSelectsNothing)).toEqual([
      {
        rule: 'window-selects-nothing',
        severity: 'warning',
        object: 'MaintenanceWindow/batch-days',
        path: 'spec.selector',
        message: "It selects no node of the input, which holds 1 node of Karpenter's: it holds nothing back.",
        suggestion: 'Did you mean the label karpenter.sh/nodepool?',
      },
    ]);
  });

  it.each([
    {
      wanted: '{key: karpenter.sh/nodepool, operator: In, values: [Batch]}',
      suggestion: 'Did you mean the value batch of karpenter.sh/nodepool?',
    },
    // Close, but another one.
    {
      wanted: '{key: karpenter.sh/nodepool, operator: In, values: [batch2]}',
      suggestion: 'Select nodes by labels that they carry, or remove it.',
    },
  ])('suggests for $wanted', ({ wanted, suggestion }) => {
    const text = changed('{key: karpenter.sh/nodePool, operator: In, values: [batch]}', wanted);
    expect(found(windowSelectsNothing, text)[0]?.suggestion).toBe(suggestion);
  });

  it.each([
    { name: 'a window that selects a node', text: changed('nodePool', 'nodepool') },
    {
      name: 'a window over every node',
      text: changed(
        '  selector: {matchExpressions: [{key: karpenter.sh/nodePool, operator: In, values: [batch]}]}\n',
        '',
      ),
    },
    { name: 'input without nodes', text: example.slice(0, example.indexOf('---')) },
    { name: "input without nodes of Karpenter's", text: changed('nodeName: n-1', 'nodeName: n-2') },
    { name: 'a window that cannot be read', text: changed('0 8 * * *', 'soon') },
  ])('is silent about $name', ({ text }) => {
    expect(places(windowSelectsNothing, text)).toEqual([]);
  });
});
