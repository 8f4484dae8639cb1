// Which objects does a label selector mean? Read raw, as Kubernetes reads it, and not with Lull's own reader.
import type { Json, Texts } from './kubeObject.ts';

interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

const none: Texts = {};

/** An absent selector means nothing, an empty one everything. One that cannot be understood means nothing. */
export function selects(selector: unknown, labels: Texts = none): boolean {
  if (typeof selector !== 'object' || selector === null) return false;
  const { matchLabels, matchExpressions } = selector as {
    matchLabels?: Json;
    matchExpressions?: readonly Expression[];
  };
  for (const key in matchLabels) if (labelOf(labels, key) !== matchLabels[key]) return false;
  return (matchExpressions ?? []).every((expression) => holds(expression, labelOf(labels, expression.key)));
}

const labelOf = (labels: Texts, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined;

function holds({ operator, values = [] }: Expression, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}
