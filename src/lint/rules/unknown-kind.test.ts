import { describe, expect, it } from 'vitest';
import { found } from '../facts/policyOf.ts';
import { unknownKind } from './unknown-kind.ts';

const of = (apiVersion: string, kind: string) => `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: it}\n`;

describe('K4: unknown-kind', () => {
  it('finds its example', () => {
    expect(found(unknownKind)).toEqual([
      {
        rule: 'unknown-kind',
        severity: 'error',
        object: 'Nodepool/default',
        path: 'kind',
        message: 'Unknown kind Nodepool in karpenter.sh/v1.',
        suggestion: 'kind: NodePool',
        fix: [{ path: 'kind', set: 'NodePool' }],
      },
    ]);
  });

  it.each([
    ['karpenter.sh/v1alhpa1', 'NodePool', 'apiVersion: karpenter.sh/v1'],
    ['karpenter.sh/v1beta2', 'NodePool', 'apiVersion: karpenter.sh/v1beta1'],
    ['karpenter.sh/v1', 'PodDisruptionSchedule', 'apiVersion: karpenter.sh/v1alpha1'],
    ['lull.dev/v1alpha1', 'MaintenanceWindow', 'apiVersion: karpenter.sh/v1alpha1'],
    ['karpeter.sh/v1', 'NodePool', 'apiVersion: karpenter.sh/v1'],
    ['karpenter.k8s.aws/v1', 'NodePool', 'apiVersion: karpenter.sh/v1'],
    ['v1', 'PodDisruptionBudget', 'apiVersion: policy/v1'],
    ['karpenter.sh/v1alpha1', 'maintenancewindow', 'kind: MaintenanceWindow'],
    ['karpenter.sh/v1alpha1', 'MaintenaceWindow', 'kind: MaintenanceWindow'],
    ['apps/v1', 'deployment', 'kind: Deployment'],
  ])('%s %s: %s', (apiVersion, kind, suggestion) => {
    expect(found(unknownKind, of(apiVersion, kind))).toMatchObject([{ severity: 'error', suggestion }]);
  });

  it.each([
    ['karpenter.sh/v1beta1', 'NodePool'],
    ['karpenter.sh/v1alpha5', 'Provisioner'],
    ['karpenter.sh/v1alpha1', 'NodeOverlay'],
    ['hypershift.openshift.io/v1beta1', 'NodePool'],
    ['apps.kruise.io/v1alpha1', 'DaemonSet'],
    ['management.cattle.io/v3', 'Node'],
    ['example.com/v1', 'nodepool'],
    ['metrics.k8s.io/v1beta1', 'NodeMetrics'],
  ])('is silent about %s %s', (apiVersion, kind) => {
    expect(found(unknownKind, of(apiVersion, kind))).toEqual([]);
  });
});
