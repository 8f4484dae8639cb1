// Up to two random DaemonSets, with a pod on every node that admits it.
import type { RawNode } from '../../src/sim/actors/rawObjects.ts';
import { feasibleIn } from '../../src/sim/actors/scheduler/feasible.ts';
import { viewOf } from '../../src/sim/actors/scheduler/schedulingView.ts';
import type { KubeObject } from '../../src/sim/kubeObject.ts';
import type { Random } from '../../src/sim/random.ts';

export function randomDaemons(nodes: readonly RawNode[], random: Random): KubeObject[] {
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
    const { nodes: admitted } = feasibleIn(podOf(name, spec, ''), viewOf(nodes));
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
