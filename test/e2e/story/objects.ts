// Objects of stories: pools of small nodes, and pods of which exactly one fits on each.

export const zoneKey = 'topology.kubernetes.io/zone';
const zones = ['test-zone-a', 'test-zone-b', 'test-zone-c'] as const;

export interface PoolParts {
  readonly name?: string;
  readonly zones?: readonly string[];
  /** C17: the budgets that Lull reads, in the annotation. */
  readonly budgets?: readonly object[];
  /** The budgets that Karpenter reads, in the spec. */
  readonly karpenterBudgets?: readonly object[];
  readonly annotations?: Readonly<Record<string, string>>;
  /** Labels of the template: a change of them is drift. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly instanceTypes?: readonly string[];
  /** Replaces those for zone, instance type and capacity type. */
  readonly requirements?: readonly object[];
  /** Default: the KWOK provider's. */
  readonly nodeClassRef?: object;
  readonly expireAfter?: string;
  readonly terminationGracePeriod?: string;
  readonly consolidateAfter?: string;
  readonly consolidationPolicy?: string;
  /** More fields of spec.disruption, for a patched CRD. */
  readonly disruption?: object;
}

export function nodepool(parts: PoolParts = {}): object {
  const { name = 'web', budgets, annotations = {}, labels = {}, terminationGracePeriod } = parts;
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: {
      name,
      annotations: { ...(budgets && { 'lull.dev/budgets': JSON.stringify(budgets) }), ...annotations },
    },
    spec: {
      template: {
        metadata: { labels: { pool: name, ...labels } },
        spec: {
          expireAfter: parts.expireAfter ?? 'Never',
          ...(terminationGracePeriod && { terminationGracePeriod }),
          nodeClassRef: parts.nodeClassRef ?? { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
          requirements: parts.requirements ?? [
            { key: zoneKey, operator: 'In', values: parts.zones ?? zones },
            { key: 'node.kubernetes.io/instance-type', operator: 'In', values: parts.instanceTypes ?? [fourCores] },
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
          ],
        },
      },
      disruption: {
        consolidationPolicy: parts.consolidationPolicy ?? 'WhenEmpty',
        consolidateAfter: parts.consolidateAfter ?? 'Never',
        // What Karpenter enforces without Lull (C17): one node at a time of up to ten.
        budgets: parts.karpenterBudgets ?? [{ nodes: '10%' }],
        ...parts.disruption,
      },
    },
  };
}

const fourCores = 'c-4x-amd64-linux';

export interface DeploymentParts {
  readonly name?: string;
  readonly pool?: string;
  readonly replicas?: number;
  /** Default: the same number in each zone. */
  readonly spread?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Default: more than half of a node. */
  readonly cpu?: string;
  /** Default: 1Gi. */
  readonly memory?: string;
  readonly graceSeconds?: number;
  /** More fields of the pod's spec. */
  readonly spec?: object;
}

export function deployment(parts: DeploymentParts = {}): object {
  const { name = 'web', pool = 'web', replicas = 9, spread = true, labels = {}, annotations = {} } = parts;
  const matchLabels = { app: name };
  const constraint = { maxSkew: 1, topologyKey: zoneKey, whenUnsatisfiable: 'DoNotSchedule' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels },
      template: {
        metadata: { labels: { ...matchLabels, ...labels }, annotations },
        spec: {
          nodeSelector: { 'karpenter.sh/nodepool': pool },
          terminationGracePeriodSeconds: parts.graceSeconds ?? 1,
          ...(spread && {
            topologySpreadConstraints: [{ ...constraint, labelSelector: { matchLabels } }],
          }),
          containers: [
            {
              name: 'main',
              image: 'example.com/main:1',
              resources: { requests: { cpu: parts.cpu ?? '2500m', memory: parts.memory ?? '1Gi' } },
            },
          ],
          ...parts.spec,
        },
      },
    },
  };
}

/** As `{ minAvailable: 8 }`, for the pods of a deployment. */
export const pdb = (name: string, spec: object, labels: object = { app: name }): object => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace: 'default' },
  spec: { selector: { matchLabels: labels }, ...spec },
});
