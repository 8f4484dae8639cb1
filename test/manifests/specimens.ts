// What do the objects look like to which the cases of restraint are done? Each as the API server takes it, and no more.
import { type Case, container, type Plain } from './restraintCases.ts';

const specimens: Readonly<Record<Case['kind'], Plain>> = {
  Node: { apiVersion: 'v1', kind: 'Node', spec: { podCIDR: '10.1.0.0/24' } },
  Pod: {
    apiVersion: 'v1',
    kind: 'Pod',
    spec: {
      automountServiceAccountToken: false,
      containers: [container('pause')],
      nodeName: 'nowhere',
      terminationGracePeriodSeconds: 0,
    },
  },
  NodeClaim: {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    spec: {
      nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
      requirements: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }],
    },
  },
  NodePool: {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
          requirements: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }],
        },
      },
    },
    status: {
      resources: { cpu: '1' },
      conditions: [
        { type: 'Ready', status: 'True', reason: 'Because', message: '', lastTransitionTime: '2026-11-15T12:00:00Z' },
      ],
    },
  },
  MaintenanceWindow: { apiVersion: 'karpenter.sh/v1alpha1', kind: 'MaintenanceWindow', spec: { note: 'them' } },
};

const annotationsOf: Readonly<Partial<Record<Case['kind'], Plain>>> = {
  NodeClaim: { 'karpenter.sh/nodepool-hash': '123', 'karpenter.sh/nodepool-hash-version': 'v3' },
};

/** As it stands before the case; what the case says of it stands over the rest. */
export function specimenOf({ kind, before = {}, name = `case-${kind.toLowerCase()}` }: Case): Plain {
  const metadata = {
    name,
    ...(kind === 'Pod' && { namespace: 'default' }),
    labels: { app: 'web', ...(kind === 'NodeClaim' && { 'karpenter.sh/nodepool': 'a' }) },
    // A case that says nothing at all of metadata means an object with annotations of others.
    ...(isBare(before) ? {} : { annotations: { 'example.com/team': 'a', ...annotationsOf[kind] } }),
  };
  return mergePatch({ ...specimens[kind], metadata }, before) as Plain;
}

const isBare = ({ metadata }: Plain): boolean => isMap(metadata) && Object.keys(metadata).length === 0;

const isMap = (value: unknown): value is Plain => typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 7396. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result: Record<string, unknown> = isMap(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}
