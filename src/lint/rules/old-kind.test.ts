import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { oldKind } from './old-kind.ts';

const object = (apiVersion: string, kind: string): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: x}\n`;

describe('A7: old-kind', () => {
  it('finds its example', () => {
    expect(found(oldKind)).toMatchObject([
      {
        severity: 'info',
        object: 'Provisioner/default',
        path: 'apiVersion',
        message:
          'Karpenter of today serves no Provisioner of karpenter.sh/v1alpha5, but NodePool of karpenter.sh/v1. Lull reads it as one.',
      },
    ]);
  });

  it.each([
    ['karpenter.sh/v1beta1', 'NodePool'],
    ['karpenter.sh/v1beta1', 'NodeClaim'],
    ['karpenter.sh/v1beta1', 'Provisioner'],
  ])('finds %s %s', (apiVersion, kind) => {
    expect(places(oldKind, object(apiVersion, kind))).toEqual([`info ${kind}/x apiVersion`]);
  });

  it.each([
    ['karpenter.sh/v1', 'NodePool'],
    ['karpenter.sh/v1alpha1', 'MaintenanceWindow'],
    ['example.com/v1beta1', 'NodePool'],
    ['policy/v1beta1', 'PodDisruptionBudget'],
  ])('is silent about %s %s', (apiVersion, kind) => {
    expect(places(oldKind, object(apiVersion, kind))).toEqual([]);
  });
});
