import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { fault } from './fault.ts';
import { perReasonBlocks } from './per-reason-blocks.ts';

describe('per-reason-blocks', () => {
  it('finds its example, and no other rule tells it again', () => {
    expect(found(perReasonBlocks)).toMatchObject([{ severity: 'warning', path: 'spec.disruption.drift' }]);
    expect(found(fault, perReasonBlocks.example)).toEqual([]);
  });

  it('finds blocks beside a list', () => {
    const text = poolText('- nodes: "1"', 'defaults: {budgets: [{nodes: "5"}]}');
    expect(places(perReasonBlocks, text)).toEqual(['warning NodePool/default spec.disruption.defaults']);
  });

  it.each([
    { name: 'the fields there are', text: poolText('- nodes: "1"', 'consolidateAfter: 30s') },
    { name: 'a field of a Karpenter to come', text: poolText('- nodes: "1"', 'pacing: {perHour: 3}') },
  ])('is silent about $name', ({ text }) => {
    expect(places(perReasonBlocks, text)).toEqual([]);
  });
});
