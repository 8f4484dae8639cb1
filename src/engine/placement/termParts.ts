// A pod's terms as the scheduler reads them, and the simple terms that each is the sum of (F6).
import type { PodTerm } from '../../cluster/scheduling.ts';
import { matches } from '../../cluster/selector.ts';
import { partsOf } from '../../cluster/selectorParts.ts';

/**
 * kube-scheduler 1.36 looks for the namespaces of a pod's own terms once, and then loses them: a selector that means namespaces without
 * labels means every namespace. What is kept apart less strictly would be stranded, and so would the first of a group that is not the first then.
 */
export const isReadWider = ({ namespaceSelector }: PodTerm): boolean =>
  namespaceSelector !== undefined && namespaceSelector.requirements.length > 0 && matches(namespaceSelector, {});

export const asKubeSchedulerReads = (term: PodTerm): PodTerm =>
  isReadWider(term) ? { ...term, namespaceSelector: { requirements: [] } } : term;

/** The terms that its selector is the sum of. */
export const partsOfTerm = (whole: PodTerm): readonly { readonly term: PodTerm; readonly sign: 1 | -1 }[] =>
  partsOf(whole.selector).map(({ requirements, sign }) => ({ term: { ...whole, selector: { requirements } }, sign }));
