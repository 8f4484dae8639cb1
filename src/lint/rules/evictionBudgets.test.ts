// Tests of the lint rules about PodDisruptionBudgets.
import { describe, expect, it } from 'vitest';
import { exampleOf, found, places } from '../../../test/fixtures/lintPolicy.ts';
import { shareOf } from './evictionBudgets.ts';

describe('E10: pdb-never-allows', () => {
  const pdb = (spec: string, status = '{}'): string =>
    `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {namespace: web, name: cart}, spec: {${spec}, selector: {matchLabels: {app: cart}}}, status: ${status}}`;
  const pods = (count: number): string =>
    Array.from(
      { length: count },
      (_, i) => `\n---\n{apiVersion: v1, kind: Pod, metadata: {namespace: web, name: cart-${i}, labels: {app: cart}}}`,
    ).join('');

  it('finds its example', () => {
    expect(found('pdb-never-allows')).toEqual([
      {
        rule: 'pdb-never-allows',
        severity: 'warning',
        object: 'PodDisruptionBudget/web/cart',
        path: 'spec.maxUnavailable',
        message:
          'It allows no pod to be unavailable (maxUnavailable: 0), so none of its pods can ever be evicted and their nodes cannot be drained.',
        suggestion: 'Write maxUnavailable: 1 instead.',
      },
    ]);
  });

  it.each([
    { text: pdb('maxUnavailable: 0%'), path: 'spec.maxUnavailable', says: '(maxUnavailable: "0%")' },
    { text: pdb('minAvailable: 100%'), path: 'spec.minAvailable', says: 'all of its pods' },
    {
      text: pdb('minAvailable: 3', '{expectedPods: 3}'),
      path: 'spec.minAvailable',
      says: 'requires 3 pods to be available (minAvailable: 3) and there are 3 pods',
    },
    { text: pdb('minAvailable: 3') + pods(2), path: 'spec.minAvailable', says: 'and there are 2 pods' },
    {
      text: pdb('minAvailable: 50%') + pods(1),
      path: 'spec.minAvailable',
      says: 'requires 1 pod to be available (minAvailable: "50%") and there is 1 pod,',
    },
  ])('finds $says', ({ text, path, says }) => {
    const [finding] = found('pdb-never-allows', text);
    expect(finding?.path).toBe(path);
    expect(finding?.message).toContain(says);
  });

  it.each([
    { name: 'one that may be missing', text: pdb('maxUnavailable: 1') + pods(1) },
    { name: 'a percentage, which rounds up', text: pdb('maxUnavailable: 1%') + pods(3) },
    { name: 'one pod more than needed', text: pdb('minAvailable: 2', '{expectedPods: 3}') },
    { name: 'pods that are not there', text: pdb('minAvailable: 3') },
    { name: 'one that has allowed some', text: pdb('minAvailable: 2', '{disruptionsAllowed: 1}') + pods(2) },
    {
      name: 'one that is merely spent',
      text: pdb('minAvailable: 2', '{expectedPods: 3, currentHealthy: 2, disruptionsAllowed: 0}'),
    },
    { name: 'half of two', text: pdb('minAvailable: 50%') + pods(2) },
  ])('is silent about $name', ({ text }) => {
    expect(places('pdb-never-allows', text)).toEqual([]);
  });
});

describe('E10: pdb-selects-nothing', () => {
  const example = exampleOf('pdb-selects-nothing');
  const changed = (from: string, to: string): string => example.replace(from, to);

  it('finds its example, and the label that was meant', () => {
    expect(found('pdb-selects-nothing')).toEqual([
      {
        rule: 'pdb-selects-nothing',
        severity: 'warning',
        object: 'PodDisruptionBudget/web/cart',
        path: 'spec.selector',
        message: 'It selects none of the pods in its namespace (the input has 1 pod): it protects nothing.',
        suggestion: 'Did you mean the label app?',
      },
    ]);
  });

  it('finds a budget without a selector, which means no pod', () => {
    const text = changed('\n  selector: {matchLabels: {App: cart}}', '');
    expect(places('pdb-selects-nothing', text)).toEqual(['warning PodDisruptionBudget/web/cart spec.selector']);
  });

  it('finds a budget of a namespace without pods, where its own status says so', () => {
    const text = changed('namespace: web, name: cart-1', 'namespace: other, name: cart-1');
    const [finding] = found('pdb-selects-nothing', text.replace('\n---', '\nstatus: {expectedPods: 0}\n---'));
    expect(finding?.message).toBe(
      'It selects none of the pods in its namespace (the input has none): it protects nothing.',
    );
  });

  it('suggests nothing in particular where nothing is near', () => {
    expect(found('pdb-selects-nothing', changed('App: cart', 'app: basket'))[0]?.suggestion).toBe(
      'Select labels that the pods have, or remove it.',
    );
  });

  it.each([
    { name: 'a budget that selects a pod', text: changed('App', 'app') },
    { name: 'a budget for every pod', text: changed('{matchLabels: {App: cart}}', '{}') },
    {
      name: 'a namespace of which the input shows no pod',
      text: changed('namespace: web, name: cart-1', 'namespace: other, name: cart-1'),
    },
    { name: 'a budget whose status knows pods', text: changed('\n---', '\nstatus: {expectedPods: 2}\n---') },
    {
      name: 'a selector that cannot be read',
      text: changed('matchLabels: {App: cart}', 'matchExpressions: [{key: app, operator: Near}]'),
    },
  ])('is silent about $name', ({ text }) => {
    expect(places('pdb-selects-nothing', text)).toEqual([]);
  });
});

describe('E10: pdb-two-on-one-pod', () => {
  const example = exampleOf('pdb-two-on-one-pod');
  const changed = (from: string, to: string): string => example.replace(from, to);

  it('finds its example', () => {
    expect(found('pdb-two-on-one-pod')).toEqual([
      {
        rule: 'pdb-two-on-one-pod',
        severity: 'error',
        object: 'PodDisruptionBudget/web/cart',
        path: 'spec.selector',
        message:
          '1 pod (cart-1) is selected by this budget and also by everything. Kubernetes does not evict a pod that has more than one PodDisruptionBudget.',
        suggestion: 'Change the selectors so that each pod has one budget.',
      },
    ]);
  });

  it('reports many pods under the same two budgets once', () => {
    const more = ['cart-2', 'cart-3'].map(
      (name) => `\n---\n{apiVersion: v1, kind: Pod, metadata: {namespace: web, name: ${name}, labels: {app: cart}}}`,
    );
    const messages = found('pdb-two-on-one-pod', example + more.join('')).map(({ message }) => message);
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
    expect(places('pdb-two-on-one-pod', text)).toEqual([]);
  });
});

it.each([
  { value: 2, pods: 5, share: 2 },
  { value: '50%', pods: 3, share: 2 },
  { value: '0%', pods: 3, share: 0 },
  { value: '1%', pods: 3, share: 1 },
  { value: '2', pods: 5, share: undefined },
  { value: undefined, pods: 5, share: undefined },
])('$value of $pods pods is $share', ({ value, pods, share }) => {
  expect(shareOf(value, pods)).toBe(share);
});
