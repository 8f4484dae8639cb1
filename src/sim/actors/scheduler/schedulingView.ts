// What the scheduling rules read: nodes, their pods and other objects; and the check of labels and taints.

import { matchesAll, type Requirement } from '../../../cluster/selector.ts';
import { type KubeObject, keyOf, labelsOf, type ObjectKey, type Texts } from '../../kubeObject.ts';
import {
  isTerminal,
  isTolerated,
  nodeNameOf,
  type RawNode,
  type RawNodeTerm,
  type RawPod,
  type RawRequirement,
  type RawTaint,
  repelsPods,
} from '../rawObjects.ts';
import type { SimNodeRules } from './needs.ts';

export interface SchedulingView {
  nodes(): Iterable<RawNode>;
  /** The pods bound to the node that are not terminal. */
  podsOn(node: string): Iterable<RawPod>;
  get(kind: string, key: ObjectKey): KubeObject | undefined;
  list(kind: string): Iterable<KubeObject>;
}

/** Returns why the rule refuses the node; undefined if it allows it. */
export type NodeCheck = (node: RawNode) => string | undefined;

/** Prepares a check for a pod; undefined if the rule does not apply to the pod. */
export type SchedulerRule = (pod: RawPod, around: SchedulingView) => NodeCheck | undefined;

/** A view over a list of raw objects. */
export function viewOf(objects: Iterable<KubeObject>): SchedulingView {
  const kinds = new Map<string, Map<ObjectKey, KubeObject>>();
  const onNode = new Map<string, RawPod[]>();
  for (const object of objects) {
    const kind = kinds.get(object.kind) ?? new Map<ObjectKey, KubeObject>();
    kinds.set(object.kind, kind.set(keyOf(object), object));
    const node = object.kind === 'Pod' && !isTerminal(object) ? nodeNameOf(object) : undefined;
    if (node !== undefined) onNode.set(node, [...(onNode.get(node) ?? []), object as RawPod]);
  }
  const list = (kind: string): Iterable<KubeObject> => kinds.get(kind)?.values() ?? [];
  return {
    nodes: () => list('Node'),
    podsOn: (node) => onNode.get(node) ?? [],
    get: (kind, key) => kinds.get(kind)?.get(key),
    list,
  };
}

/** A label's value. A key such as `constructor` must not find inherited properties. */
export const labelAt = (object: KubeObject, key: string): string | undefined => {
  const labels = labelsOf(object);
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
};

/** The parts of a node that placement rules refer to. */
export interface NodeTraits {
  readonly name: string;
  readonly labels: Texts;
  readonly taints: readonly RawTaint[];
}

/** A cordon counts as a taint, which a pod may tolerate. */
export const cordon: RawTaint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

export const admits = (place: NodeTraits, rules: SimNodeRules): boolean =>
  place.taints.every((taint) => !repelsPods(taint) || isTolerated(taint, rules.tolerations)) && selects(rules, place);

export function selects(
  { selector, terms }: Pick<SimNodeRules, 'selector' | 'terms'>,
  { name, labels }: Omit<NodeTraits, 'taints'>,
): boolean {
  for (const key in selector) if (labels[key] !== selector[key]) return false;
  return terms === undefined || terms.some((term) => holds(term, name, labels));
}

/** An empty term selects nothing. */
function holds({ matchExpressions = [], matchFields = [] }: RawNodeTerm, name: string, labels: Texts): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchesAll(withValues(matchExpressions), labels) && matchesAll(withValues(matchFields), { 'metadata.name': name })
  );
}

const withValues = (expressions: readonly RawRequirement[]): Requirement[] =>
  expressions.map(({ key, operator, values = [] }) => ({ key, operator, values }));
