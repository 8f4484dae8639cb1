// Which pods does a rule of a pod mean? Its label selector, and those labels that must be, or must not be, as the pod's own.
import type { Json, Texts } from '../../kubeObject.ts';
import { selects } from '../../labelSelector.ts';

export interface PodSelector {
  matches(labels: Texts | undefined): boolean;
  /** It says nothing at all, and so means every pod. */
  readonly isEmpty: boolean;
}

interface Written {
  readonly labelSelector?: Json;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

/** An absent selector means no pod, whatever the keys say. Keys that the pod does not have count for nothing. */
export function podSelector(written: Written, own: Texts = {}): PodSelector {
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
