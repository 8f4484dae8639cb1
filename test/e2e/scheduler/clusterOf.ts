// The cluster of a seed: a random one, or one with more room.
import type { KubeObject } from '../../../src/sim/kubeObject.ts';
import { featuresOf } from '../../placement/features.ts';
import { type RandomCluster, randomCluster } from '../../placement/randomCluster.ts';

/** As generated, nearly everything is full or tainted, and no pod can move: of three clusters one gets fewer pods, another larger nodes. */
export function clusterOf(seed: number): RandomCluster {
  const drawn = randomCluster(seed, seed % 3 === 1 ? { pods: 8 + (seed % 17) } : {});
  if (seed % 3 !== 2) return drawn;
  const objects = drawn.objects.map((object, index) => (object.kind === 'Node' ? roomier(object, index) : object));
  return { objects, features: featuresOf(objects) };
}

/** With large capacity; two in three nodes also lose their taints, so that mostly the pods' rules decide. */
function roomier(node: KubeObject, index: number): KubeObject {
  const { taints: _, unschedulable: __, ...spec } = node.spec ?? {};
  const { cpu, memory, ...rest } = (node.status?.allocatable ?? {}) as Record<string, string>;
  const allocatable = { ...rest, cpu: '64', memory: '256Gi', pods: '110' };
  return { ...node, spec: index % 3 === 0 ? (node.spec ?? {}) : spec, status: { ...node.status, allocatable } };
}
