// What a structural schema rejects in a value: types, patterns, lengths, choices and required fields. CEL is the API server's alone.
import { joinPath } from '../path.ts';
import { isMap } from '../reader.ts';
import type { Schema } from './schema.ts';

export interface Violation {
  readonly path: string;
  readonly value: unknown;
  /** `must be a text` */
  readonly must: string;
}

/** null counts as absent, and unknown fields are not looked at. */
export function* violationsOf(schema: Schema, value: unknown, path: string): Generator<Violation, void> {
  if (value === undefined || value === null) return;
  const must = mustBe(schema, value);
  if (must !== undefined) {
    yield { path, value, must };
    return;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* inItem(schema.items ?? {}, item, joinPath(path, index));
  } else if (isMap(value)) {
    for (const key of schema.required ?? []) {
      const field = value[key];
      if (field === undefined || field === null)
        yield { path: joinPath(path, key), value: undefined, must: 'must be given' };
    }
    for (const [key, item] of Object.entries(value)) {
      const field = Object.hasOwn(schema.properties ?? {}, key)
        ? schema.properties?.[key]
        : schema.additionalProperties;
      if (field) yield* violationsOf(field, item, joinPath(path, key));
    }
  }
}

/** An item of a list cannot be absent. */
function* inItem(schema: Schema, value: unknown, path: string): Generator<Violation, void> {
  if (value === null) yield { path, value, must: 'must not be empty' };
  else yield* violationsOf(schema, value, path);
}

const types: Readonly<Record<NonNullable<Schema['type']>, readonly [string, (value: unknown) => boolean]>> = {
  object: ['a map of fields', isMap],
  array: ['a list', Array.isArray],
  string: ['a text, in quotes', (value) => typeof value === 'string'],
  integer: ['a whole number', Number.isInteger],
  number: ['a number', (value) => typeof value === 'number'],
  boolean: ['true or false', (value) => typeof value === 'boolean'],
};

function mustBe(schema: Schema, value: unknown): string | undefined {
  const [noun, isSo] = schema.type ? types[schema.type] : ['', () => true];
  if (!isSo(value)) return `must be ${noun}`;
  if (schema.enum && !schema.enum.includes(value)) return `must be one of ${schema.enum.join(', ')}`;
  if (typeof value === 'string') return mustRead(schema, value);
  if (Array.isArray(value)) return mustHold(schema, value);
  if (isMap(value) && Object.keys(value).length > (schema.maxProperties ?? Infinity))
    return `must have at most ${schema.maxProperties} entries`;
  return undefined;
}

function mustRead({ maxLength = Infinity, pattern }: Schema, text: string): string | undefined {
  if ([...text].length > maxLength) return `must have at most ${maxLength} characters`;
  return pattern === undefined || new RegExp(pattern, 'u').test(text) ? undefined : `must match ${pattern}`;
}

function mustHold({ maxItems = Infinity, 'x-kubernetes-list-type': kind }: Schema, list: readonly unknown[]) {
  if (list.length > maxItems) return `must have at most ${maxItems} entries`;
  return kind === 'set' && new Set(list).size < list.length ? 'must name nothing twice' : undefined;
}
