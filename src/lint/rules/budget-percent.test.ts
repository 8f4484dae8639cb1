import { describe, expect, it } from 'vitest';
import { found } from '../facts/policyOf.ts';
import { nodesText, poolText } from '../facts/poolText.ts';
import { budgetPercent } from './budget-percent.ts';

const messages = (budget: string, nodes: readonly string[]): string[] =>
  found(budgetPercent, `${poolText(budget)}${nodes.length > 0 ? nodesText(nodes) : ''}`).map(({ message }) => message);

const byZone = '- {nodes: "25%", topologyKey: topology.kubernetes.io/zone, reasons: [Drifted]}';

describe('C3: budget-percent', () => {
  it('finds its example', () => {
    expect(found(budgetPercent)).toMatchObject([
      {
        severity: 'info',
        path: 'spec.disruption.budgets[0].nodes',
        message:
          '5% rounds up to at least one node: in a pool of up to 20 nodes it is one, and of a single node that is all.',
      },
    ]);
  });

  it.each([
    {
      name: 'a third of three nodes',
      budget: '- nodes: "10%"',
      nodes: ['a-1', 'a-2', 'a-3'],
      message: '10% rounds up: of the 3 nodes of today it is 1, 33% of them.',
    },
    {
      name: 'a pool of one node',
      budget: '- nodes: "10%"',
      nodes: ['a-1'],
      message: '10% rounds up: of the 1 node of today it is 1, all of them.',
    },
    {
      name: 'a zone of one node',
      budget: byZone,
      nodes: ['a-1', 'b-1', 'b-2', 'b-3', 'b-4'],
      message: '25% rounds up in each domain: a has 1 node, so it is 1, all of them.',
    },
  ])('says what it comes to: $name', ({ budget, nodes, message }) => {
    expect(messages(budget, nodes)).toEqual([message]);
  });

  it.each([
    { name: 'a percentage that comes out nearly even', budget: '- nodes: "50%"', nodes: ['a-1', 'a-2', 'a-3'] },
    { name: 'a zone large enough', budget: byZone, nodes: ['a-1', 'a-2', 'a-3', 'a-4'] },
    { name: 'a count', budget: '- nodes: "1"', nodes: ['a-1', 'a-2', 'a-3'] },
    { name: '0%', budget: '- nodes: "0%"', nodes: ['a-1'] },
    { name: 'the usual 10% where there are no nodes', budget: '- nodes: "10%"', nodes: [] },
  ])('is silent about $name', ({ budget, nodes }) => {
    expect(messages(budget, nodes)).toEqual([]);
  });
});
