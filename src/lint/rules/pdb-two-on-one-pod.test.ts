import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { pdbTwoOnOnePod } from './pdb-two-on-one-pod.ts';

const { example } = pdbTwoOnOnePod;
const changed = (from: string, to: string): string => example.replace(from, to);

describe('E10: pdb-two-on-one-pod', () => {
  it('finds its example', () => {
    expect(found(pdbTwoOnOnePod)).toEqual([
      {
        rule: 'pdb-two-on-one-pod',
        severity: 'error',
        object: 'PodDisruptionBudget/web/cart',
        path: 'spec.selector',
        message:
          '1 pod (cart-1) is selected by this and by everything too. Kubernetes evicts no pod with more than one PodDisruptionBudget.',
        suggestion: 'Change the selectors so that each pod has one budget.',
      },
    ]);
  });

  it('tells many pods under the same two once', () => {
    const more = ['cart-2', 'cart-3'].map(
      (name) => `\n---\n{apiVersion: v1, kind: Pod, metadata: {namespace: web, name: ${name}, labels: {app: cart}}}`,
    );
    const messages = found(pdbTwoOnOnePod, example + more.join('')).map(({ message }) => message);
    expect(messages).toEqual([expect.stringContaining('3 pods (cart-1, cart-2 and cart-3) are selected')]);
  });

  it.each([
    {
      name: 'budgets of different namespaces',
      text: changed('namespace: web, name: everything', 'namespace: other, name: everything'),
    },
    { name: 'selectors apart', text: changed('selector: {}', 'selector: {matchLabels: {app: shop}}') },
    { name: 'a pod that has ended', text: `${example}status: {phase: Succeeded}\n` },
    {
      name: 'a pod that is not evicted but ends with its node',
      text: `${example}spec: {tolerations: [{operator: Exists}]}\n`,
    },
    {
      name: 'a budget that cannot be read',
      text: changed('selector: {}', 'selector: {matchExpressions: [{key: app, operator: Near}]}'),
    },
  ])('is silent about $name', ({ text }) => {
    expect(places(pdbTwoOnOnePod, text)).toEqual([]);
  });
});
