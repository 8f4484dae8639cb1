// Karpenter's NodePool CRD: its structure, without its descriptions.
import type { Schema } from '../../src/kinds/schema/schema.ts';

export interface KarpenterVersion {
  readonly name: string;
  readonly served: boolean;
  readonly reasons: readonly string[];
  readonly disruption?: Readonly<Record<string, Schema>>;
}

/** Karpenter 1.15. */
export const v1: KarpenterVersion = {
  name: 'v1',
  served: true,
  reasons: ['Underutilized', 'Empty', 'Drifted', 'Unhealthy'],
};
const elapsedOrNever: Schema = { type: 'string', pattern: '^(([0-9]+(s|m|h))+|Never)$' };
/** In that version the lifetime of a node was under `disruption`. */
export const v1beta1: KarpenterVersion = {
  name: 'v1beta1',
  served: true,
  reasons: ['Underutilized', 'Empty', 'Drifted'],
  disruption: { expireAfter: { ...elapsedOrNever, default: '720h' } },
};

export const karpenterCrd = (...versions: readonly KarpenterVersion[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'nodepools.karpenter.sh' },
  spec: {
    group: 'karpenter.sh',
    scope: 'Cluster',
    names: { kind: 'NodePool', listKind: 'NodePoolList', plural: 'nodepools', singular: 'nodepool' },
    versions: versions.map((version, index) => ({
      name: version.name,
      served: version.served,
      storage: index === 0,
      subresources: { status: {} },
      schema: { openAPIV3Schema: schemaOf(version) },
    })),
  },
});

function schemaOf({ reasons, disruption = {} }: KarpenterVersion): Schema {
  return {
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: {
        type: 'object',
        properties: {
          disruption: {
            type: 'object',
            default: { consolidateAfter: '0s' },
            properties: {
              budgets: budgetsWith(reasons),
              consolidateAfter: { ...elapsedOrNever, default: '0s' },
              consolidationPolicy: {
                type: 'string',
                enum: ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'],
                default: 'WhenEmptyOrUnderutilized',
              },
              ...disruption,
            },
          },
          weight: { type: 'integer', minimum: 1, maximum: 100 },
          replicas: { type: 'integer', format: 'int64', minimum: 0 },
        },
      },
    },
  };
}

const budgetsWith = (reasons: readonly string[]): Schema => ({
  type: 'array',
  maxItems: 50,
  default: [{ nodes: '10%' }],
  'x-kubernetes-list-type': 'atomic',
  'x-kubernetes-validations': [
    { rule: 'self.all(x, has(x.schedule) == has(x.duration))', message: 'schedule comes with duration' },
  ],
  items: {
    type: 'object',
    required: ['nodes'],
    properties: {
      nodes: { type: 'string', default: '10%', pattern: '^((100|[0-9]{1,2})%|[0-9]+)$' },
      reasons: {
        type: 'array',
        maxItems: 50,
        'x-kubernetes-list-type': 'set',
        items: { type: 'string', enum: reasons },
      },
      schedule: {
        type: 'string',
        pattern: '^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$',
      },
      duration: { type: 'string', pattern: '^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$' },
    },
  },
});
