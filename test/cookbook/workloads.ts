// The pods and PodDisruptionBudget statuses that Kubernetes would create for a recipe.
import { isDeepStrictEqual } from 'node:util';
import { type Manifest, mapAt, nameOf, textAt, valueAt } from './manifest.ts';

const owners = ['Deployment', 'StatefulSet', 'Job'];

/** One pod on each node that the claim names: `NAME-on-NODE`. */
export function podsOf(object: Manifest, facts: readonly string[], startTime: string): Manifest[] {
  if (!owners.includes(String(object.kind))) return [];
  const name = nameOf(object);
  const template = mapAt(object, 'spec', 'template');
  const nodes = facts.filter((fact) => fact.startsWith(`${name}-on-`)).map((fact) => fact.slice(`${name}-on-`.length));
  return nodes.map((node, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...mapAt(template, 'metadata'),
      namespace: textAt(object, 'metadata', 'namespace') ?? 'default',
      name: `${name}-${index}`,
      ownerReferences: [{ kind: object.kind === 'Deployment' ? 'ReplicaSet' : object.kind, name, uid: name }],
    },
    spec: { ...mapAt(template, 'spec'), nodeName: node },
    status: { phase: 'Running', startTime, conditions: [{ type: 'Ready', status: 'True' }] },
  }));
}

/** All pods are healthy. */
export function withPdbStatus(object: Manifest, pods: readonly Manifest[]): Manifest {
  if (object.kind !== 'PodDisruptionBudget') return object;
  const labels = Object.entries(mapAt(object, 'spec', 'selector', 'matchLabels'));
  const namespace = textAt(object, 'metadata', 'namespace') ?? 'default';
  const meant = pods.filter(
    (pod) =>
      textAt(pod, 'metadata', 'namespace') === namespace &&
      labels.every(([key, value]) => isDeepStrictEqual(valueAt(pod, 'metadata', 'labels', key), value)),
  ).length;
  const most = valueAt(object, 'spec', 'maxUnavailable');
  const least = valueAt(object, 'spec', 'minAvailable');
  const allowed = typeof most === 'number' ? most : meant - Number(least);
  const status = {
    disruptionsAllowed: allowed,
    currentHealthy: meant,
    desiredHealthy: meant - allowed,
    expectedPods: meant,
  };
  return { ...object, status };
}
