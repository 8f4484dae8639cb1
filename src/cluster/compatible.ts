// Does a claim still satisfy its pool's requirements (I2)? Requirements on one key are intersected first, as Karpenter does.
import { labelOf, type Requirement, type TextMap, wholeNumber } from './selector.ts';

/** The values a key may have: those listed, or (complement) all but those listed; within bounds. */
interface Range {
  readonly complement: boolean;
  readonly values: ReadonlySet<string>;
  readonly least?: bigint;
  readonly most?: bigint;
}

const nothing: Range = { complement: false, values: new Set() };

/** Labels that Karpenter takes for one another. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
]);

/** Today's name of a label. */
export const currentName = (key: string): string => aliases.get(key) ?? key;

/** The keys whose requirement these labels break. A key that is only excluded (NotIn, DoesNotExist) may be missing. */
export function incompatibleKeys(requirements: readonly Requirement[], labels: TextMap): string[] {
  const ranges = new Map<string, Range>();
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

function rangeOf({ operator, values }: Requirement): Range {
  // A bound that is no number counts as 0, as Karpenter reads it.
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

function intersect(a: Range, b: Range): Range {
  const least = [a.least, b.least].filter((x) => x !== undefined).sort((x, y) => (x > y ? -1 : 1))[0];
  const most = [a.most, b.most].filter((x) => x !== undefined).sort((x, y) => (x < y ? -1 : 1))[0];
  if (least !== undefined && most !== undefined && least > most) return nothing;
  const bounds = { ...(least !== undefined && { least }), ...(most !== undefined && { most }) };
  if (a.complement && b.complement) return { complement: true, values: a.values.union(b.values), ...bounds };
  const [listed, other] = a.complement ? [b, a] : [a, b];
  const values = [...listed.values].filter((value) => contains({ ...other, ...bounds }, value));
  return { complement: false, values: new Set(values) };
}

function contains(range: Range, value: string): boolean {
  if (range.values.has(value) === range.complement) return false;
  if (range.least === undefined && range.most === undefined) return true;
  const number = wholeNumber(value);
  if (number === undefined) return false;
  return (range.least === undefined || number >= range.least) && (range.most === undefined || number <= range.most);
}

/** NotIn some values, or DoesNotExist. Exists and bounds need a value; so does a list. */
function mayBeMissing(range: Range): boolean {
  if (range.least !== undefined || range.most !== undefined) return false;
  return range.complement === range.values.size > 0;
}
