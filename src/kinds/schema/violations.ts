// Validates a value against a structural schema: types, patterns, lengths, enums, required fields. CEL rules only run in the API server.

import { isMap, type Json } from '../read/reader.ts';
import { joinPath } from '../text/path.ts';
import type { Schema } from './schema.ts';

export interface Violation {
  readonly path: string;
  readonly value: unknown;
  /** `must be a string` */
  readonly must: string;
}

/** One key below a parent: the path is joined only for a violation. */
interface PathStep {
  readonly above: PathStep | string;
  readonly key: string | number;
}

const pathOf = (place: PathStep | string): string =>
  typeof place === 'string' ? place : joinPath(pathOf(place.above), place.key);

/** null counts as absent, and unknown fields are ignored. */
export const violationsOf = (schema: Schema, value: unknown, path: string): readonly Violation[] =>
  findViolations(schema, value, path, (field, each) => mustBe(field, each) ?? mustKeep(field, each));

/** Like violationsOf, but checks only types, enums and required fields, not patterns and bounds. */
export const wrongForms = (schema: Schema, value: unknown, path: string): readonly Violation[] =>
  findViolations(schema, value, path, mustBe);

type Check = (schema: Schema, value: unknown) => string | undefined;

function findViolations(schema: Schema, value: unknown, path: string, must: Check): readonly Violation[] {
  const found: Violation[] = [];
  check(schema, value, path, { must, found });
  return found;
}

interface CheckContext {
  readonly must: Check;
  readonly found: Violation[];
}

function check(schema: Schema, value: unknown, place: PathStep | string, work: CheckContext): void {
  if (value === undefined || value === null) return;
  const { found } = work;
  const must = work.must(schema, value);
  if (must !== undefined) {
    found.push({ path: pathOf(place), value, must });
  } else if (Array.isArray(value)) {
    const { items = {} } = schema;
    value.forEach((item: unknown, key) => {
      // A list item cannot be absent.
      if ((item === null || item === undefined) && !items.nullable)
        found.push({ path: pathOf({ above: place, key }), value: item, must: 'must not be empty' });
      else check(items, item, { above: place, key }, work);
    });
  } else if (isMap(value)) checkFields(schema, value, place, work);
}

function checkFields(schema: Schema, value: Json, place: PathStep | string, work: CheckContext): void {
  const { required = [], properties = {}, additionalProperties } = schema;
  for (const key of required) {
    if ((value[key] ?? undefined) === undefined)
      work.found.push({ path: pathOf({ above: place, key }), value: undefined, must: 'is required' });
  }
  for (const key of Object.keys(value)) {
    const field = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    if (field) check(field, value[key], { above: place, key }, work);
  }
}

const quotedString = 'a string, in quotes';

/** The violation of a value that needs quotes, such as a number. */
export const mustBeString = `must be ${quotedString}`;

const types: Readonly<Record<NonNullable<Schema['type']>, readonly [string, (value: unknown) => boolean]>> = {
  object: ['a map of fields', isMap],
  array: ['a list', Array.isArray],
  string: [quotedString, (value) => typeof value === 'string'],
  integer: ['a whole number', Number.isInteger],
  number: ['a number', (value) => typeof value === 'number'],
  boolean: ['true or false', (value) => typeof value === 'boolean'],
};

function mustBe(schema: Schema, value: unknown): string | undefined {
  const [noun, isSo] = schema.type ? types[schema.type] : ['', () => true];
  if (!isSo(value)) return `must be ${noun}`;
  return schema.enum && !schema.enum.includes(value) ? `must be one of ${schema.enum.join(', ')}` : undefined;
}

function mustKeep(schema: Schema, value: unknown): string | undefined {
  if (typeof value === 'string') return mustRead(schema, value);
  if (Array.isArray(value)) return mustHold(schema, value);
  if (schema.maxProperties !== undefined && isMap(value) && Object.keys(value).length > schema.maxProperties)
    return `must have at most ${schema.maxProperties} entries`;
  return undefined;
}

function mustRead({ maxLength = Infinity, pattern }: Schema, text: string): string | undefined {
  if (text.length > maxLength && [...text].length > maxLength) return `must have at most ${maxLength} characters`;
  return pattern === undefined || patternOf(pattern).test(text) ? undefined : `must match ${pattern}`;
}

/** A dozen patterns, used for each of up to a thousand commands. */
const patterns = new Map<string, RegExp>();

function patternOf(source: string): RegExp {
  const known = patterns.get(source) ?? new RegExp(source, 'u');
  patterns.set(source, known);
  return known;
}

function mustHold({ maxItems = Infinity, 'x-kubernetes-list-type': kind }: Schema, list: readonly unknown[]) {
  if (list.length > maxItems) return `must have at most ${maxItems} entries`;
  return kind === 'set' && new Set(list).size < list.length ? 'must not contain duplicates' : undefined;
}
