// Makes a valid object invalid: replaces one to four of its fields.
import fc from 'fast-check';
import { hostileTexts } from './hostileTexts.ts';
import { hostileValues } from './hostileValues.ts';
import { type Json, type Path, pathsIn, withAt } from './json.ts';

/** Small, since there are many of them: large ones have their own tests. */
const values: readonly unknown[] = [
  ...hostileValues.filter(({ name }) => !name.startsWith('a long')).map(({ value }) => value),
  ...hostileTexts,
];

const anything = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...values) },
  { weight: 1, arbitrary: fc.anything({ maxDepth: 2, maxKeys: 3 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
);

const changes = fc.array(fc.tuple(fc.nat({ max: 9999 }), anything, fc.constantFrom('replace', 'rename', 'remove')), {
  minLength: 1,
  maxLength: 4,
});

const pathsOf = new Map<Json, readonly Path[]>();

function paths(object: Json): readonly Path[] {
  // The kind must stay, or the object is ignored.
  const known = pathsOf.get(object) ?? pathsIn(object).filter(([key]) => key !== 'kind' && key !== 'apiVersion');
  pathsOf.set(object, known);
  return known;
}

function change(object: Json, [place, value, how]: readonly [number, unknown, string], among: readonly Path[]): Json {
  const path = among[place % among.length] ?? [];
  if (how === 'replace') return withAt(object, path, value) as Json;
  if (how === 'remove') return withAt(object, path, undefined) as Json;
  const key = typeof value === 'string' ? value : '__proto__';
  return withAt(object, [...path.slice(0, -1), key], value) as Json;
}

/** One of these objects, mangled, with its index among them. */
export const mangledOf = (objects: readonly Json[]): fc.Arbitrary<{ index: number; object: Json }> =>
  fc.tuple(fc.nat({ max: objects.length - 1 }), changes).map(([index, list]) => {
    const sound = objects[index] as Json;
    return { index, object: list.reduce((object, each) => safely(object, each, paths(sound)), sound) };
  });

/** A place that an earlier change removed stays removed. */
function safely(object: Json, each: readonly [number, unknown, string], among: readonly Path[]): Json {
  try {
    return change(object, each, among);
  } catch {
    return object;
  }
}
