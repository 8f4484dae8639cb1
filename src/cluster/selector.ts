// Label selectors and requirements: matching, splitting into parts, and whether a claim still satisfies its pool (I2).

/** Labels or annotations. */
export type TextMap = Readonly<Record<string, string>>;

/** A label's value. Keys such as `constructor` must not find inherited properties. */
export function labelOf(labels: TextMap, key: string): string | undefined {
  const value: unknown = labels[key];
  return typeof value === 'string' ? value : undefined;
}

export type Operator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt' | 'Gte' | 'Lte';

export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
  /** In a pool: how many different values must remain to choose from. */
  readonly minValues?: number;
}

/** A label selector: all requirements must hold. No requirements = everything. */
export interface Selector {
  readonly requirements: readonly Requirement[];
  /** A null selector selects nothing (policy/v1). */
  readonly nothing?: boolean;
}

/** A pod's requirements on its node: nodeSelector and one of the terms of its required node affinity. */
export interface NodeSelector {
  readonly labels: TextMap;
  /** Absent = no affinity. Empty = matches no node. */
  readonly terms?: readonly NodeTerm[];
}

export interface NodeTerm {
  readonly labels: readonly Requirement[];
  /** matchFields, which supports only metadata.name. */
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
  // An empty term selects no node, as in Kubernetes.
  return selector.terms.some(
    (term) =>
      term.labels.length + term.names.length > 0 &&
      matchesAll(term.labels, labels) &&
      term.names.every((requirement) => matchesRequirement(requirement, name)),
  );
}

/** As Kubernetes matches: a missing label satisfies NotIn and DoesNotExist; Gt and Lt compare 64-bit integers. */
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
      const right = values.length === 1 ? wholeNumber(values[0] ?? '') : undefined;
      if (left === undefined || right === undefined) return false;
      if (operator === 'Gt') return left > right;
      if (operator === 'Lt') return left < right;
      return operator === 'Gte' ? left >= right : left <= right;
    }
  }
}

/** A 64-bit integer; undefined for any other text. */
export function wholeNumber(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,40}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

// Splitting of selectors into signed parts, so that terms that differ in one value share the rest.

export interface SelectorPart {
  /** `In` with one value, or `Exists`, sorted by key; other operators only if the selector could not be split. */
  readonly requirements: readonly Requirement[];
  /** 1 = pods of this part are added, -1 = subtracted. */
  readonly sign: 1 | -1;
}

/** A selector that would have more parts stays whole. */
export const mostParts = 32;

export function partsOf({ requirements, nothing }: Selector): readonly SelectorPart[] {
  if (nothing) return [];
  let parts: readonly SelectorPart[] = [{ requirements: [], sign: 1 }];
  for (const requirement of requirements) {
    const ways = waysOf(requirement);
    if (!ways || parts.length * ways.length > mostParts) return [{ requirements, sign: 1 }];
    parts = parts.flatMap((part) => ways.map((way) => join(part, way)));
  }
  return parts.map(({ requirements: own, sign }) => ({ requirements: inOrder(own), sign }));
}

/** A label has one value, so the values of one requirement never overlap. Undefined = the operator compares numbers. */
function waysOf({ key, operator, values }: Requirement): readonly SelectorPart[] | undefined {
  const equal = (sign: 1 | -1): SelectorPart[] =>
    [...new Set(values)].map((value) => ({ requirements: [{ key, operator: 'In', values: [value] }], sign }));
  const exists = (sign: 1 | -1): SelectorPart => ({ requirements: [{ key, operator: 'Exists', values: [] }], sign });
  const all: SelectorPart = { requirements: [], sign: 1 };
  if (operator === 'In') return equal(1);
  if (operator === 'NotIn') return [all, ...equal(-1)];
  if (operator === 'Exists') return [exists(1)];
  return operator === 'DoesNotExist' ? [all, exists(-1)] : undefined;
}

const join = (a: SelectorPart, b: SelectorPart): SelectorPart => ({
  requirements: [...a.requirements, ...b.requirements],
  sign: a.sign === b.sign ? 1 : -1,
});

const inOrder = (requirements: readonly Requirement[]): readonly Requirement[] =>
  requirements.length < 2 ? requirements : [...requirements].sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));

const textOf = ({ key, operator, values }: Requirement): string => `${key} ${operator} ${values[0] ?? ''}`;

// Compatibility of labels with a pool's requirements (I2). Requirements on one key are intersected first, as Karpenter does.

/** The allowed values of a key: those listed or, with `complement`, all others; within the bounds. */
interface ValueRange {
  readonly complement: boolean;
  readonly values: ReadonlySet<string>;
  readonly least?: bigint;
  readonly most?: bigint;
}

const nothing: ValueRange = { complement: false, values: new Set() };

/** Deprecated label names that Karpenter treats as the current ones. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
]);

/** The current name of a label. */
export const currentName = (key: string): string => aliases.get(key) ?? key;

/** The keys whose requirements the labels do not satisfy. With only NotIn or DoesNotExist, the label may be missing. */
export function incompatibleKeys(requirements: readonly Requirement[], labels: TextMap): string[] {
  const ranges = new Map<string, ValueRange>();
  for (const requirement of requirements) {
    const key = currentName(requirement.key);
    const range = rangeOf(requirement);
    const known = ranges.get(key);
    ranges.set(key, known ? intersect(known, range) : range);
  }
  const broken: string[] = [];
  for (const [key, range] of ranges) {
    const value = labelOf(labels, key) ?? aliasValue(key, labels);
    if (value === undefined ? !mayBeMissing(range) : !contains(range, value)) broken.push(key);
  }
  return broken.sort();
}

function aliasValue(key: string, labels: TextMap): string | undefined {
  for (const [old, current] of aliases) {
    if (current === key && labels[old] !== undefined) return labels[old];
  }
  return undefined;
}

function rangeOf({ operator, values }: Requirement): ValueRange {
  // Karpenter reads a bound that is not a number as 0.
  const bound = wholeNumber(values[0] ?? '') ?? 0n;
  switch (operator) {
    case 'In':
      return { complement: false, values: new Set(values) };
    case 'NotIn':
      return { complement: true, values: new Set(values) };
    case 'Exists':
      return { complement: true, values: new Set() };
    case 'DoesNotExist':
      return nothing;
    case 'Gt':
      return { complement: true, values: new Set(), least: bound + 1n };
    case 'Gte':
      return { complement: true, values: new Set(), least: bound };
    case 'Lt':
      return { complement: true, values: new Set(), most: bound - 1n };
    case 'Lte':
      return { complement: true, values: new Set(), most: bound };
  }
}

function intersect(a: ValueRange, b: ValueRange): ValueRange {
  const least = [a.least, b.least].filter((x) => x !== undefined).sort((x, y) => (x > y ? -1 : 1))[0];
  const most = [a.most, b.most].filter((x) => x !== undefined).sort((x, y) => (x < y ? -1 : 1))[0];
  if (least !== undefined && most !== undefined && least > most) return nothing;
  const bounds = { ...(least !== undefined && { least }), ...(most !== undefined && { most }) };
  if (a.complement && b.complement) return { complement: true, values: a.values.union(b.values), ...bounds };
  const [listed, other] = a.complement ? [b, a] : [a, b];
  const values = [...listed.values].filter((value) => contains({ ...other, ...bounds }, value));
  return { complement: false, values: new Set(values) };
}

function contains(range: ValueRange, value: string): boolean {
  if (range.values.has(value) === range.complement) return false;
  if (range.least === undefined && range.most === undefined) return true;
  const number = wholeNumber(value);
  if (number === undefined) return false;
  return (range.least === undefined || number >= range.least) && (range.most === undefined || number <= range.most);
}

/** NotIn and DoesNotExist allow a missing label. Exists, bounds and In require a value. */
function mayBeMissing(range: ValueRange): boolean {
  if (range.least !== undefined || range.most !== undefined) return false;
  return range.complement === range.values.size > 0;
}
