// Objects for a test cluster that a real API server accepts as well.
import type { Json, KubeObject, Texts } from '../src/sim/kubeObject.ts';

export const namespace = 'default';

export const rawNode = (name: string, spec: Json = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  spec,
});

interface PodParts {
  /** Absent = not bound yet. */
  readonly node?: string;
  readonly labels?: Texts;
  readonly spec?: Json;
  readonly finalizers?: readonly string[];
}

export const rawPod = (name: string, { node, labels = {}, spec = {}, finalizers }: PodParts = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels, ...(finalizers && { finalizers }) },
  spec: {
    containers: [{ name: 'main', image: 'example.com/main:1' }],
    terminationGracePeriodSeconds: 30,
    ...(node && { nodeName: node }),
    ...spec,
  },
});

/** As a kubelet writes it. */
export const running = (ready = true): Json => ({
  phase: 'Running',
  conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-03-10T12:00:00Z' }],
});

export const rawClaim = (name: string, finalizers: readonly string[] = []): KubeObject => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name, labels: { 'karpenter.sh/nodepool': 'web' }, ...(finalizers.length > 0 && { finalizers }) },
  spec: {
    nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
    requirements: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }],
  },
});

export const rawPdb = (name: string, matchLabels: Texts, spec: Json = { minAvailable: 1 }): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace },
  spec: { selector: { matchLabels }, ...spec },
});

/** As the disruption controller writes it for a PDB that it has just evaluated. */
export const allowing = (disruptionsAllowed: number, parts: Json = {}): Json => ({
  observedGeneration: 1,
  disruptionsAllowed,
  currentHealthy: 1 + disruptionsAllowed,
  desiredHealthy: 1,
  expectedPods: 1 + disruptionsAllowed,
  ...parts,
});
