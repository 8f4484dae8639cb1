import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { unknownField } from './unknown-field.ts';

describe('K4: unknown-field', () => {
  it('finds its example', () => {
    expect(found(unknownField)).toMatchObject([
      {
        severity: 'info',
        path: 'spec.disruption.budgets[0].topologykey',
        message: 'topologykey is not known here and is ignored. Did you mean topologyKey?',
      },
    ]);
  });

  it.each([
    { name: 'a field nothing is like', text: poolText('- {nodes: "1", comment: mine}') },
    { name: 'fields that are known', text: poolText('- {nodes: "1", topologyKey: zone}') },
  ])('is silent about $name', ({ text }) => {
    expect(places(unknownField, text)).toEqual([]);
  });
});
