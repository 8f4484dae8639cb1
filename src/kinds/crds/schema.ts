// What form may a field have? The part of OpenAPI that a structural schema of Kubernetes knows, and a builder for each form.
// Fields are described here once: the CRDs are made from it, and so can be whatever explains the fields to people.

/** A check in CEL, run by the API server. `self` is the value it stands on. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
}

export interface Schema {
  readonly description?: string;
  /** Absent only where a number or a text may stand. */
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly default?: unknown;
  readonly nullable?: true;
  readonly enum?: readonly unknown[];
  readonly format?: 'date-time' | 'int32' | 'int64';
  /** As both Go and JavaScript read it. */
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly properties?: Fields;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  readonly maxProperties?: number;
  readonly anyOf?: readonly Schema[];
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly Rule[];
}

export type Fields = Readonly<Record<string, Schema>>;

/** What a builder does not say by itself. */
type More = Omit<Schema, 'type' | 'description'>;

export const text = (description: string, more: More = {}): Schema => ({ description, type: 'string', ...more });

export const whole = (description: string, more: More = {}): Schema => ({ description, type: 'integer', ...more });

export const amount = (description: string, more: More = {}): Schema => ({ description, type: 'number', ...more });

export const flag = (description: string): Schema => ({ description, type: 'boolean' });

export const choice = (description: string, words: readonly string[], more: More = {}): Schema => ({
  description,
  type: 'string',
  enum: words,
  ...more,
});

/** Replaced as a whole by whoever applies it, unless it says otherwise. */
export const list = (description: string, items: Schema, more: More = {}): Schema => ({
  description,
  type: 'array',
  items,
  'x-kubernetes-list-type': 'atomic',
  ...more,
});

export const record = (description: string, properties: Fields, more: More = {}): Schema => ({
  description,
  type: 'object',
  properties,
  ...more,
});

/** Values by keys that nobody knows beforehand. */
export const mapOf = (description: string, values: Schema, more: More = {}): Schema => ({
  description,
  type: 'object',
  additionalProperties: values,
  ...more,
});

export const withRules = (schema: Schema, ...rules: readonly Rule[]): Schema => ({
  ...schema,
  'x-kubernetes-validations': [...(schema['x-kubernetes-validations'] ?? []), ...rules],
});

export const withDefault = (schema: Schema, value: unknown): Schema => ({ ...schema, default: value });
