// Tests of the lint rules about single and topology budgets.
import { describe, expect, it } from 'vitest';
import { annotatedText, exampleOf, found, nodesText, places, poolText } from '../../../test/fixtures/lintPolicy.ts';

describe('C1: budget-empty-list', () => {
  it('finds its example', () => {
    expect(found('budget-empty-list')).toEqual([
      {
        rule: 'budget-empty-list',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets',
        message:
          'An empty list sets no limit: every node of default may be disrupted at the same time, for any reason. The default of 10% applies only when the list is absent.',
        suggestion: '- nodes: "10%"',
      },
    ]);
  });

  it('finds an empty list in the annotation', () => {
    expect(places('budget-empty-list', annotatedText('[]'))).toEqual([
      'warning NodePool/default metadata.annotations[lull.dev/budgets]',
    ]);
  });

  it.each([
    { name: 'an absent list', text: 'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: default}\n' },
    { name: 'a list of one', text: poolText('- nodes: "100%"') },
    { name: 'an annotation that cannot be read, which is a fault', text: annotatedText('nodes: 1') },
  ])('is silent about $name', ({ text }) => {
    expect(places('budget-empty-list', text)).toEqual([]);
  });
});

describe('C1: budget-empty-reasons', () => {
  it('finds its example, and leaving the list out means the same', () => {
    expect(found('budget-empty-reasons')).toMatchObject([
      {
        severity: 'warning',
        path: 'spec.disruption.budgets[0].reasons',
        fix: [{ path: 'spec.disruption.budgets[0].reasons', remove: true }],
      },
    ]);
  });

  it('finds it in the annotation, where nothing is written for certain', () => {
    const [finding] = found('budget-empty-reasons', annotatedText('- {nodes: "1", reasons: []}'));
    expect(finding?.path).toBe('metadata.annotations[lull.dev/budgets][0].reasons');
    expect(finding?.fix).toBeUndefined();
  });

  it.each([
    { name: 'reasons that are left out', budgets: '- nodes: "1"' },
    { name: 'a reason', budgets: '- {nodes: "1", reasons: [Drifted]}' },
    { name: 'null, which is absent', budgets: '- {nodes: "1", reasons: null}' },
  ])('is silent about $name', ({ budgets }) => {
    expect(places('budget-empty-reasons', poolText(budgets))).toEqual([]);
  });
});

describe('C3: budget-percent', () => {
  const messages = (budget: string, nodes: readonly string[]): string[] =>
    found('budget-percent', `${poolText(budget)}${nodes.length > 0 ? nodesText(nodes) : ''}`).map(
      ({ message }) => message,
    );

  const byZone = '- {nodes: "25%", topologyKey: topology.kubernetes.io/zone, reasons: [Drifted]}';

  it('finds its example', () => {
    expect(found('budget-percent')).toMatchObject([
      {
        severity: 'info',
        path: 'spec.disruption.budgets[0].nodes',
        message:
          '5% rounds up to at least one node: a pool of up to 20 nodes may have one disrupted at a time, and a pool of one node may lose it.',
      },
    ]);
  });

  it.each([
    {
      name: 'a third of three nodes',
      budget: '- nodes: "10%"',
      nodes: ['a-1', 'a-2', 'a-3'],
      message: "10% rounds up: of today's 3 nodes it allows 1, 33% of them.",
    },
    {
      name: 'a pool of one node',
      budget: '- nodes: "10%"',
      nodes: ['a-1'],
      message: "10% rounds up: of today's 1 node it allows 1, all of them.",
    },
    {
      name: 'a zone of one node',
      budget: byZone,
      nodes: ['a-1', 'b-1', 'b-2', 'b-3', 'b-4'],
      message: '25% rounds up in each domain: a has 1 node, so it allows 1, all of them.',
    },
  ])('reports the resulting number: $name', ({ budget, nodes, message }) => {
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

describe('A3: budget-policy-off', () => {
  const messages = (budgets: string, more: string): string[] =>
    found('budget-policy-off', poolText(budgets, more)).map(({ message }) => message);

  it('finds its example', () => {
    expect(found('budget-policy-off')).toMatchObject([
      {
        severity: 'info',
        path: 'spec.disruption.budgets[1].reasons',
        message:
          'With consolidationPolicy: WhenEmpty, budgets do not apply to Underutilized, so naming it here has no effect.',
      },
    ]);
  });

  it('finds a budget without any effect', () => {
    expect(messages('- {nodes: "1", reasons: [Empty, Underutilized]}', 'consolidateAfter: Never')).toEqual([
      'With consolidateAfter: Never, budgets do not apply to Empty and Underutilized, so this budget has no effect.',
    ]);
  });

  it('finds repair and expiry that are off', () => {
    expect(messages('- {nodes: "1", reasons: [Unhealthy]}', 'repairAfter: Never')).toEqual([
      'With repairAfter: Never, budgets do not apply to Unhealthy, so this budget has no effect.',
    ]);
    expect(
      places('budget-policy-off', poolText('- {nodes: "1", reasons: [Expired]}'), {
        settings: { expiration: 'forceful' },
      }),
    ).toEqual(['info NodePool/default spec.disruption.budgets[0].reasons']);
  });

  it.each([
    {
      name: 'Empty, which WhenEmpty leaves on',
      budgets: '- {nodes: "1", reasons: [Empty]}',
      more: 'consolidationPolicy: WhenEmpty',
    },
    { name: 'a budget for every reason', budgets: '- nodes: "1"', more: 'consolidationPolicy: WhenEmpty' },
    { name: 'a pool that consolidates', budgets: '- {nodes: "1", reasons: [Underutilized]}', more: '' },
  ])('is silent about $name', ({ budgets, more }) => {
    expect(messages(budgets, more)).toEqual([]);
  });
});

describe('C15: budget-sequential-unused', () => {
  const budget = (key: string, more: string): string => `- {nodes: "1", topologyKey: ${key}, ${more}}`;

  it('finds its example', () => {
    expect(found('budget-sequential-unused')).toMatchObject([
      {
        severity: 'warning',
        path: 'spec.disruption.budgets[2].sequential',
        message:
          'Only the first active sequential budget of a pool is used, and budgets[1] (2) comes first whenever this one is active: this one has no effect.',
      },
    ]);
  });

  it('finds one whose hours lie within those of the first', () => {
    const text = poolText(
      [
        budget('zone', 'sequential: true, schedule: "0 8 * * *", duration: 12h'),
        budget('rack', 'sequential: true, schedule: "0 9 * * *", duration: 8h'),
      ].join('\n'),
    );
    expect(places('budget-sequential-unused', text)).toEqual([
      'warning NodePool/default spec.disruption.budgets[1].sequential',
    ]);
  });

  it.each([
    {
      name: 'one that has hours of its own',
      budgets: [
        budget('zone', 'sequential: true, schedule: "0 8 * * *", duration: 12h'),
        budget('rack', 'sequential: true'),
      ],
    },
    {
      name: 'a topology budget that is not sequential',
      budgets: [budget('zone', 'sequential: true'), budget('rack', 'sequential: false')],
    },
    {
      name: 'one before it that is not for drift',
      budgets: [budget('zone', 'sequential: true, reasons: [Empty]'), budget('rack', 'sequential: true')],
    },
  ])('is silent about $name', ({ budgets }) => {
    expect(places('budget-sequential-unused', poolText(budgets.join('\n')))).toEqual([]);
  });
});

describe('C4: budget-shared-counter', () => {
  it('finds its example', () => {
    expect(found('budget-shared-counter')).toMatchObject([
      {
        severity: 'info',
        path: 'spec.disruption.budgets[0].nodes',
        message:
          'All reasons share one counter: nodes disrupted for Empty and Underutilized under budgets[1] (100%) also use up this 1, so Drifted must wait while they are in flight.',
      },
    ]);
  });

  it.each([
    {
      name: 'numbers that are near each other',
      budgets: '- {nodes: "10", reasons: [Drifted]}\n- {nodes: "15", reasons: [Empty]}',
    },
    {
      name: 'a freeze, which waits anyway',
      budgets: '- {nodes: "0", reasons: [Drifted]}\n- {nodes: "100%", reasons: [Empty]}',
    },
    {
      name: 'the same reason twice',
      budgets: '- {nodes: "1", reasons: [Drifted]}\n- {nodes: "100%", reasons: [Drifted]}',
    },
    { name: 'a budget for all others', budgets: '- {nodes: "1", reasons: [Drifted]}\n- nodes: "100%"' },
  ])('is silent about $name', ({ budgets }) => {
    expect(places('budget-shared-counter', poolText(budgets))).toEqual([]);
  });
});

describe('C9: budget-topology-inert', () => {
  it('finds its example', () => {
    expect(found('budget-topology-inert')).toMatchObject([
      {
        severity: 'warning',
        path: 'spec.disruption.budgets[0].topologyKey',
        message:
          'A topology budget limits only drift, and this one is for Underutilized: it has no effect, not even as a limit for the whole pool.',
      },
    ]);
  });

  it.each([
    {
      name: 'settle on a flat budget',
      budgets: '- {nodes: "1", settle: 10m}',
      message: 'settle applies only to sequential budgets, and this one is not sequential: it has no effect.',
    },
    {
      name: 'both on a topology budget that is not sequential',
      budgets: '- {nodes: "1", topologyKey: zone, settle: 10m, patience: 2h}',
      message:
        'settle and patience apply only to sequential budgets, and this one is not sequential: they have no effect.',
    },
  ])('finds $name', ({ budgets, message }) => {
    expect(found('budget-topology-inert', poolText(budgets)).map((finding) => finding.message)).toEqual([message]);
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
    expect(places('budget-topology-inert', poolText(budgets))).toEqual([]);
  });
});

describe('C9: budget-topology-only', () => {
  const byZone = '- {nodes: "1", topologyKey: topology.kubernetes.io/zone, reasons: [Drifted]}';

  it('finds its example', () => {
    expect(found('budget-topology-only')).toMatchObject([
      {
        severity: 'warning',
        path: 'spec.disruption.budgets',
        message:
          'Topology budgets limit only drift, and default has no others: any number of its nodes may be disrupted at the same time for Unhealthy, Empty, Expired, Rebalance and Underutilized.',
        suggestion: '- nodes: "10%"',
      },
    ]);
  });

  it('finds it in the annotation', () => {
    expect(places('budget-topology-only', annotatedText(byZone))).toEqual([
      'warning NodePool/default metadata.annotations[lull.dev/budgets]',
    ]);
  });

  it('includes drift if no topology budget applies to it', () => {
    const [finding] = found('budget-topology-only', poolText(byZone.replace('Drifted', 'Empty')));
    expect(finding?.message).toContain('at the same time for every reason');
  });

  it('is silent if there is a flat budget too', () => {
    expect(places('budget-topology-only', poolText(`${byZone}\n- nodes: "10%"`))).toEqual([]);
  });
});

describe('C14: topology-key-unknown', () => {
  it('finds its example, and the label that was meant', () => {
    expect(found('topology-key-unknown')).toEqual([
      {
        rule: 'topology-key-unknown',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].topologyKey',
        message:
          'No node has the label topology.kubernetes.io/Zone, so all nodes of default form one domain: this budget limits the pool as a whole.',
        suggestion: 'Did you mean the label topology.kubernetes.io/zone?',
      },
    ]);
  });

  const changed = (from: string, to: string): string => exampleOf('topology-key-unknown').replace(from, to);

  it('has a suggestion where nothing is near', () => {
    const [finding] = found('topology-key-unknown', changed('topology.kubernetes.io/Zone', 'example.com/rack'));
    expect(finding?.suggestion).toBe('Use a label that the nodes have, such as topology.kubernetes.io/zone.');
  });

  it.each([
    { name: 'a label that some node carries', text: changed('/Zone', '/zone') },
    {
      name: 'input without nodes',
      text: exampleOf('topology-key-unknown').slice(0, exampleOf('topology-key-unknown').indexOf('---')),
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
    expect(places('topology-key-unknown', text)).toEqual([]);
  });
});

describe('C14: topology-label-missing', () => {
  it('finds its example', () => {
    expect(found('topology-label-missing')).toEqual([
      {
        rule: 'topology-label-missing',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].topologyKey',
        message:
          '1 of 2 nodes of default have no label topology.kubernetes.io/zone (n-2). They form one domain, wherever they run, and are disrupted last.',
        suggestion:
          "Label these nodes with topology.kubernetes.io/zone, and the pool's template too, so that new nodes have it.",
      },
    ]);
  });

  const changed = (from: string, to: string): string => exampleOf('topology-label-missing').replace(from, to);

  it('names the budget in the annotation', () => {
    const text = changed(
      'metadata: {name: default}\nspec:\n  disruption:\n    budgets:',
      'metadata:\n  name: default\n  annotations:\n    lull.dev/budgets: |',
    );
    expect(places('topology-label-missing', text)).toEqual([
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
    expect(places('topology-label-missing', text)).toEqual([]);
  });
});
