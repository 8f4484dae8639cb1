import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { fault } from './fault.ts';

describe('C8: fault', () => {
  it('finds its example, in the words of the reader', () => {
    expect(found(fault)).toEqual([
      {
        rule: 'fault',
        severity: 'error',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].duration',
        message: 'There is a duration but no schedule. Give both or neither.',
      },
    ]);
  });

  it('is a warning on pods and nodes, where rules go on to hold', () => {
    const pod =
      'apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {karpenter.sh/do-not-disrupt: sometimes}}\n';
    expect(places(fault, pod)).toEqual(['warning Pod/default/p metadata.annotations[karpenter.sh/do-not-disrupt]']);
  });

  it('finds two zones for one schedule', () => {
    const text = poolText('- {nodes: "0", schedule: "TZ=UTC 0 9 * * *", duration: 8h, timeZone: Europe/Berlin}');
    expect(places(fault, text)).toEqual(['warning NodePool/default spec.disruption.budgets[0].timeZone']);
  });

  it.each([
    { name: 'older spellings', text: poolText('- nodes: 5') },
    { name: 'empty lists, which have rules of their own', text: poolText('- {nodes: "1", reasons: []}') },
    { name: 'what can be read', text: poolText('- nodes: "5"') },
  ])('is silent about $name', ({ text }) => {
    expect(places(fault, text)).toEqual([]);
  });
});
