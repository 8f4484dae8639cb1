// Paths into a plain value, and copies with one part replaced.

export type Json = Readonly<Record<string, unknown>>;
export type Path = readonly (string | number)[];

/** Every path in a value except the root, outer ones first. */
export function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const keys: readonly (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => [[...path, key], ...pathsIn((value as Json)[key], [...path, key])]);
}

export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inside, key) => (inside as Json | undefined)?.[key], value);

/** The same value with another one at a path. */
export function withAt(value: unknown, [key, ...rest]: Path, instead: unknown): unknown {
  if (key === undefined) return instead;
  const inside = withAt((value as Json | undefined)?.[key], rest, instead);
  if (Array.isArray(value)) return value.with(Number(key), inside);
  // Built from all entries, so that a field named __proto__ is a field like any other.
  return Object.fromEntries([...Object.entries(value as Json).filter(([name]) => name !== key), [String(key), inside]]);
}
