// What does a pod belong to, as people call it? A ReplicaSet of a Deployment is not what anybody wrote.
import type { KubeObject } from '../kubeObject.ts';

/** `shop/web`; the pod's own name where nothing owns it. */
export function workloadOf({ metadata }: KubeObject): string {
  const { name, namespace = 'default', ownerReferences = [], labels = {} } = metadata;
  const owner = ownerReferences.find(({ controller }) => controller) ?? ownerReferences[0];
  if (!owner) return `${namespace}/${name}`;
  const hash = labels['pod-template-hash'];
  const suffix = hash === undefined ? '' : `-${hash}`;
  const isReplicaSet = owner.kind === 'ReplicaSet' && suffix !== '' && owner.name.endsWith(suffix);
  return `${namespace}/${isReplicaSet ? owner.name.slice(0, -suffix.length) : owner.name}`;
}
