import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { consolidationNever } from './consolidation-never.ts';

const { example } = consolidationNever;

describe('A3: consolidation-never', () => {
  it('finds its example', () => {
    expect(found(consolidationNever)).toEqual([
      {
        rule: 'consolidation-never',
        severity: 'info',
        object: 'NodePool/default',
        path: 'spec.disruption.consolidationPolicy',
        message:
          'consolidateAfter: Never switches consolidation off, so this policy has no effect: even empty nodes of default stay.',
        suggestion: 'Give consolidateAfter a duration such as 30s, unless no consolidation is meant.',
      },
    ]);
  });

  it('C2: finds the fields where older documents put them', () => {
    expect(places(consolidationNever, example.replace('  disruption:\n', '').replace(/ {4}/g, '  '))).toEqual([
      'info NodePool/default spec.consolidationPolicy',
    ]);
  });

  it.each([
    { name: 'a duration', text: example.replace('Never', '30s') },
    { name: 'no policy', text: example.replace(/.*consolidationPolicy.*\n/, '') },
  ])('is silent about $name', ({ text }) => {
    expect(places(consolidationNever, text)).toEqual([]);
  });
});
