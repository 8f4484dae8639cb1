import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { unknownKey } from './unknown-key.ts';

const pod = (name: string, annotations: string) => `apiVersion: v1
kind: Pod
metadata:
  namespace: shop
  name: ${name}
  annotations: ${annotations}
  ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: cart, controller: true}]
`;

describe('K4: unknown-key', () => {
  it('finds its example, and knows what was meant', () => {
    expect(found(unknownKey)).toEqual([
      {
        rule: 'unknown-key',
        severity: 'error',
        object: 'NodePool/default',
        path: 'metadata.annotations[lull.dev/budget]',
        message: 'Unknown annotation lull.dev/budget, which is ignored.',
        suggestion: 'Did you mean lull.dev/budgets?',
        fix: [{ path: 'metadata.annotations[lull.dev/budget]', rename: 'lull.dev/budgets' }],
      },
    ]);
  });

  it.each([
    {
      name: 'on a node',
      text: 'apiVersion: v1\nkind: Node\nmetadata: {name: n-1, annotations: {lull.dev/holds: mia}}\n',
      place: 'error Node/n-1 metadata.annotations[lull.dev/holds]',
    },
    {
      name: 'as a label of a node',
      text: 'apiVersion: v1\nkind: Node\nmetadata: {name: n-1, labels: {karpenter.sh/do-not-disrupt: "true"}}\n',
      place: 'error Node/n-1 metadata.labels[karpenter.sh/do-not-disrupt]',
    },
    {
      name: "in a pool's template",
      text: 'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: p}\nspec: {template: {metadata: {annotations: {karpenter.sh/do-not-disrup: "true"}}}}\n',
      place: 'error NodePool/p spec.template.metadata.annotations[karpenter.sh/do-not-disrup]',
    },
    {
      name: 'in the template of a CronJob',
      text: 'apiVersion: batch/v1\nkind: CronJob\nmetadata: {namespace: a, name: c}\nspec: {jobTemplate: {spec: {template: {metadata: {annotations: {lull.dev/x: "1"}}}}}}\n',
      place: 'error CronJob/a/c spec.jobTemplate.spec.template.metadata.annotations[lull.dev/x]',
    },
    {
      name: 'on the pods of one workload, once',
      text: `${pod('cart-0', '{karpenter.sh/disruption-schedul: "@daily"}')}---\n${pod('cart-1', '{karpenter.sh/disruption-schedul: "@daily"}')}`,
      place: 'error Pod/shop/cart-0 metadata.annotations[karpenter.sh/disruption-schedul]',
    },
  ])('finds it $name', ({ text, place }) => {
    expect(places(unknownKey, text)).toEqual([place]);
  });

  it('repairs nothing where the right key is given too', () => {
    const text = pod('cart-0', '{karpenter.sh/do-not-disrup: "1h", karpenter.sh/do-not-disrupt: "true"}');
    expect(found(unknownKey, text)).toMatchObject([{ severity: 'error' }]);
    expect(found(unknownKey, text)[0]?.fix).toBeUndefined();
  });

  it('is silent about marks of Lull and keys of others', () => {
    const text = pod(
      'cart-0',
      '{lull.dev/parked: "x", sim.lull.dev/runs: 1h, karpenter.sh/new: "x", example.com/a: b}',
    );
    expect(places(unknownKey, text)).toEqual([]);
  });
});
