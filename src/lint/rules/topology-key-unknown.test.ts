import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { topologyKeyUnknown } from './topology-key-unknown.ts';

describe('C14: topology-key-unknown', () => {
  it('finds its example, and the label that was meant', () => {
    expect(found(topologyKeyUnknown)).toEqual([
      {
        rule: 'topology-key-unknown',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].topologyKey',
        message:
          'No node has a label topology.kubernetes.io/Zone, so all nodes of default are one domain: this budget limits the pool as a whole.',
        suggestion: 'Did you mean the label topology.kubernetes.io/zone?',
      },
    ]);
  });

  const changed = (from: string, to: string): string => topologyKeyUnknown.example.replace(from, to);

  it('has a suggestion where nothing is near', () => {
    const [finding] = found(topologyKeyUnknown, changed('topology.kubernetes.io/Zone', 'example.com/rack'));
    expect(finding?.suggestion).toBe('Name a label of the nodes, such as topology.kubernetes.io/zone.');
  });

  it.each([
    { name: 'a label that some node carries', text: changed('/Zone', '/zone') },
    {
      name: 'input without nodes',
      text: topologyKeyUnknown.example.slice(0, topologyKeyUnknown.example.indexOf('---')),
    },
    {
      name: 'a label that the template gives',
      text: changed('spec:\n', 'spec:\n  template: {metadata: {labels: {topology.kubernetes.io/Zone: a}}}\n'),
    },
    {
      name: 'a label that the requirements ask for',
      text: changed(
        'spec:\n',
        'spec:\n  template: {spec: {requirements: [{key: topology.kubernetes.io/Zone, operator: Exists}]}}\n',
      ),
    },
    { name: 'a budget that does nothing', text: changed('[Drifted]', '[Empty]') },
  ])('is silent about $name', ({ text }) => {
    expect(places(topologyKeyUnknown, text)).toEqual([]);
  });
});
