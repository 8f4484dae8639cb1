import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { pdbSelectsNothing } from './pdb-selects-nothing.ts';

const { example } = pdbSelectsNothing;
const changed = (from: string, to: string): string => example.replace(from, to);

describe('E10: pdb-selects-nothing', () => {
  it('finds its example, and the label that was meant', () => {
    expect(found(pdbSelectsNothing)).toEqual([
      {
        rule: 'pdb-selects-nothing',
        severity: 'warning',
        object: 'PodDisruptionBudget/web/cart',
        path: 'spec.selector',
        message: 'It selects no pod of its namespace, in which the input holds 1 pod: it protects nothing.',
        suggestion: 'Did you mean the label app?',
      },
    ]);
  });

  it('finds a budget without a selector, which means no pod', () => {
    const text = changed('\n  selector: {matchLabels: {App: cart}}', '');
    expect(places(pdbSelectsNothing, text)).toEqual(['warning PodDisruptionBudget/web/cart spec.selector']);
  });

  it('finds a budget of a namespace without pods, where its own status says so', () => {
    const text = changed('namespace: web, name: cart-1', 'namespace: other, name: cart-1');
    const [finding] = found(pdbSelectsNothing, text.replace('\n---', '\nstatus: {expectedPods: 0}\n---'));
    expect(finding?.message).toBe(
      'It selects no pod of its namespace, in which the input holds none: it protects nothing.',
    );
  });

  it('suggests nothing in particular where nothing is near', () => {
    expect(found(pdbSelectsNothing, changed('App: cart', 'app: basket'))[0]?.suggestion).toBe(
      'Select pods by labels that they carry, or remove it.',
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
    expect(places(pdbSelectsNothing, text)).toEqual([]);
  });
});
