import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { annotatedText, poolText } from '../facts/poolText.ts';
import { budgetTopologyOnly } from './budget-topology-only.ts';

const byZone = '- {nodes: "1", topologyKey: topology.kubernetes.io/zone, reasons: [Drifted]}';

describe('C9: budget-topology-only', () => {
  it('finds its example', () => {
    expect(found(budgetTopologyOnly)).toMatchObject([
      {
        severity: 'warning',
        path: 'spec.disruption.budgets',
        message:
          'Topology budgets limit drift alone, and default has no other: any number of its nodes may go at once for Unhealthy, Empty, Expired, Rebalance and Underutilized.',
        suggestion: '- nodes: "10%"',
      },
    ]);
  });

  it('finds it in the annotation', () => {
    expect(places(budgetTopologyOnly, annotatedText(byZone))).toEqual([
      'warning NodePool/default metadata.annotations[lull.dev/budgets]',
    ]);
  });

  it('counts drift among what is free where no topology budget is for it', () => {
    const [finding] = found(budgetTopologyOnly, poolText(byZone.replace('Drifted', 'Empty')));
    expect(finding?.message).toContain('at once for every reason');
  });

  it('is silent where a flat budget stands beside it', () => {
    expect(places(budgetTopologyOnly, poolText(`${byZone}\n- nodes: "10%"`))).toEqual([]);
  });
});
