// One row of `npm run bench -- hostile`: objects that a tenant adds to a plain cluster, all of them in its own namespace.

export interface HostileRow {
  readonly name: string;
  readonly nodes: number;
  /** Raw objects, applied after those of the plain cluster. */
  objects(): Iterable<unknown>;
}

export interface HostilePod {
  readonly index: number;
  /** The number of its node. */
  readonly node: number;
  readonly annotations?: Record<string, string>;
  /** Merged into its spec. */
  readonly spec?: Record<string, unknown>;
}

export function hostilePod({ index, node, annotations = {}, spec = {} }: HostilePod): unknown {
  const born = '2026-10-20T00:00:00Z';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'tenant',
      name: `hostile-${index}`,
      uid: `h${index}`,
      creationTimestamp: born,
      labels: { app: `hostile-${index}` },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'hostile', uid: 'hostile', controller: true },
      ],
      annotations,
    },
    spec: {
      nodeName: `node-${String(node).padStart(5, '0')}`,
      containers: [{ name: 'c', resources: { requests: { cpu: '10m', memory: '16Mi' } } }],
      ...spec,
    },
    status: { phase: 'Running', startTime: born, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}
