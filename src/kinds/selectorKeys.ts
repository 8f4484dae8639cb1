// Whom do matchLabelKeys mean? Those whose labels are as the pod's own; the API server writes it into the selector, and so do we.
import { labelOf, type Requirement, type Selector, type TextMap } from '../cluster/selector.ts';
import type { Reader } from './reader.ts';
import { readLabelSelector } from './requirement.ts';

const nothing: Selector = { requirements: [], nothing: true };

/** An absent selector means nobody, an empty one everybody. */
export const readSelectorOrNothing = (holder: Reader, key: string): Selector =>
  holder.has(key) ? readLabelSelector(holder, key) : nothing;

/** A label that the pod does not have asks nothing. */
export function withLabelKeys(
  selector: Selector,
  labels: TextMap,
  keys: readonly string[],
  operator: 'In' | 'NotIn',
): Selector {
  if (selector.nothing || keys.length === 0) return selector;
  const added: Requirement[] = [];
  for (const key of keys) {
    const value = labelOf(labels, key);
    if (value === undefined || selector.requirements.some((it) => saysSo(it, key, operator, value))) continue;
    added.push({ key, operator, values: [value] });
  }
  return added.length === 0 ? selector : { requirements: [...selector.requirements, ...added] };
}

const saysSo = (requirement: Requirement, key: string, operator: string, value: string): boolean =>
  requirement.key === key &&
  requirement.operator === operator &&
  requirement.values.length === 1 &&
  requirement.values[0] === value;
