// Shrinks a failing situation: drops objects, then fields, while it still fails.
import type { Plain } from './plain.ts';

/** Without these fields an object is a different one, or invalid. */
const kept = new Set([
  'kind',
  'apiVersion',
  'metadata',
  'name',
  'spec',
  'status',
  'type',
  'key',
  'operator',
  'version',
]);
/** Between some hundred milliseconds and some seconds: it runs only after a failure. */
const mostTries = 1500;

export function shrink(plain: Plain, isWrong: (smaller: Plain) => boolean): Plain {
  let best = plain;
  let tries = 0;
  // Whole objects first, then their content, level by level.
  for (let depth = 2; removable(best).some((path) => path.length >= depth); depth++) {
    for (const path of removable(best).filter(({ length }) => length === depth)) {
      if (tries++ > mostTries) return best;
      const smaller = without(best, path) as Plain;
      if (smaller !== best && isWrong(smaller)) best = smaller;
    }
  }
  return best;
}

type Path = readonly (string | number)[];

/** Lists from their ends, so that paths stay valid when later entries are removed. */
function removable(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys: (string | number)[] = Array.isArray(value)
    ? value.map((_, index) => index).reverse()
    : Object.keys(value);
  return keys.flatMap((key) => {
    const inside = removable((value as Record<string | number, unknown>)[key], [...path, key]);
    const top = path.length === 0 || kept.has(String(key));
    return top ? inside : [[...path, key], ...inside];
  });
}

/** The same value if there is nothing at that path any more. */
function without(value: unknown, [key, ...rest]: Path): unknown {
  if (typeof value !== 'object' || value === null || key === undefined || !(key in value)) return value;
  const inside = (value as Record<string | number, unknown>)[key];
  if (Array.isArray(value)) {
    return rest.length === 0 ? value.toSpliced(Number(key), 1) : replaced(value, key, without(inside, rest));
  }
  if (rest.length > 0) return replaced(value, key, without(inside, rest));
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

function replaced(value: object, key: string | number, inside: unknown): unknown {
  if ((value as Record<string | number, unknown>)[key] === inside) return value;
  return Array.isArray(value) ? value.with(Number(key), inside) : { ...value, [key]: inside };
}
