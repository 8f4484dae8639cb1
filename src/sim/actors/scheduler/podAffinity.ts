// Required pod affinity and anti-affinity, including the anti-affinity of placed pods against the pod.
import { type Json, keyOf, labelsOf, namespaceOf, type ObjectKey, selects, type Texts } from '../../kubeObject.ts';
import type { RawPod, RawPodAffinityTerm } from '../rawObjects.ts';
import { labelAt, type NodeCheck, type SchedulingView } from './schedulingView.ts';

export interface PodSelector {
  matches(labels: Texts | undefined): boolean;
  /** An empty selector, which matches every pod. */
  readonly isEmpty: boolean;
}

interface SelectorFields {
  readonly labelSelector?: Json;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

/** An absent selector matches no pod. Keys that the pod does not have are ignored. */
export function podSelector(written: SelectorFields, own: Texts = {}): PodSelector {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = written;
  const has = (key: string): boolean => Object.hasOwn(own, key);
  const [same, other] = [matchLabelKeys.filter(has), mismatchLabelKeys.filter(has)];
  const { matchLabels, matchExpressions } = (labelSelector ?? {}) as {
    matchLabels?: Json;
    matchExpressions?: unknown[];
  };
  const asked = Object.keys(matchLabels ?? {}).length + (matchExpressions ?? []).length + same.length + other.length;
  return {
    matches: (labels = {}) =>
      selects(labelSelector, labels) &&
      same.every((key) => labels[key] === own[key]) &&
      other.every((key) => labels[key] !== own[key]),
    isEmpty: labelSelector !== undefined && asked === 0,
  };
}

type Side = 'podAffinity' | 'podAntiAffinity';

const requiredTerms = ({ spec }: RawPod, side: Side): readonly RawPodAffinityTerm[] =>
  spec?.affinity?.[side]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

/** A domain: the value of a topology key. */
const domainOf = (key: string, value: string): string => JSON.stringify([key, value]);

export function podAffinityRule(pod: RawPod, around: SchedulingView): NodeCheck | undefined {
  const near = requiredTerms(pod, 'podAffinity');
  const apart = requiredTerms(pod, 'podAntiAffinity');
  const own = near.length + apart.length > 0;
  const { wanted, avoided, guarded } = domains(pod, around);
  if (!own && guarded.size === 0) return undefined;
  // The first pod of a group with affinity to itself may run anywhere.
  const isFirst =
    wanted.size === 0 && near.every((term) => selectsPod(term, pod, pod, { around }) && !selectsAllNamespaces(term));
  return (node) => {
    for (const { topologyKey } of near) {
      const value = labelAt(node, topologyKey);
      if (value === undefined) return `affinity: no label ${topologyKey}`;
      if (!isFirst && !wanted.has(domainOf(topologyKey, value)))
        return `affinity: no matching pod in its ${topologyKey}`;
    }
    for (const { topologyKey } of apart) {
      const value = labelAt(node, topologyKey);
      if (value !== undefined && avoided.has(domainOf(topologyKey, value)))
        return `anti-affinity: a matching pod in its ${topologyKey}`;
    }
    for (const [key, value] of Object.entries(labelsOf(node)))
      if (guarded.has(domainOf(key, value))) return `anti-affinity: of a pod in its ${key}`;
    return undefined;
  };
}

interface Domains {
  /** Domains with a pod that matches all affinity terms. */
  readonly wanted: ReadonlySet<string>;
  readonly avoided: ReadonlySet<string>;
  /** Domains with a pod whose anti-affinity selects this pod. */
  readonly guarded: ReadonlySet<string>;
}

function domains(pod: RawPod, around: SchedulingView): Domains {
  const near = requiredTerms(pod, 'podAffinity');
  const apart = requiredTerms(pod, 'podAntiAffinity');
  const [wanted, avoided, guarded] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const node of around.nodes()) {
    const enter = (set: Set<string>, { topologyKey }: RawPodAffinityTerm): void => {
      const value = labelAt(node, topologyKey);
      if (value !== undefined) set.add(domainOf(topologyKey, value));
    };
    for (const other of around.podsOn(node.metadata.name)) {
      if (near.length > 0 && near.every((term) => selectsPod(term, pod, other, { around })))
        for (const term of near) enter(wanted, term);
      for (const term of apart) if (selectsPod(term, pod, other, { around, isWide: true })) enter(avoided, term);
      for (const term of requiredTerms(other, 'podAntiAffinity'))
        if (selectsPod(term, other, pod, { around, isThere: true })) enter(guarded, term);
    }
  }
  return { wanted, avoided, guarded };
}

interface TermContext {
  readonly around: Pick<SchedulingView, 'get'>;
  /** The pod with the term is already placed. */
  readonly isThere?: boolean;
  /** For the anti-affinity of an incoming pod: in kube-scheduler 1.36, a namespace selector that matches no labels matches all namespaces. */
  readonly isWide?: boolean;
}

/** Whether a term of pod `of` selects the other pod. */
export const selectsPod = (term: RawPodAffinityTerm, of: RawPod, other: RawPod, known: TermContext): boolean =>
  isInNamespaces(term, of, namespaceOf(other), known) && podSelector(term, labelsOf(of)).matches(labelsOf(other));

/** The term's namespaces by name or by selector; by default the pod's own. */
function isInNamespaces(term: RawPodAffinityTerm, of: RawPod, namespace: string, known: TermContext): boolean {
  const { around, isThere, isWide } = known;
  const { namespaces = [], namespaceSelector } = term;
  if (namespaces.includes(namespace)) return true;
  if (namespaceSelector === undefined || namespaceSelector === null)
    return namespaces.length === 0 && namespaceOf(of) === namespace;
  if (isWide && selectsAllNamespaces(term)) return true;
  const isEmpty = podSelector({ labelSelector: namespaceSelector }).isEmpty;
  const there = around.get('Namespace', namespace);
  // A missing namespace has no labels for placed pods, and is not found for incoming pods.
  if (!there && !isThere && !isEmpty) return false;
  return selects(namespaceSelector, there ? labelsOf(there) : {});
}

/** kube-scheduler 1.36 reads such a selector as every namespace in an incoming pod's terms. Then it never counts as the first of its group. */
const selectsAllNamespaces = ({ namespaceSelector }: RawPodAffinityTerm): boolean =>
  namespaceSelector !== undefined &&
  namespaceSelector !== null &&
  !podSelector({ labelSelector: namespaceSelector }).isEmpty &&
  selects(namespaceSelector, {});

export class AntiAffinityPods {
  readonly #texts = new Map<ObjectKey, string>();
  /** By their terms: one example pod, and how many there are. */
  readonly #groups = new Map<string, { readonly pod: RawPod; count: number }>();

  set(pod: RawPod, isThere: boolean): void {
    if (this.#texts.size === 0 && !hasAntiAffinity(pod)) return;
    const key = keyOf(pod);
    const was = this.#texts.get(key);
    const text = isThere ? termsKey(pod) : undefined;
    if (was === text) return;
    if (was !== undefined) this.#leave(key, was);
    if (text === undefined) return;
    this.#texts.set(key, text);
    const group = this.#groups.get(text);
    if (group) group.count++;
    else this.#groups.set(text, { pod, count: 1 });
  }

  /** Whether the anti-affinity of any pod selects this pod, in whichever domain. */
  repels(pod: RawPod, around: Pick<SchedulingView, 'get'>): boolean {
    for (const { pod: guard } of this.#groups.values())
      for (const term of requiredTerms(guard, 'podAntiAffinity'))
        if (selectsPod(term, guard, pod, { around, isThere: true })) return true;
    return false;
  }

  #leave(key: ObjectKey, text: string): void {
    this.#texts.delete(key);
    const group = this.#groups.get(text);
    if (group && --group.count === 0) this.#groups.delete(text);
  }
}

export const hasAntiAffinity = (pod: RawPod): boolean => requiredTerms(pod, 'podAntiAffinity').length > 0;

function termsKey(pod: RawPod): string | undefined {
  const terms = requiredTerms(pod, 'podAntiAffinity');
  if (terms.length === 0) return undefined;
  const keys = terms.flatMap(({ matchLabelKeys = [], mismatchLabelKeys = [] }) => [
    ...matchLabelKeys,
    ...mismatchLabelKeys,
  ]);
  return JSON.stringify([namespaceOf(pod), terms, keys.map((key) => labelsOf(pod)[key])]);
}
