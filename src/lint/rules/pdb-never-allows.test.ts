import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { pdbNeverAllows } from './pdb-never-allows.ts';

const pdb = (spec: string, status = '{}'): string =>
  `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {namespace: web, name: cart}, spec: {${spec}, selector: {matchLabels: {app: cart}}}, status: ${status}}`;
const pods = (count: number): string =>
  Array.from(
    { length: count },
    (_, i) => `\n---\n{apiVersion: v1, kind: Pod, metadata: {namespace: web, name: cart-${i}, labels: {app: cart}}}`,
  ).join('');

describe('E10: pdb-never-allows', () => {
  it('finds its example', () => {
    expect(found(pdbNeverAllows)).toEqual([
      {
        rule: 'pdb-never-allows',
        severity: 'warning',
        object: 'PodDisruptionBudget/web/cart',
        path: 'spec.maxUnavailable',
        message:
          'It lets none be missing (maxUnavailable: 0), so none of its pods can ever be evicted and their nodes cannot be drained.',
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
      says: 'wants 3 to be there (minAvailable: 3) and there are 3 pods',
    },
    { text: pdb('minAvailable: 3') + pods(2), path: 'spec.minAvailable', says: 'and there are 2 pods' },
    {
      text: pdb('minAvailable: 50%') + pods(1),
      path: 'spec.minAvailable',
      says: 'wants 1 to be there (minAvailable: "50%") and there is 1 pod,',
    },
  ])('finds $says', ({ text, path, says }) => {
    const [finding] = found(pdbNeverAllows, text);
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
    expect(places(pdbNeverAllows, text)).toEqual([]);
  });
});
