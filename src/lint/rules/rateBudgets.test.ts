// Tests of the lint rules about budgets with `per`.
import { describe, expect, it } from 'vitest';
import { exampleOf, found, places } from '../../../test/fixtures/lintPolicy.ts';

describe('P1: rate-no-effect', () => {
  const example = exampleOf('rate-no-effect');
  const node = (name: string): string =>
    `---\n{apiVersion: v1, kind: Node, metadata: {name: ${name}, labels: {karpenter.sh/nodepool: default, karpenter.sh/initialized: "true"}}, spec: {providerID: ${name}}}\n---\n{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: ${name}, labels: {karpenter.sh/nodepool: default}}, status: {nodeName: ${name}, providerID: ${name}}}\n`;

  it('finds its example', () => {
    expect(found('rate-no-effect')).toEqual([
      {
        rule: 'rate-no-effect',
        severity: 'info',
        object: 'NodePool/default',
        path: 'metadata.annotations[lull.dev/budgets][1].nodes',
        message: 'budgets[0] allows 1 at a time, which cannot begin more than 100 nodes within 1h.',
        suggestion: 'Lower nodes, or remove this budget.',
      },
    ]);
  });

  it.each([
    ['every node', 'nodes: "100", per: 1h', 'nodes: "100%", per: 1h', ''],
    ['as many as there are', 'nodes: "100", per: 1h', 'nodes: "2", per: 1h', `${node('a')}${node('b')}`],
  ])('finds %s', (_, from, to, more) => {
    expect(places('rate-no-effect', example.replace(from, to) + more)).toHaveLength(1);
  });

  it.each([
    ['a rate below that', '"100"', '"60"'],
    ['a limit for other reasons', '- nodes: "1"', '- {nodes: "1", reasons: [Empty]}'],
    ['a limit at some hours', '- nodes: "1"', '- {nodes: "1", schedule: "@daily", duration: 1h}'],
    ['a longer period', 'per: 1h', 'per: 24h'],
  ])('is silent about %s', (_, from, to) => {
    expect(places('rate-no-effect', example.replace(from, to))).toEqual([]);
  });
});

describe('P1: other rules know rates', () => {
  const spec = (budgets: string): string =>
    `{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: default}, spec: {disruption: {budgets: ${budgets}}}}\n`;

  it('upstream-fields says how Karpenter reads a rate in the spec', () => {
    expect(found('upstream-fields', spec('[{nodes: "5", per: 24h}]'))).toMatchObject([
      {
        path: 'spec.disruption.budgets[0].per',
        message: 'Karpenter does not support per: it reads this as 5 of the pool at a time, as often as it likes.',
      },
    ]);
  });

  it('a list of rates is not an empty list, and limits every reason', () => {
    expect(places('budget-empty-list', spec('[{nodes: "5", per: 24h}]'))).toEqual([]);
    const some = '[{nodes: "1", reasons: [Drifted]}, {nodes: "5", per: 24h}]';
    expect(places('budget-reason-missing', spec(some))).toEqual([]);
  });
});
