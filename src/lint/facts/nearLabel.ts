// Why does a selector mean nothing? Perhaps a key or a value is spelled otherwise on the objects that are there.

import { compareText } from '../../cluster/nodeView.ts';
import type { Requirement, TextMap } from '../../cluster/selector.ts';
import { nearest } from '../../kinds/nearMiss.ts';

/** `Did you mean the label karpenter.sh/nodepool?`; undefined where nothing is close. */
export function nearLabel(requirements: readonly Requirement[], labels: readonly TextMap[]): string | undefined {
  for (const requirement of requirements) {
    const hint = nearKey(requirement.key, labels) ?? nearValue(requirement, labels);
    if (hint !== undefined) return hint;
  }
  return undefined;
}

export function nearKey(key: string, labels: readonly TextMap[]): string | undefined {
  if (labels.some((each) => each[key] !== undefined)) return undefined;
  const meant = nearest(key, distinct(labels.flatMap((each) => Object.keys(each))));
  return meant === undefined ? undefined : `Did you mean the label ${meant}?`;
}

function nearValue({ key, operator, values }: Requirement, labels: readonly TextMap[]): string | undefined {
  const seen = distinct(labels.flatMap((each) => each[key] ?? []));
  if (operator !== 'In' || values.some((value) => seen.includes(value))) return undefined;
  // In case alone: eu-central-1a and eu-central-1b are close, and yet not the same.
  const meant = seen.find((value) => values.some((wanted) => wanted.toLowerCase() === value.toLowerCase()));
  return meant === undefined ? undefined : `Did you mean the value ${meant} of ${key}?`;
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)].sort(compareText);
