// What a pod asks of the pods around it, as it is counted against the limit of its namespace (F6).
import type { Pod } from './model.ts';
import type { PodTerm, Scheduling, Spread } from './scheduling.ts';
import type { Requirement, Selector } from './selector.ts';
import { partsOf } from './selectorParts.ts';

export interface Ask {
  /** The same text = worked out once for all. */
  readonly text: string;
  readonly requirements: readonly Requirement[];
  /** Absent = in every namespace. */
  readonly namespaces?: readonly string[];
  /** It divides the nodes in a way of its own: each node is asked whether it counts. */
  readonly dividesNodes?: true;
}

/** Whether it asks anything of other pods. */
export const hasTerms = ({ scheduling }: Pod): boolean =>
  scheduling !== undefined &&
  (scheduling.spread.length > 0 ||
    scheduling.near.length > 0 ||
    scheduling.apart.length > 0 ||
    scheduling.likes.some((like) => !('node' in like)));

const known = new WeakMap<Scheduling, readonly Ask[]>();

/** Pods that are made alike share their scheduling, so that most of this is worked out once. */
export function asksOf(pod: Pod): readonly Ask[] {
  const { scheduling } = pod;
  if (!scheduling || !hasTerms(pod)) return none;
  let asks = known.get(scheduling);
  if (!asks) {
    asks = [...termAsks(scheduling)];
    known.set(scheduling, asks);
  }
  return scheduling.spread.length === 0 ? asks : [...asks, ...scheduling.spread.map((it) => spreadAsk(it, pod))];
}

const none: readonly Ask[] = [];

function* termAsks({ near, apart, likes }: Scheduling): Generator<Ask> {
  // All terms of an affinity are looked for together, so none of them is divided.
  for (const term of near) if (!term.selector.nothing) yield askOf('near', term, term.selector.requirements);
  const divided = [...near, ...apart, ...likes.flatMap((like) => ('node' in like ? [] : [termOf(like)]))];
  for (const term of divided) {
    for (const { requirements } of partsOf(term.selector)) yield askOf('', term, requirements);
  }
}

const termOf = (like: { readonly near: PodTerm } | { readonly apart: PodTerm }): PodTerm =>
  'near' in like ? like.near : like.apart;

function askOf(kind: string, term: PodTerm, requirements: readonly Requirement[]): Ask {
  const { namespaces, namespaceSelector, topologyKey } = term;
  const text = JSON.stringify([kind, topologyKey, namespaces, namespaceSelector, requirements]);
  return { text, requirements, ...(!namespaceSelector && { namespaces }) };
}

function spreadAsk(spread: Spread, { namespace, nodeSelector, tolerations }: Pod): Ask {
  const selects = spread.honoursAffinity && nodeSelector !== undefined;
  const text = [textOf(spread), selects && textOf(nodeSelector), spread.honoursTaints && JSON.stringify(tolerations)];
  const dividesNodes = selects || spread.honoursTaints;
  const { requirements } = spread.selector.nothing ? nobody : spread.selector;
  return { text: text.join('\n'), requirements, namespaces: [namespace], ...(dividesNodes && { dividesNodes }) };
}

const nobody: Selector = { requirements: [{ key: '', operator: 'In', values: [] }] };

const texts = new WeakMap<object, string>();

function textOf(value: object): string {
  const text = texts.get(value) ?? JSON.stringify(value);
  texts.set(value, text);
  return text;
}
