// Kubernetes' rules for structural schemas, each as a check of one field.

import type { Schema, ValidationRule } from '../../src/kinds/schema/schema.ts';
import { admit } from './admit.ts';
import { type Field, fieldsOf } from './fieldsOf.ts';

const known = new Set([
  'description',
  'type',
  'default',
  'nullable',
  'enum',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'items',
  'maxItems',
  'properties',
  'required',
  'additionalProperties',
  'maxProperties',
  'anyOf',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-validations',
]);

type Law = (field: Field, root: Schema) => boolean;

const isEither = (schema: Schema): boolean => schema['x-kubernetes-int-or-string'] === true;
const rulesOf = (schema: Schema): readonly ValidationRule[] => schema['x-kubernetes-validations'] ?? [];

export const laws: Readonly<Record<string, Law>> = {
  'only keywords of structural schemas': ({ schema }) => Object.keys(schema).every((key) => known.has(key)),

  'a type at every level': ({ schema }) => (schema.type === undefined) === isEither(schema),

  'a choice of types only for a number or text': ({ schema: { anyOf, ...schema } }) =>
    isEither(schema) ? JSON.stringify(anyOf) === '[{"type":"integer"},{"type":"string"}]' : anyOf === undefined,

  'fields, or further fields, or unknown ones, in every object and nowhere else': ({ path, schema }) => {
    const ways = [schema.properties, schema.additionalProperties, schema['x-kubernetes-preserve-unknown-fields']];
    const given = ways.filter((way) => way !== undefined).length;
    return given === (schema.type === 'object' && path !== 'metadata' ? 1 : 0);
  },

  'items in every list and nowhere else': ({ schema }) => (schema.type === 'array') === (schema.items !== undefined),

  'lists with a merge type that suits their items': ({ schema: { type, items, ...schema } }) => {
    const kind = schema['x-kubernetes-list-type'];
    const keys = schema['x-kubernetes-list-map-keys'] ?? [];
    if (type !== 'array') return kind === undefined;
    if (kind === 'set') return items?.type !== 'object' && items?.type !== 'array';
    if (kind === 'map') return keys.length > 0 && keys.every((key) => items?.required?.includes(key));
    return kind === 'atomic';
  },

  'required fields that exist': ({ schema: { required = [], properties = {} } }) =>
    required.every((key) => properties[key] !== undefined),

  'metadata as Kubernetes knows it': ({ path, schema }) =>
    path !== 'metadata' || JSON.stringify(schema) === '{"type":"object"}',

  'defaults that it admits itself, unchanged': ({ schema }) => {
    if (schema.default === undefined) return true;
    const { object, errors } = admit({ type: 'object', properties: { it: schema } }, {});
    return errors.length === 0 && holdsAll(object.it, schema.default);
  },

  'patterns that Go and JavaScript interpret alike': ({ schema }) =>
    [schema.pattern ?? '', ...rulesOf(schema).flatMap(patternsIn)].every(isPlainPattern),

  'a bound on everything that a rule walks through': (field, root) =>
    rulesOf(field.schema).every((rule) => walkedBy(rule, field).every((path) => isBound(schemaAt(root, path)))),
};

/** The paths of the fields that violate a law. */
export const breaking = (root: Schema, law: Law): string[] =>
  fieldsOf(root)
    .filter((field) => !law(field, root))
    .map(({ path }) => path);

/** Defaults inside it may have been filled in; nothing of it may be missing. */
function holdsAll(stored: unknown, given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return stored === given;
  return Object.entries(given).every(([key, value]) => holdsAll((stored as Record<string, unknown>)[key], value));
}

const patternsIn = ({ rule }: ValidationRule): string[] =>
  [...rule.matchAll(/matches\('([^']*)'\)/g)].map(([, it = '']) => it);

/** Without lookaround or named groups, and without escapes that the two engines interpret differently. */
function isPlainPattern(pattern: string): boolean {
  try {
    new RegExp(pattern);
  } catch {
    return false;
  }
  return !/\(\?|\\[^ts.]|\[\^?\]|\[\[:/.test(pattern);
}

/** The lists and maps around the rule, the value it applies to, and the fields of that value that it reads. */
function walkedBy({ rule }: ValidationRule, { path }: Field): string[] {
  const around = [...path.matchAll(/\[\]|\.\*/g)].map(({ index }) => path.slice(0, index));
  // Whether a field exists, or how large it is, costs the same whatever its content.
  const looked = [...rule.matchAll(/(?<!has\(|size\(|in )\bself\.(\w+)(?!\()/g)];
  return [path, ...around, ...looked.map(([, name = '']) => (path === '' ? name : `${path}.${name}`))];
}

const schemaAt = (root: Schema, path: string): Schema | undefined =>
  fieldsOf(root).find((field) => field.path === path)?.schema;

function isBound(schema: Schema | undefined): boolean {
  if (schema?.type === 'array') return schema.maxItems !== undefined;
  if (schema?.type === 'string') return schema.maxLength !== undefined || schema.enum !== undefined;
  return schema?.additionalProperties === undefined || schema.maxProperties !== undefined;
}
