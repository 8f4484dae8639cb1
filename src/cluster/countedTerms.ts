// The affinity terms and spread constraints of a pod, as counted against the limit of its namespace (F6).
import { memo } from './memo.ts';
import type { Pod } from './model.ts';
import type { PodTerm, Scheduling, Spread } from './scheduling.ts';
import { partsOf, type Requirement, type Selector } from './selector.ts';

export interface CountedTerm {
  /** Terms with the same text are evaluated once. */
  readonly text: string;
  readonly requirements: readonly Requirement[];
  /** Absent = every namespace. */
  readonly namespaces?: readonly string[];
  /** A spread constraint that honours node affinity or taints: each node has to be checked too. */
  readonly dividesNodes?: true;
}

/** Whether the pod has affinity to other pods or spread constraints. */
export const hasTerms = ({ scheduling }: Pod): boolean =>
  scheduling !== undefined &&
  (scheduling.spread.length > 0 ||
    scheduling.near.length > 0 ||
    scheduling.apart.length > 0 ||
    scheduling.likes.some((like) => !('node' in like)));

/** Pods of one template share their scheduling object, so this runs once for most of them. */
const sharedTerms = memo((scheduling: Scheduling): readonly CountedTerm[] => [...affinityTerms(scheduling)]);

export function countedTermsOf(pod: Pod): readonly CountedTerm[] {
  const { scheduling } = pod;
  if (!scheduling || !hasTerms(pod)) return none;
  const terms = sharedTerms(scheduling);
  return scheduling.spread.length === 0 ? terms : [...terms, ...scheduling.spread.map((it) => spreadTerm(it, pod))];
}

const none: readonly CountedTerm[] = [];

function* affinityTerms({ near, apart, likes }: Scheduling): Generator<CountedTerm> {
  // The scheduler evaluates all terms of a required affinity together, so each selector stays whole.
  for (const term of near) if (!term.selector.nothing) yield countedTerm('near', term, term.selector.requirements);
  const divided = [...near, ...apart, ...likes.flatMap((like) => ('node' in like ? [] : [termOf(like)]))];
  for (const term of divided) {
    for (const { requirements } of partsOf(term.selector)) yield countedTerm('', term, requirements);
  }
}

const termOf = (like: { readonly near: PodTerm } | { readonly apart: PodTerm }): PodTerm =>
  'near' in like ? like.near : like.apart;

function countedTerm(kind: string, term: PodTerm, requirements: readonly Requirement[]): CountedTerm {
  const { namespaces, namespaceSelector, topologyKey } = term;
  const text = JSON.stringify([kind, topologyKey, namespaces, namespaceSelector, requirements]);
  return { text, requirements, ...(!namespaceSelector && { namespaces }) };
}

function spreadTerm(spread: Spread, { namespace, nodeSelector, tolerations }: Pod): CountedTerm {
  const selects = spread.honoursAffinity && nodeSelector !== undefined;
  const text = [textOf(spread), selects && textOf(nodeSelector), spread.honoursTaints && JSON.stringify(tolerations)];
  const dividesNodes = selects || spread.honoursTaints;
  const { requirements } = spread.selector.nothing ? matchesNothing : spread.selector;
  return { text: text.join('\n'), requirements, namespaces: [namespace], ...(dividesNodes && { dividesNodes }) };
}

const matchesNothing: Selector = { requirements: [{ key: '', operator: 'In', values: [] }] };

const textOf = memo((value: object): string => JSON.stringify(value));
