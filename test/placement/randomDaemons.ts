// Which daemons run on the nodes? Up to two sets, with a pod on every node that admits it.
import type { Node } from '../../src/sim/actors/manifest.ts';
import { aroundOf } from '../../src/sim/actors/scheduler/around.ts';
import { feasibleAround } from '../../src/sim/actors/scheduler/feasible.ts';
import type { KubeObject } from '../../src/sim/kubeObject.ts';
import type { Random } from '../../src/sim/random.ts';

export function randomDaemons(nodes: readonly Node[], random: Random): KubeObject[] {
  return ['agent', 'logs'].slice(0, random.whole(3)).flatMap((name) => {
    const spec = {
      containers: [
        { name: 'main', image: 'registry.example/agent:1', resources: { requests: { cpu: '50m', memory: '64Mi' } } },
      ],
      ...(random.chance(0.5) && { tolerations: [{ operator: 'Exists' }] }),
      ...(random.chance(0.3) && { nodeSelector: { 'example.com/disk': 'ssd' } }),
    };
    const labels = { app: name };
    const set = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name, namespace: 'lab', uid: `set-${name}` },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    };
    const { nodes: admitted } = feasibleAround(podOf(name, spec, ''), aroundOf(nodes));
    return [set, ...admitted.map((node) => podOf(name, spec, node))];
  });
}

function podOf(of: string, spec: object, node: string): KubeObject {
  const only = { key: 'metadata.name', operator: 'In', values: [node] };
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [only] }] },
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: node ? `${of}-${node}` : of,
      namespace: 'lab',
      uid: `pod-${of}-${node}`,
      labels: { app: of },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: of, uid: `set-${of}`, controller: true }],
    },
    spec: { ...spec, terminationGracePeriodSeconds: 0, ...(node && { nodeName: node, affinity: { nodeAffinity } }) },
    status: { phase: node ? 'Running' : 'Pending' },
  };
}
