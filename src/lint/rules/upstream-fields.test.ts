import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { annotatedText, poolText } from '../facts/poolText.ts';
import { upstreamFields } from './upstream-fields.ts';

describe('C17: upstream-fields', () => {
  it('finds its example', () => {
    expect(found(upstreamFields)).toMatchObject([
      {
        severity: 'info',
        path: 'spec.disruption.budgets[1].topologyKey',
        message:
          'Karpenter does not know topologyKey and sequential: it reads this as 1 of the whole pool, in all domains at once.',
      },
    ]);
  });

  it('is an error where Karpenter does the work', () => {
    expect(found(upstreamFields, undefined, { settings: { role: 'guide' } })[0]?.severity).toBe('error');
  });

  it('finds a zone', () => {
    const text = poolText('- {nodes: "0", schedule: "0 9 * * *", duration: 8h, timeZone: Europe/Berlin}');
    expect(found(upstreamFields, text)[0]?.message).toBe(
      'Karpenter does not know timeZone: it reads the hours as UTC.',
    );
  });

  it.each([
    {
      name: 'fields that Karpenter knows',
      text: poolText('- {nodes: "1", reasons: [Drifted], schedule: "@daily", duration: 1h}'),
    },
    { name: 'the annotation', text: annotatedText('- {nodes: "1", topologyKey: zone}') },
  ])('is silent about $name', ({ text }) => {
    expect(places(upstreamFields, text)).toEqual([]);
  });
});
