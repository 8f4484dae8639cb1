// May a pod go to a node, room aside? Its selector and required affinity, and the taints it must tolerate.
import { matchesAll, type Requirement } from '../../../cluster/selector.ts';
import type { Texts } from '../../kubeObject.ts';
import type { NodeTerm, RawRequirement, Taint } from '../manifest.ts';
import { isTolerated, keepsOff } from '../taints.ts';
import type { Rules } from './needs.ts';

/** What of a node its pods may ask about. */
export interface Place {
  readonly name: string;
  readonly labels: Texts;
  readonly taints: readonly Taint[];
}

/** A cordon is a taint too, which a pod may tolerate. */
export const cordon: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

export const admits = (place: Place, rules: Rules): boolean =>
  place.taints.every((taint) => !keepsOff(taint) || isTolerated(taint, rules.tolerations)) && selects(rules, place);

export function selects(
  { selector, terms }: Pick<Rules, 'selector' | 'terms'>,
  { name, labels }: Omit<Place, 'taints'>,
): boolean {
  for (const key in selector) if (labels[key] !== selector[key]) return false;
  return terms === undefined || terms.some((term) => holds(term, name, labels));
}

/** A term that says nothing selects nothing. */
function holds({ matchExpressions = [], matchFields = [] }: NodeTerm, name: string, labels: Texts): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return matchesAll(given(matchExpressions), labels) && matchesAll(given(matchFields), { 'metadata.name': name });
}

const given = (expressions: readonly RawRequirement[]): Requirement[] =>
  expressions.map(({ key, operator, values = [] }) => ({ key, operator, values }));
