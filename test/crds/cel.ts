// Evaluates CEL rules offline, with values converted by the schema as the API server does.
import { Environment } from '@marcbachmann/cel-js';
import type { Schema, ValidationRule } from '../../src/kinds/schema/schema.ts';

const environment = new Environment({ unlistedVariablesAreDyn: true });
const parsed = new Map<string, ReturnType<Environment['parse']>>();

/** The rule's message about the value; undefined if the rule holds. A rule that fails to run refuses, as in Kubernetes. */
export function broken(
  { rule, message }: ValidationRule,
  schema: Schema,
  value: unknown,
  old: unknown,
): string | undefined {
  // A transition rule is evaluated only if there is an old value.
  if (/\boldSelf\b/.test(rule) && old === undefined) return undefined;
  const run = parsed.get(rule) ?? environment.parse(rule);
  parsed.set(rule, run);
  try {
    const holds: unknown = run({ self: celValue(schema, value), oldSelf: celValue(schema, old) });
    return holds === true ? undefined : message;
  } catch (error) {
    return `${message} (${(error as Error).message.split('\n')[0]})`;
  }
}

/** Whole numbers are 64-bit integers in CEL, and instants are not strings. */
function celValue(schema: Schema, value: unknown): unknown {
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value === 'string' && schema.format === 'date-time') return new Date(value);
  if (Array.isArray(value)) return value.map((item) => celValue(schema.items ?? {}, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      celValue(schema.properties?.[key] ?? schema.additionalProperties ?? {}, item),
    ]),
  );
}
