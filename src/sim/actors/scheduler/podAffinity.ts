// Whom must a pod be near, and whom far from? Required affinity and anti-affinity, its own and that of the pods already there.

import { selects } from '../../labelSelector.ts';
import type { Pod, PodAffinityTerm } from '../manifest.ts';
import { type Around, type Judge, labelAt, labelsOf, namespaceOf } from './around.ts';
import { podSelector } from './podSelector.ts';

type Side = 'podAffinity' | 'podAntiAffinity';

export const requiredTerms = ({ spec }: Pod, side: Side): readonly PodAffinityTerm[] =>
  spec?.affinity?.[side]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

/** A domain: the value of a topology key. */
const domainOf = (key: string, value: string): string => JSON.stringify([key, value]);

export function podAffinityRule(pod: Pod, around: Around): Judge | undefined {
  const near = requiredTerms(pod, 'podAffinity');
  const apart = requiredTerms(pod, 'podAntiAffinity');
  const own = near.length + apart.length > 0;
  const { wanted, avoided, guarded } = domains(pod, around);
  if (!own && guarded.size === 0) return undefined;
  // Nobody is like that yet: the first of a group that wants to be together may go anywhere.
  const isFirst = wanted.size === 0 && near.every((term) => means(term, pod, pod, { around }) && !isReadWider(term));
  return (node) => {
    for (const { topologyKey } of near) {
      const value = labelAt(node, topologyKey);
      if (value === undefined) return `affinity: it has no label ${topologyKey}`;
      if (!isFirst && !wanted.has(domainOf(topologyKey, value)))
        return `affinity: nobody it wants to be near over ${topologyKey}`;
    }
    for (const { topologyKey } of apart) {
      const value = labelAt(node, topologyKey);
      if (value !== undefined && avoided.has(domainOf(topologyKey, value)))
        return `anti-affinity: somebody it keeps away from over ${topologyKey}`;
    }
    for (const [key, value] of Object.entries(labelsOf(node)))
      if (guarded.has(domainOf(key, value))) return `anti-affinity: somebody there keeps it away over ${key}`;
    return undefined;
  };
}

interface Domains {
  /** With a pod that all its terms of affinity mean. */
  readonly wanted: ReadonlySet<string>;
  readonly avoided: ReadonlySet<string>;
  /** Kept free of it by pods that are there. */
  readonly guarded: ReadonlySet<string>;
}

function domains(pod: Pod, around: Around): Domains {
  const near = requiredTerms(pod, 'podAffinity');
  const apart = requiredTerms(pod, 'podAntiAffinity');
  const [wanted, avoided, guarded] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const node of around.nodes()) {
    const enter = (set: Set<string>, { topologyKey }: PodAffinityTerm): void => {
      const value = labelAt(node, topologyKey);
      if (value !== undefined) set.add(domainOf(topologyKey, value));
    };
    for (const other of around.podsOn(node.metadata.name)) {
      if (near.length > 0 && near.every((term) => means(term, pod, other, { around })))
        for (const term of near) enter(wanted, term);
      for (const term of apart) if (means(term, pod, other, { around, isWide: true })) enter(avoided, term);
      for (const term of requiredTerms(other, 'podAntiAffinity'))
        if (means(term, other, pod, { around, isThere: true })) enter(guarded, term);
    }
  }
  return { wanted, avoided, guarded };
}

interface Known {
  readonly around: Pick<Around, 'get'>;
  /** The pod whose term it is stands already. */
  readonly isThere?: boolean;
  /** kube-scheduler 1.36 takes the anti-affinity of a pod that comes so: whoever selects namespaces without labels selects all. */
  readonly isWide?: boolean;
}

/** Whether a term of this pod means that other. */
export const means = (term: PodAffinityTerm, of: Pod, other: Pod, known: Known): boolean =>
  isInNamespaces(term, of, namespaceOf(other), known) && podSelector(term, labelsOf(of)).matches(labelsOf(other));

/** Named, or chosen by their labels; the pod's own where the term says nothing of them. */
function isInNamespaces(term: PodAffinityTerm, of: Pod, namespace: string, known: Known): boolean {
  const { around, isThere, isWide } = known;
  const { namespaces = [], namespaceSelector } = term;
  if (namespaces.includes(namespace)) return true;
  if (namespaceSelector === undefined || namespaceSelector === null)
    return namespaces.length === 0 && namespaceOf(of) === namespace;
  if (isWide && isReadWider(term)) return true;
  const isEmpty = podSelector({ labelSelector: namespaceSelector }).isEmpty;
  const there = around.get('Namespace', namespace);
  // A namespace that is not there has no labels for those that stand already, and is not found by those that come.
  if (!there && !isThere && !isEmpty) return false;
  return selects(namespaceSelector, there ? labelsOf(there) : {});
}

/** kube-scheduler 1.36 takes it for every namespace, in the terms of the pod itself; whether it is the first of its group can then not be told. */
const isReadWider = ({ namespaceSelector }: PodAffinityTerm): boolean =>
  namespaceSelector !== undefined &&
  namespaceSelector !== null &&
  !podSelector({ labelSelector: namespaceSelector }).isEmpty &&
  selects(namespaceSelector, {});
