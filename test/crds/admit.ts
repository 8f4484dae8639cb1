// Admission by a structural schema as the API server does it: prunes, defaults and validates, CEL rules included. Supports what our schemas use.
import type { Schema } from '../../src/kinds/schema/schema.ts';
import { broken } from './cel.ts';

export type Plain = Readonly<Record<string, unknown>>;

export interface Admission {
  /** As it would be stored. */
  readonly object: Plain;
  /** `path: what is wrong`; none = admitted. */
  readonly errors: readonly string[];
}

export function admit(schema: Schema, object: Plain, old?: Plain): Admission {
  const stored = defaulted(schema, object) as Plain;
  const errors: string[] = [];
  check({ schema, value: stored, old: old && defaulted(schema, old), path: '' }, errors);
  return { object: stored, errors };
}

const isMap = (value: unknown): value is Plain => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Unknown fields and nulls are dropped, defaults are filled in. */
function defaulted(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => defaulted(schema.items ?? {}, item));
  if (!isMap(value) || schema['x-kubernetes-preserve-unknown-fields']) return value;
  const { properties, additionalProperties } = schema;
  // The API server itself knows the fields of objects without a schema of their own, such as metadata.
  if (!properties && !additionalProperties) return value;
  const entries: [string, unknown][] = [];
  for (const [key, field] of Object.entries(properties ?? {})) {
    const given = value[key] ?? (field.nullable && key in value ? null : undefined);
    const filled = given === undefined ? structuredClone(field.default) : given;
    if (filled !== undefined) entries.push([key, defaulted(field, filled)]);
  }
  if (additionalProperties) {
    for (const [key, item] of Object.entries(value)) {
      if (item !== null) entries.push([key, defaulted(additionalProperties, item)]);
    }
  }
  return Object.fromEntries(entries);
}

interface Checked {
  readonly schema: Schema;
  readonly value: unknown;
  readonly old: unknown;
  readonly path: string;
}

function check({ schema, value, old, path }: Checked, errors: string[]): void {
  const say = (wrong: string): void => {
    errors.push(`${path}: ${wrong}`);
  };
  if (value === null && schema.nullable) return;
  if (!isOfType(schema, value)) {
    say(`must be of type ${schema.type}`);
    return;
  }
  if (schema.enum && !schema.enum.includes(value)) say(`must be one of ${schema.enum.join(', ')}`);
  if (typeof value === 'string') checkText(schema, value, say);
  if (typeof value === 'number') checkNumber(schema, value, say);
  if (schema.type === 'array' && Array.isArray(value)) {
    checkList(schema, value, say);
    value.forEach((item, i) => {
      check({ schema: schema.items ?? {}, value: item, old: undefined, path: `${path}[${i}]` }, errors);
    });
  }
  if (isMap(value)) {
    const { properties = {}, additionalProperties, maxProperties = Infinity } = schema;
    for (const key of schema.required ?? []) if (!(key in value)) errors.push(`${path}.${key}: required`);
    if (Object.keys(value).length > maxProperties) say(`must have at most ${maxProperties} entries`);
    for (const [key, item] of Object.entries(value)) {
      const field = properties[key] ?? additionalProperties;
      const before = isMap(old) ? old[key] : undefined;
      if (field) check({ schema: field, value: item, old: before, path: `${path}.${key}` }, errors);
    }
  }
  for (const rule of schema['x-kubernetes-validations'] ?? []) {
    const message = broken(rule, schema, value, old);
    if (message !== undefined) say(message);
  }
}

function isOfType({ type, format, 'x-kubernetes-int-or-string': either }: Schema, value: unknown): boolean {
  // Like Kubernetes: a list is accepted as a string that has a format.
  if (type === 'string' && format && Array.isArray(value)) return true;
  if (either) return typeof value === 'string' || Number.isInteger(value);
  switch (type) {
    case 'object':
      return isMap(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

type Say = (wrong: string) => void;

function checkText({ pattern, format, minLength = 0, maxLength = Infinity }: Schema, text: string, say: Say): void {
  const { length } = [...text];
  if (length < minLength) say(`must have at least ${minLength} characters`);
  if (length > maxLength) say(`must have at most ${maxLength} characters`);
  if (pattern !== undefined && !new RegExp(pattern).test(text)) say(`must match ${pattern}`);
  if (format === 'date-time' && !isDateTime(text)) say('must be a date-time');
}

/** By JavaScript's calendar, not by Lull's. */
function isDateTime(text: string): boolean {
  const [, date = '', hours, minutes, seconds] =
    /^(\d{4}-\d\d-\d\d)t(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|[+-]\d\d:\d\d)$/i.exec(text) ?? [];
  const midnight = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return false;
  return Number(hours) <= 23 && Number(minutes) <= 59 && Number(seconds) <= 59;
}

function checkNumber({ minimum = -Infinity, maximum = Infinity }: Schema, value: number, say: Say): void {
  if (value < minimum) say(`must be at least ${minimum}`);
  if (value > maximum) say(`must be at most ${maximum}`);
}

function checkList(schema: Schema, list: readonly unknown[], say: Say): void {
  const { maxItems = Infinity, 'x-kubernetes-list-type': kind, 'x-kubernetes-list-map-keys': keys = [] } = schema;
  if (list.length > maxItems) say(`must have at most ${maxItems} items`);
  if (kind === 'atomic') return;
  const identities = list.map((item) =>
    JSON.stringify(kind === 'map' ? keys.map((key) => (item as Plain)[key]) : item),
  );
  if (new Set(identities).size < identities.length) say('must not contain duplicates');
}
