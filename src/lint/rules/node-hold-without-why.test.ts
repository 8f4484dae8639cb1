import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { nodeHoldWithoutWhy } from './node-hold-without-why.ts';

const { example } = nodeHoldWithoutWhy;

describe('E2: node-hold-without-why', () => {
  it('finds its example', () => {
    expect(found(nodeHoldWithoutWhy)).toEqual([
      {
        rule: 'node-hold-without-why',
        severity: 'info',
        object: 'Node/n-1',
        path: 'metadata.annotations[lull.dev/hold]',
        message: 'This node is held, but nobody can see by whom and why.',
        suggestion: 'Say so in the value, such as lull.dev/hold: "mia, kernel debugging until Friday".',
      },
    ]);
  });

  it('finds an empty value', () => {
    expect(places(nodeHoldWithoutWhy, example.replace('"true"', '" "'))).toHaveLength(1);
  });

  it.each([
    { name: 'a why', text: example.replace('"true"', 'mia debugs') },
    { name: 'no hold', text: example.replace('hold', 'other') },
  ])('is silent about $name', ({ text }) => {
    expect(places(nodeHoldWithoutWhy, text)).toEqual([]);
  });
});
