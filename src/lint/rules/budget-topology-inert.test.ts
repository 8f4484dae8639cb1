import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { budgetTopologyInert } from './budget-topology-inert.ts';

describe('C9: budget-topology-inert', () => {
  it('finds its example', () => {
    expect(found(budgetTopologyInert)).toMatchObject([
      {
        severity: 'warning',
        path: 'spec.disruption.budgets[0].topologyKey',
        message:
          'A topology budget binds drift alone, and this one is for Underutilized: it does nothing, not even as a limit of the whole pool.',
      },
    ]);
  });

  it.each([
    {
      name: 'settle on a flat budget',
      budgets: '- {nodes: "1", settle: 10m}',
      message: 'settle is about the turns of a sequential budget; this one is not, so it does nothing.',
    },
    {
      name: 'both on zones that may go at once',
      budgets: '- {nodes: "1", topologyKey: zone, settle: 10m, patience: 2h}',
      message: 'settle and patience are about the turns of a sequential budget; this one is not, so they do nothing.',
    },
  ])('finds $name', ({ budgets, message }) => {
    expect(found(budgetTopologyInert, poolText(budgets)).map((finding) => finding.message)).toEqual([message]);
  });

  it.each([
    {
      name: 'a topology budget for drift among others',
      budgets: '- {nodes: "1", topologyKey: zone, reasons: [Empty, Drifted]}',
    },
    { name: 'one for every reason', budgets: '- {nodes: "1", topologyKey: zone}' },
    {
      name: 'settle where there are turns',
      budgets: '- {nodes: "1", topologyKey: zone, sequential: true, settle: 10m}',
    },
    { name: 'sequential without a key, which is a fault', budgets: '- {nodes: "1", sequential: true, settle: 10m}' },
  ])('is silent about $name', ({ budgets }) => {
    expect(places(budgetTopologyInert, poolText(budgets))).toEqual([]);
  });
});
