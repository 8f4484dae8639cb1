// Schema builders for the fields of Lull's kinds. Readers, CRDs, lint and the reference use the same declarations.
// A pattern serves editors; the CEL rule next to it checks the same and more, with a readable message.
// Past 300 lines: one builder for each type of field, from strings to schedules and selectors.
import type { Operator } from '../../cluster/selector.ts';

/** A CEL rule that the API server evaluates. `self` is the value the rule is attached to. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
}

export interface Schema {
  readonly description?: string;
  /** Absent only for int-or-string fields. */
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly default?: unknown;
  readonly nullable?: true;
  readonly enum?: readonly unknown[];
  readonly format?: 'date-time' | 'int32' | 'int64';
  /** A pattern with the same meaning in Go and JavaScript. */
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
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

export type Fields = Readonly<Record<string, Schema>>;

/** What callers may add to a builder's schema. */
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

/** Atomic unless `more` sets another list type: server-side apply replaces the list as a whole. */
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

/** A map with arbitrary keys. */
export const mapOf = (description: string, values: Schema, more: More = {}): Schema => ({
  description,
  type: 'object',
  additionalProperties: values,
  ...more,
});

export const withRules = (schema: Schema, ...rules: readonly ValidationRule[]): Schema => ({
  ...schema,
  'x-kubernetes-validations': [...(schema['x-kubernetes-validations'] ?? []), ...rules],
});

export const withDefault = (schema: Schema, value: unknown): Schema => ({ ...schema, default: value });

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** 1 = only with `-o wide`. */
  readonly priority?: 1;
}

export interface Definition {
  readonly kind: string;
  readonly plural: string;
  readonly group: string;
  readonly version: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly description: string;
  readonly columns: readonly Column[];
  readonly spec: Schema;
  readonly status?: Schema;
  /** Rules on the whole object, which can use its name. */
  readonly rules?: readonly ValidationRule[];
}

export const column = (name: string, type: Column['type'], jsonPath: string, description: string): Column => ({
  name,
  type,
  jsonPath,
  description,
});

/** Shown only with `-o wide`. */
export const wide = (shown: Column): Column => ({ ...shown, priority: 1 });

export const age = column('Age', 'date', '.metadata.creationTimestamp', 'Time since creation.');
export const readyPath = '.status.conditions[?(@.type=="Ready")].status';

const gap = '[ \t]+';
const anyCase = (name: string): string => [...name].map((letter) => `[${letter}${letter.toUpperCase()}]`).join('');
const oneOf = (names: readonly string[]): string => names.map(anyCase).join('|');

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const weekday = `(0*[0-7]|${oneOf(weekdays)})`;

/** The allowed values of minute, hour, day of month, month and day of week, and those that are counted within the month (R1). */
const values: readonly (readonly [value: string, monthly?: string])[] = [
  ['0*[0-5]?[0-9]'],
  ['0*(1?[0-9]|2[0-3])'],
  ['0*([1-9]|[12][0-9]|3[01])', '[lL]'],
  [`(0*([1-9]|1[0-2])|${oneOf(months)})`],
  [weekday, `${weekday}(#[1-5]|[lL])`],
];

function field([value, monthly]: readonly [value: string, monthly?: string]): string {
  const plain = `([*?]|${value}(-${value})?)(/0*[1-9][0-9]*)?`;
  const item = monthly === undefined ? plain : `(${plain}|${monthly})`;
  return `${item}(,${item})*`;
}

const shorthand = '@(yearly|annually|monthly|weekly|daily|midnight|hourly)';
const zonePrefix = `((CRON_)?TZ=[A-Za-z][A-Za-z0-9_+/-]*${gap})?`;

/** Without a backslash, so that it can be used in a CEL string. */
export const cronPattern = `^[ \t]*${zonePrefix}(${shorthand}|${values.map(field).join(gap)})[ \t]*$`;

/** Maximum lengths keep the estimated cost of the CEL rules within the API server's limit. */
const maxCron = 256;
const maxZone = 64;
const maxDuration = 64;
const maxInstant = 64;
/** CEL's int() accepts up to 18 digits. */
const maxNodeCount = 18;
/** As in Kubernetes: a prefix of up to 253 characters, a slash, a name of up to 63. */
const maxLabelName = 317;
const maxLabelValue = 63;
const maxLabels = 100;

const subdomain = '[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const name = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const labelNamePattern = `^(${subdomain}/)?${name}$`;
const prefixPattern = '^([^/]{1,253}/)?[^/]+$';
const nodeCountPattern = '^((100|[0-9]{1,2})%|[0-9]+)$';

/** None of the patterns contains a quote or a backslash, which would have to be escaped in a CEL string. */
const matches = (value: string, pattern: string): string => `${value}.matches('${pattern.replaceAll('\t', '\\t')}')`;

export const cron = (description: string): Schema =>
  withRules(text(description, { maxLength: maxCron }), {
    rule: matches('self', cronPattern),
    message:
      'must have five fields: minute 0-59, hour 0-23, day of month 1-31 or L, month 1-12 or jan-dec, day of week 0-7 or sun-sat, such as "0 9 * * mon-fri" or "0 9 * * sat#1"; or be a shorthand such as @daily',
  });

export const timeZone: Schema = text('The IANA time zone of the schedule, such as Europe/Berlin. Defaults to UTC.', {
  pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
  maxLength: maxZone,
});

const plainDate =
  '[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))';
const maxDate = 10;

export const patterned = (description: string, pattern: string, more: { maxLength: number; message: string }): Schema =>
  withRules(text(description, { pattern, maxLength: more.maxLength }), {
    rule: matches('self', pattern),
    message: more.message,
  });

export const date = (description: string): Schema =>
  patterned(description, `^${plainDate}$`, { maxLength: maxDate, message: 'must be a date such as 2026-11-02' });

/** A date, or the first and the last of several. */
export const dates = (description: string): Schema =>
  patterned(description, `^${plainDate}([.][.]${plainDate})?$`, {
    maxLength: 2 * maxDate + 2,
    message: 'must be a date such as 2026-12-24, or two with .. between them, such as 2026-12-25..2026-12-26',
  });

export const weeks = (description: string): Schema =>
  patterned(description, '^([1-9]|[1-4][0-9]|5[0-2])w$', {
    maxLength: 3,
    message: 'must be a number of weeks from 1w to 52w, such as 2w',
  });

/** Go durations, without microseconds and nanoseconds. */
const goDuration = '^([0-9]+([.][0-9]+)?(h|m|s|ms))+$';
export const isElapsed = ({ pattern }: Schema): boolean => pattern === goDuration;
export const isInstant = ({ format, pattern }: Schema): boolean =>
  format === 'date-time' || pattern === instantForm.pattern;

/** The patterns of Karpenter's own CRD. */
export const karpenterDuration = '^([0-9]+(s|m|h))+$';
const karpenterDurationOrNever = '^(([0-9]+(s|m|h))+|Never)$';
const karpenterMinutes = '^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$';

/** 100 years: far below the 292 years at which Go's nanoseconds overflow 64 bits. */
const longest = '876000h';

const duration = (description: string, pattern: string, rule: ValidationRule): Schema =>
  withRules(text(description, { pattern, maxLength: maxDuration }), rule);

export const elapsed = (description: string, pattern = goDuration): Schema =>
  duration(description, pattern, {
    rule: `${matches('self', pattern)} && duration(self) <= duration('${longest}')`,
    message: `must be a duration such as 8h or 1h30m, at most ${longest}`,
  });

export const elapsedOrNever = (description: string): Schema =>
  duration(description, karpenterDurationOrNever, {
    rule: `self == 'Never' || (${matches('self', karpenterDuration)} && duration(self) <= duration('${longest}'))`,
    message: `must be a duration such as 30m or 720h, at most ${longest}, or Never`,
  });

/** How long a window stays open: at least a minute (B5). */
const opening = (description: string, pattern: string): Schema =>
  duration(description, pattern, {
    rule: `${matches('self', pattern)} && duration(self) >= duration('1m') && duration(self) <= duration('${longest}')`,
    message: `must be a duration such as 8h or 1h30m, at least 1m and at most ${longest}`,
  });

/** The period of a rate limit (P1). */
export const ratePeriod = (description: string): Schema =>
  duration(description, goDuration, {
    rule: `${matches('self', goDuration)} && duration(self) >= duration('1m') && duration(self) <= duration('720h')`,
    message: 'must be a duration such as 1h or 24h, at least 1m and at most 720h',
  });

/** The same, or one opening of a maintenance window (P2). */
export const ratePeriodOrOpening = (description: string): Schema => {
  const pattern = `^opening$|${goDuration}`;
  return duration(description, pattern, {
    rule: `self == 'opening' || (${matches('self', goDuration)} && duration(self) >= duration('1m') && duration(self) <= duration('720h'))`,
    message: 'must be opening, or a duration such as 1h or 24h, at least 1m and at most 720h',
  });
};

export const openFor = (description: string): Schema => opening(description, goDuration);
export const karpenterOpenFor = (description: string): Schema => opening(description, karpenterMinutes);

export const nodeCount = (description: string, usual: string): Schema =>
  withRules(text(description, { default: usual, pattern: nodeCountPattern, maxLength: maxNodeCount }), {
    rule: `${matches('self', nodeCountPattern)} && (self.endsWith('%') || int(self) <= 2147483647)`,
    message: 'must be a whole number up to 2147483647, such as "3", or a percentage from "0%" to "100%"',
  });

/** The most waves of a budget. */
export const maxWaves = 10;
/** Without leading zeros, so that a longer text is a larger number. */
const wavePattern = '^((100|[1-9][0-9]?)%|[1-9][0-9]{0,9})$';

/** A list of growing node counts (P3). A number and a percentage cannot be compared before the size of the pool is known. */
export const waveList = (description: string, each: string): Schema =>
  withRules(
    list(
      description,
      withRules(text(each, { pattern: wavePattern, maxLength: maxNodeCount }), {
        rule: `${matches('self', wavePattern)} && (self.endsWith('%') || int(self) <= 2147483647)`,
        message: 'must be a whole number from 1 to 2147483647, such as "1", or a percentage from "1%" to "100%"',
      }),
      { maxItems: maxWaves },
    ),
    { rule: 'size(self) > 0', message: 'must have at least one wave' },
    {
      rule: `[${Array.from({ length: maxWaves - 1 }, (_, index) => index).join(', ')}].all(i, i + 1 >= size(self) || self[i].endsWith('%') != self[i + 1].endsWith('%') || size(self[i]) < size(self[i + 1]) || (size(self[i]) == size(self[i + 1]) && self[i] < self[i + 1]))`,
      message: 'each wave must be larger than the one before',
    },
  );

/** An RFC 3339 time with seconds. */
const instantForm: More = {
  format: 'date-time',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$',
  maxLength: maxInstant,
};

/** An instant in a list inside a list, without a rule: the API server rejects a CRD whose CEL rules may run that often. */
export const instantText = (description: string): Schema => text(description, instantForm);

export const instant = (description: string): Schema =>
  withRules(
    text(description, instantForm),
    // Kubernetes accepts a list for a field with a format; this rule rejects it.
    {
      rule: "self > timestamp('0001-01-01T00:00:00Z')",
      message: 'must be an RFC 3339 time such as 2026-11-15T09:00:00Z',
    },
  );

export const labelName = (description: string): Schema =>
  withRules(text(description, { pattern: labelNamePattern, maxLength: maxLabelName }), {
    rule: `${matches('self', labelNamePattern)} && ${matches('self', prefixPattern)}`,
    message: 'must be a label name such as topology.kubernetes.io/zone',
  });

const labelValue = (description: string): Schema =>
  text(description, { pattern: `^(${name})?$`, maxLength: maxLabelValue });

/** Labels by name. */
export const labels = (description: string): Schema =>
  withRules(mapOf(description, labelValue('The value of the label.'), { maxProperties: maxLabels }), {
    rule: `self.all(key, ${matches('key', labelNamePattern)} && ${matches('key', prefixPattern)})`,
    message: 'keys must be label names such as topology.kubernetes.io/zone',
  });

/** A list of some of the words, each at most once. */
export const choices = (description: string, each: string, words: readonly string[]): Schema =>
  list(description, choice(each, words), { maxItems: words.length, 'x-kubernetes-list-type': 'set' });

/** Bounds the estimated cost of the CEL rules. */
const maxExpressions = 50;
/** A pool may list every instance type of a cloud. */
const maxValues = 1000;

export const operatorRules: readonly ValidationRule[] = [
  {
    rule: "!(self.operator in ['In', 'NotIn']) || (has(self.values) && size(self.values) > 0)",
    message: 'In and NotIn need at least one value',
  },
  {
    rule: "!(self.operator in ['Exists', 'DoesNotExist']) || !has(self.values) || size(self.values) == 0",
    message: 'Exists and DoesNotExist must not have values',
  },
  {
    rule: "!(self.operator in ['Gt', 'Lt', 'Gte', 'Lte']) || (has(self.values) && size(self.values) == 1 && self.values[0].matches('^[0-9]{1,18}$'))",
    message: 'Gt, Lt, Gte and Lte need one whole number, in quotes',
  },
];

export const operatorField = (operators: readonly Operator[]): Schema =>
  choice('How the label is compared to the values.', operators);

export const valuesField: Schema = list('The values the label is compared to.', labelValue('A label value.'), {
  maxItems: maxValues,
});

function expression(operators: readonly Operator[]): Schema {
  // Label selectors have no numeric operators, so they do not need that rule.
  const rules = operatorRules.filter(({ rule }) => operators.some((operator) => rule.includes(`'${operator}'`)));
  return withRules(
    record(
      'One condition on a label.',
      { key: labelName('The label.'), operator: operatorField(operators), values: valuesField },
      { required: ['key', 'operator'] },
    ),
    ...rules,
  );
}

/** A selector; all of its conditions must hold. */
export const selector = (description: string, operators: readonly Operator[]): Schema =>
  record(description, {
    matchLabels: labels('Labels and the values they must have.'),
    matchExpressions: list('More conditions on labels; all must hold.', expression(operators), {
      maxItems: maxExpressions,
    }),
  });

/** Each controller writes only a few conditions. */
const maxConditions = 50;

export const conditions: Schema = list(
  'The conditions of the object, one for each type.',
  record(
    'One condition.',
    {
      type: text('The type of the condition.', { maxLength: 316 }),
      status: choice('Whether the condition holds.', ['True', 'False', 'Unknown']),
      reason: text('The reason for the status, in one CamelCase word.', { maxLength: 1024 }),
      message: text('The reason for the status, as a sentence.', { maxLength: 32_768 }),
      lastTransitionTime: instant('When the status last changed.'),
      observedGeneration: whole('The generation of the object that the condition is based on.', {
        format: 'int64',
        minimum: 0,
      }),
    },
    { required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'] },
  ),
  { maxItems: maxConditions, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
);

/** Printer columns for the fields of `windowStatus`. */
export const windowColumns = (what: 'nodes' | 'pods'): readonly Column[] => [
  column('Open', 'boolean', '.status.open', 'Whether the schedule is open now.'),
  column('Next change', 'string', '.status.nextChange', 'When the schedule next opens or closes.'),
  column('Selected', 'integer', '.status.selected', `How many ${what} are selected.`),
  column('Holding', 'integer', '.status.holding', `How many ${what} are held.`),
  // An invalid object shows that it fails closed (D7).
  column('Ready', 'string', readyPath, 'Whether the spec is valid. If not, everything it may select is held.'),
];

export const windowStatus = (what: 'nodes' | 'pods'): Schema =>
  record('The current effect. Only Lull writes it.', {
    open: flag('Whether the schedule is open.'),
    nextChange: instant('When the schedule next opens or closes; absent if it never does.'),
    selected: whole(`How many ${what} are selected.`, { minimum: 0 }),
    holding: whole(`How many ${what} are held.`, { minimum: 0 }),
    conditions,
  });
