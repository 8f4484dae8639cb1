// What is there when a pod is to be placed? Nodes, the pods that stand on them, and whatever else is asked for by name.
import { type Key, type KubeObject, keyOf, type Texts } from '../../kubeObject.ts';
import { isTerminal, type Node, nodeNameOf, type Pod } from '../manifest.ts';

export interface Around {
  nodes(): Iterable<Node>;
  /** Those that are bound to it and have not ended. */
  podsOn(node: string): Iterable<Pod>;
  get(kind: string, key: Key): KubeObject | undefined;
  list(kind: string): Iterable<KubeObject>;
}

/** Undefined = it may go to that node, as far as the rule is concerned; else why not. */
export type Judge = (node: Node) => string | undefined;

/** Looks at what is around once, and then at any node. Undefined = the pod asks nothing of the kind. */
export type Rule = (pod: Pod, around: Around) => Judge | undefined;

/** A cluster as a list of raw objects. */
export function aroundOf(objects: Iterable<KubeObject>): Around {
  const kinds = new Map<string, Map<Key, KubeObject>>();
  const onNode = new Map<string, Pod[]>();
  for (const object of objects) {
    const kind = kinds.get(object.kind) ?? new Map<Key, KubeObject>();
    kinds.set(object.kind, kind.set(keyOf(object), object));
    const node = object.kind === 'Pod' && !isTerminal(object as Pod) ? nodeNameOf(object) : undefined;
    if (node !== undefined) onNode.set(node, [...(onNode.get(node) ?? []), object as Pod]);
  }
  const list = (kind: string): Iterable<KubeObject> => kinds.get(kind)?.values() ?? [];
  return {
    nodes: () => list('Node') as Iterable<Node>,
    podsOn: (node) => onNode.get(node) ?? [],
    get: (kind, key) => kinds.get(kind)?.get(key),
    list,
  };
}

export const labelsOf = ({ metadata }: KubeObject): Texts => metadata.labels ?? {};

export const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace ?? 'default';

/** A label's value. A key such as `constructor` must not find what every object inherits. */
export const labelAt = (object: KubeObject, key: string): string | undefined => {
  const labels = labelsOf(object);
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
};
