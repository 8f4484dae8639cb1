// Which objects does a selector mean? Label selectors of PDBs and schedules, node selectors of windows and pods.

/** Labels or annotations. */
export type TextMap = Readonly<Record<string, string>>;

/** A label's value. A key such as `constructor` must not find what every object inherits. */
export function labelOf(labels: TextMap, key: string): string | undefined {
  const value: unknown = labels[key];
  return typeof value === 'string' ? value : undefined;
}

export type Operator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt' | 'Gte' | 'Lte';

export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
  /** Of a pool: so many different values must remain to choose from. */
  readonly minValues?: number;
}

/** A label selector: all of its requirements hold. No requirement = everything. */
export interface Selector {
  readonly requirements: readonly Requirement[];
  /** A null selector means nothing (policy/v1). */
  readonly nothing?: boolean;
}

/** What a pod asks of its node: its nodeSelector, and one of the terms of its required affinity. */
export interface NodeSelector {
  readonly labels: TextMap;
  /** Absent = no affinity. Empty = no node at all. */
  readonly terms?: readonly NodeTerm[];
}

export interface NodeTerm {
  readonly labels: readonly Requirement[];
  /** matchFields, which knows metadata.name alone. */
  readonly names: readonly Requirement[];
}

export function matches(selector: Selector, labels: TextMap): boolean {
  return !selector.nothing && matchesAll(selector.requirements, labels);
}

export function matchesAll(requirements: readonly Requirement[], labels: TextMap): boolean {
  for (const requirement of requirements) {
    if (!matchesRequirement(requirement, labelOf(labels, requirement.key))) return false;
  }
  return true;
}

export function matchesNode(selector: NodeSelector, name: string, labels: TextMap): boolean {
  for (const key in selector.labels) {
    if (labels[key] !== selector.labels[key]) return false;
  }
  if (selector.terms === undefined) return true;
  // A term with nothing in it selects no node, as in Kubernetes.
  return selector.terms.some(
    (term) =>
      term.labels.length + term.names.length > 0 &&
      matchesAll(term.labels, labels) &&
      term.names.every((requirement) => matchesRequirement(requirement, name)),
  );
}

/** Kubernetes' own reading: a missing label satisfies NotIn and DoesNotExist; Gt and Lt compare whole 64-bit numbers. */
function matchesRequirement({ operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default: {
      const left = value === undefined ? undefined : wholeNumber(value);
      const right = values.length === 1 ? wholeNumber(values[0] as string) : undefined;
      if (left === undefined || right === undefined) return false;
      if (operator === 'Gt') return left > right;
      if (operator === 'Lt') return left < right;
      return operator === 'Gte' ? left >= right : left <= right;
    }
  }
}

/** A whole number that fits 64 bits; undefined if the text is anything else. */
export function wholeNumber(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,40}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
