// Beside which pods does a pod want to run, and beside which not? Terms of pod affinity and anti-affinity.
import type { PodTerm, Preference } from '../cluster/scheduling.ts';
import type { TextMap } from '../cluster/selector.ts';
import { readWeight } from './nodePreferences.ts';
import type { Reader } from './reader.ts';
import { readLabelSelector } from './requirement.ts';
import { readSelectorOrNothing, withLabelKeys } from './selectorKeys.ts';
import { readTopologyKey } from './spread.ts';

/** The pod that asks: terms without namespaces mean its own, and label keys its own labels. */
export interface Asker {
  readonly namespace: string;
  readonly labels: TextMap;
}

const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

/** The required ones, of podAffinity or podAntiAffinity. */
export const readPodTerms = (affinity: Reader, asker: Asker): PodTerm[] =>
  affinity.maps('requiredDuringSchedulingIgnoredDuringExecution').map((term) => readTerm(term, asker));

export function readPodPreferences(affinity: Reader, asker: Asker): Preference[] {
  const of = (key: string): { readonly weight: number; readonly term: PodTerm }[] =>
    affinity
      .map(key)
      .maps(preferred)
      .flatMap((each) => {
        const before = each.findings.wrongs;
        const read = { weight: readWeight(each), term: readTerm(each.map('podAffinityTerm'), asker) };
        // Nobody knows what was preferred: a preference less holds nothing back.
        return each.findings.wrongs === before ? [read] : [];
      });
  return [
    ...of('podAffinity').map(({ weight, term }) => ({ weight, near: term })),
    ...of('podAntiAffinity').map(({ weight, term }) => ({ weight, apart: term })),
  ];
}

function readTerm(term: Reader, { namespace, labels }: Asker): PodTerm {
  const selector = readSelectorOrNothing(term, 'labelSelector');
  const matched = withLabelKeys(selector, labels, term.texts('matchLabelKeys'), 'In');
  const named = term.texts('namespaces');
  const bySelector = term.has('namespaceSelector');
  return {
    topologyKey: readTopologyKey(term),
    selector: withLabelKeys(matched, labels, term.texts('mismatchLabelKeys'), 'NotIn'),
    namespaces: named.length === 0 && !bySelector ? [namespace] : named,
    ...(bySelector && { namespaceSelector: readLabelSelector(term, 'namespaceSelector') }),
  };
}
