// A healthy node as Karpenter makes it, and small edits of plain objects.

export type Plain = Readonly<Record<string, unknown>>;
export type Labels = Readonly<Record<string, string>>;

export interface PlainCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly lastTransitionTime?: string;
}

/** The fields of a vector's object that the adapters read; the rest is passed through. */
export interface PlainObject extends Plain {
  readonly metadata: Plain & { readonly name: string; readonly labels?: Labels; readonly annotations?: Labels };
  readonly spec?: Plain;
  readonly status?: Plain & { readonly conditions?: readonly PlainCondition[] };
}

export interface PlainBudget {
  readonly nodes?: string;
  readonly reasons?: readonly string[];
}

export interface PlainPool extends PlainObject {
  readonly spec: Plain & {
    readonly disruption: Plain & { readonly budgets?: readonly PlainBudget[]; readonly consolidateAfter?: string };
    readonly template: {
      readonly metadata?: { readonly labels?: Labels; readonly annotations?: Labels };
      readonly spec: Plain;
    };
    readonly replicas?: number;
  };
}

const longAgo = '2020-01-01T00:00:00Z';

export const condition = (type: string, since: string, reason = type): PlainCondition => ({
  type,
  status: 'True',
  reason,
  lastTransitionTime: since,
});

export interface NodeParts {
  readonly name: string;
  /** Labels of the node and its claim, including the pool's. */
  readonly labels: Labels;
}

/** An initialized Ready node. */
export function readyNode({ name, labels }: NodeParts): PlainObject {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      creationTimestamp: longAgo,
      labels: { ...labels, 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' },
    },
    spec: { providerID: `fake:///${name}` },
    status: { allocatable: { cpu: '4', memory: '16Gi', pods: '110' }, conditions: [condition('Ready', longAgo)] },
  };
}

export function claimOf({ name, labels }: NodeParts): PlainObject {
  const conditions = ['Launched', 'Registered', 'Initialized', 'Ready'].map((type) => condition(type, longAgo));
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, creationTimestamp: longAgo, labels },
    spec: {},
    status: { nodeName: name, providerID: `fake:///${name}`, conditions },
  };
}

export const poolLabel = (pool: string): Labels => ({ 'karpenter.sh/nodepool': pool });

/** A pool without a limit. */
export const freePool = (name: string, templateSpec: Plain = {}): PlainPool => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name },
  spec: { disruption: { budgets: [{ nodes: '100%' }] }, template: { spec: templateSpec } },
});

export const annotated = (object: PlainObject, annotations: Labels): PlainObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
});

export const withStatus = (object: PlainObject, status: Plain): PlainObject => ({
  ...object,
  status: { ...object.status, ...status },
});

/** With this condition instead of any other of its type. */
export function withCondition(object: PlainObject, added: PlainCondition): PlainObject {
  const others = (object.status?.conditions ?? []).filter(({ type }) => type !== added.type);
  return withStatus(object, { conditions: [...others, added] });
}

export const isTrue = (object: PlainObject, type: string): boolean =>
  object.status?.conditions?.some((it) => it.type === type && it.status === 'True') ?? false;

export const onNode = (pod: PlainObject, nodeName: string): PlainObject => ({
  ...pod,
  spec: { ...pod.spec, nodeName },
});

export const withBudgets = (pool: PlainPool, budgets: readonly PlainBudget[]): PlainPool => ({
  ...pool,
  spec: { ...pool.spec, disruption: { ...pool.spec.disruption, budgets } },
});
