import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { nodeOptOutLeft } from './node-opt-out-left.ts';

const { example } = nodeOptOutLeft;
const changed = (from: string, to: string): string => example.replace(from, to);

describe('E2: node-opt-out-left', () => {
  it('finds its example', () => {
    expect(found(nodeOptOutLeft, example, { at: '2025-03-01T09:00:00Z' })).toEqual([
      {
        rule: 'node-opt-out-left',
        severity: 'info',
        object: 'Node/n-1',
        path: 'metadata.annotations[karpenter.sh/do-not-disrupt]',
        message:
          'This node is 54 days old and may not be disrupted: it is kept from every drift, expiry and consolidation.',
        suggestion: 'Remove the annotation; or write lull.dev/hold: <why>, which says to everybody why it is kept.',
      },
    ]);
  });

  it.each([
    { name: 'a node of 30 days', text: example, at: '2025-02-05T09:00:00Z' },
    { name: 'a protection that ends', text: changed('"true"', '48h') },
    { name: 'N2: a node that Lull parked', text: changed('"true"', '"true", lull.dev/parked: "2026-11-17T10:00:00Z"') },
    { name: "a node that is not Karpenter's", text: changed('nodeName: n-1', 'nodeName: n-2') },
    {
      name: 'a node that does not say how old it is',
      text: changed('creationTimestamp: "2025-01-06T09:00:00Z"', 'uid: "1"'),
    },
  ])('is silent about $name', ({ text, at }) => {
    expect(places(nodeOptOutLeft, text, at === undefined ? {} : { at })).toEqual([]);
  });
});
