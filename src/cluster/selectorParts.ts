// A selector as a sum of simple parts, so that terms which differ in one value share all their other parts (F6).
// Whatever the labels: the selector matches (1) or not (0) = the parts added that match, less the parts taken away that match.
import type { Requirement, Selector } from './selector.ts';

export interface Part {
  /** `In` with one value, and `Exists`, by key; others only where the selector could not be divided. */
  readonly requirements: readonly Requirement[];
  /** 1 = added, -1 = taken away. */
  readonly sign: 1 | -1;
}

/** A selector that would have more parts than these stays whole. */
export const mostParts = 32;

export function partsOf({ requirements, nothing }: Selector): readonly Part[] {
  if (nothing) return [];
  let parts: readonly Part[] = [{ requirements: [], sign: 1 }];
  for (const requirement of requirements) {
    const ways = waysOf(requirement);
    if (!ways || parts.length * ways.length > mostParts) return [{ requirements, sign: 1 }];
    parts = parts.flatMap((part) => ways.map((way) => join(part, way)));
  }
  return parts.map(({ requirements: own, sign }) => ({ requirements: inOrder(own), sign }));
}

/** A label has one value, so that the values of a requirement never match together. Undefined = it compares numbers. */
function waysOf({ key, operator, values }: Requirement): readonly Part[] | undefined {
  const equal = (sign: 1 | -1): Part[] =>
    [...new Set(values)].map((value) => ({ requirements: [{ key, operator: 'In', values: [value] }], sign }));
  const exists = (sign: 1 | -1): Part => ({ requirements: [{ key, operator: 'Exists', values: [] }], sign });
  const all: Part = { requirements: [], sign: 1 };
  if (operator === 'In') return equal(1);
  if (operator === 'NotIn') return [all, ...equal(-1)];
  if (operator === 'Exists') return [exists(1)];
  return operator === 'DoesNotExist' ? [all, exists(-1)] : undefined;
}

const join = (a: Part, b: Part): Part => ({
  requirements: [...a.requirements, ...b.requirements],
  sign: a.sign === b.sign ? 1 : -1,
});

const inOrder = (requirements: readonly Requirement[]): readonly Requirement[] =>
  requirements.length < 2 ? requirements : [...requirements].sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));

const textOf = ({ key, operator, values }: Requirement): string => `${key} ${operator} ${values[0] ?? ''}`;
