// The fields of a schema in reading order.
import type { Schema } from '../../src/kinds/schema/schema.ts';

export interface Field {
  /** Dotted path; `[]` is each item of a list, `.*` each value of a map. Empty for the root. */
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** The schema itself first, then what is inside it. */
export function fieldsOf(schema: Schema, path = '', required = false): Field[] {
  const { properties = {}, items, additionalProperties } = schema;
  const inside = Object.entries(properties).flatMap(([name, field]) =>
    fieldsOf(field, path === '' ? name : `${path}.${name}`, schema.required?.includes(name) ?? false),
  );
  return [
    { path, schema, required },
    ...inside,
    ...(items ? fieldsOf(items, `${path}[]`, true) : []),
    ...(additionalProperties ? fieldsOf(additionalProperties, `${path}.*`, true) : []),
  ];
}
