import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { topologyLabelMissing } from './topology-label-missing.ts';

describe('C14: topology-label-missing', () => {
  it('finds its example', () => {
    expect(found(topologyLabelMissing)).toEqual([
      {
        rule: 'topology-label-missing',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].topologyKey',
        message:
          '1 of 2 nodes of default have no label topology.kubernetes.io/zone (n-2). They count as one domain of their own, wherever they run, and are taken last.',
        suggestion:
          "Label these nodes with topology.kubernetes.io/zone, and the pool's template too, so that new nodes carry it.",
      },
    ]);
  });

  const changed = (from: string, to: string): string => topologyLabelMissing.example.replace(from, to);

  it('names the budget in the annotation', () => {
    const text = changed(
      'metadata: {name: default}\nspec:\n  disruption:\n    budgets:',
      'metadata:\n  name: default\n  annotations:\n    lull.dev/budgets: |',
    );
    expect(places(topologyLabelMissing, text)).toEqual([
      'warning NodePool/default metadata.annotations[lull.dev/budgets][0].topologyKey',
    ]);
  });

  it.each([
    { name: 'a budget that does not bind drift', text: changed('reasons: [Drifted]', 'reasons: [Empty]') },
    { name: 'a node that is still coming up', text: changed('karpenter.sh/initialized: "true"}}}', 'a: b}}}') },
    {
      name: 'a node of another pool',
      text: changed(
        '{karpenter.sh/nodepool: default, karpenter.sh/initialized: "true"}',
        '{karpenter.sh/nodepool: other, karpenter.sh/initialized: "true"}',
      ),
    },
    { name: 'a node without a claim', text: changed('status: {nodeName: n-2}', 'status: {nodeName: n-3}') },
    {
      name: 'a key that no node has at all',
      text: changed('topologyKey: topology.kubernetes.io/zone', 'topologyKey: example.com/rack'),
    },
    {
      name: 'a flat budget',
      text: changed('topologyKey: topology.kubernetes.io/zone, sequential: true', 'schedule: 0 9 * * *, duration: 8h'),
    },
  ])('is silent about $name', ({ text }) => {
    expect(places(topologyLabelMissing, text)).toEqual([]);
  });
});
