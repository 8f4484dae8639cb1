// The checks of a HealthGate: fields and reader (O1). Exactly one is set.
import { defined } from '../../cluster/defined.ts';
import type {
  AlertsCheck,
  HealthCheck,
  HttpCheck,
  ManualCheck,
  ObjectCheck,
  PrometheusCheck,
} from '../../cluster/healthGateRecord.ts';
import type { TextMap } from '../../cluster/selector.ts';
import {
  choice,
  type Fields,
  flag,
  list,
  mapOf,
  patterned,
  record,
  type Schema,
  selector,
  text,
  whole,
  withRules,
} from '../schema/schema.ts';
import { longestName } from './metadata.ts';
import { isMap, orList, type Reader } from './reader.ts';
import { labelOperators, readSelectorParts } from './selectors.ts';

const statuses = ['True', 'False', 'Unknown'] as const;
const longestUrl = 2048;
const longestExpression = 4096;
const longestPattern = 1024;
const longestMessage = 1024;
const maxMatchers = 20;
const maxCodes = 20;

/** http or https, without a user name or password. */
const urlPattern = '^https?://[^/@?# ]+([/?#][^ ]*)?$';
const useUrl = 'an http or https URL without credentials, such as https://prometheus.example.com:9090';

const url = (description: string): Schema =>
  patterned(description, urlPattern, { maxLength: longestUrl, message: `must be ${useUrl}` });

/** Not empty. */
const filled = (description: string, maxLength: number): Schema => text(description, { pattern: '[^ ]', maxLength });

const name = (description: string): Schema => filled(description, longestName);

const secretRef: Schema = record(
  "A Secret in Lull's namespace: token, or username and password; ca.crt, tls.crt and tls.key.",
  { name: name('The name of the Secret.') },
  { required: ['name'] },
);

const matchers = (description: string): Schema =>
  mapOf(description, text('A regular expression that must match the whole value.', { maxLength: longestPattern }), {
    maxProperties: maxMatchers,
  });

const fields = {
  prometheus: record(
    'An instant query to Prometheus. Any returned series means Unhealthy, as in an alerting rule.',
    {
      url: url('The address of Prometheus, without /api/v1/query.'),
      query: filled('The PromQL expression.', longestExpression),
      secretRef,
    },
    { required: ['url', 'query'] },
  ),
  alerts: record(
    'Firing alerts of Prometheus or Alertmanager. Any that matches means Unhealthy.',
    {
      url: url('The address of Prometheus or Alertmanager, without /api.'),
      match: matchers('Labels that an alert must have, by name. If absent or empty, every alert counts.'),
      except: matchers('Labels of alerts that do not count, by name. An alert that matches any of them is ignored.'),
      secretRef,
    },
    { required: ['url'] },
  ),
  http: record(
    'A GET request. Any other status code means Unhealthy.',
    {
      url: url('The URL to request.'),
      status: list('The status codes that mean Healthy.', whole('A status code.', { minimum: 100, maximum: 599 }), {
        maxItems: maxCodes,
        default: [200],
      }),
      secretRef,
    },
    { required: ['url'] },
  ),
  object: withRules(
    record(
      'Objects of this cluster or another. Every selected one must satisfy the condition or the expression.',
      {
        apiVersion: name('The API version of the objects, such as apps/v1.'),
        kind: name('The kind of the objects, such as Deployment.'),
        namespace: name('The namespace of the objects. If absent, all namespaces or a cluster-scoped kind.'),
        name: name('The name of the object.'),
        selector: selector('The labels of the objects, instead of a name.', labelOperators),
        condition: record(
          'A condition in status.conditions that the objects must have.',
          { type: name('The type of the condition.'), status: choice('The status it must have.', statuses) },
          { required: ['type', 'status'] },
        ),
        cel: filled('A CEL expression over each object, as `self`, that must be true.', longestExpression),
        kubeconfigSecret: name("A Secret in Lull's namespace whose key kubeconfig names another cluster to ask."),
      },
      { required: ['apiVersion', 'kind'] },
    ),
    { rule: 'has(self.name) != has(self.selector)', message: "set either 'name' or 'selector'" },
    { rule: 'has(self.condition) != has(self.cel)', message: "set either 'condition' or 'cel'" },
  ),
  manual: record(
    'A switch for people and pipelines. It takes effect at once.',
    {
      healthy: flag('Whether the gate is healthy.'),
      message: text('Why, shown with each refusal.', { maxLength: longestMessage }),
    },
    { required: ['healthy'] },
  ),
} satisfies Fields;

const types = Object.keys(fields) as readonly (keyof typeof fields)[];

export const checkField: Schema = withRules(record('What is checked: exactly one of the fields.', fields), {
  rule: `[${types.map((type) => `has(self.${type})`).join(', ')}].filter(is, is).size() == 1`,
  message: `set exactly one of ${types.map((type) => `'${type}'`).join(', ')}`,
});

/** Undefined if it is missing or invalid. */
export function readCheck(spec: Reader): HealthCheck | undefined {
  const check = spec.map('check');
  const set = types.filter((type) => check.has(type));
  const [type] = set;
  if (!type || set.length > 1) {
    const found = type ? `has ${set.length} checks: ${set.join(', ')}` : 'has no check';
    spec.fault('check', `This gate ${found}. Set exactly one of ${orList(types)}.`);
    return undefined;
  }
  const before = spec.findings.wrongs;
  const read = readers[type](check.map(type));
  return spec.findings.wrongs > before ? undefined : read;
}

const readers: Readonly<Record<keyof typeof fields, (check: Reader) => HealthCheck>> = {
  prometheus: (check) => {
    const query = needed(check, 'query', longestExpression);
    return defined<PrometheusCheck>({ type: 'prometheus', ...readUrl(check), query });
  },
  alerts: (check) => {
    const [match, except] = [readMatchers(check, 'match'), readMatchers(check, 'except')];
    return defined<AlertsCheck>({ type: 'alerts', ...readUrl(check), match, except });
  },
  http: (check) => {
    const status = readCodes(check);
    return defined<HttpCheck>({ type: 'http', ...readUrl(check), status });
  },
  object: readObjectCheck,
  manual: (check) => {
    const healthy = check.boolean('healthy');
    if (!check.has('healthy')) check.fault('healthy', 'healthy is missing. Set it to true or false.');
    const message = check.shortText('message', longestMessage) || undefined;
    return defined<ManualCheck>({ type: 'manual', healthy: healthy ?? false, message });
  },
};

function needed(reader: Reader, key: string, longest: number): string {
  const value = reader.shortText(key, longest);
  if (!reader.has(key) || (value !== undefined && !/[^ ]/.test(value)))
    reader.fault(key, `${key} is missing. Set ${key}.`);
  return value ?? '';
}

const isUrl = new RegExp(urlPattern, 'u');

function readUrl(check: Reader): { readonly url: string; readonly secret: string | undefined } {
  const url = needed(check, 'url', longestUrl);
  // The value is not repeated: it may contain a password.
  if (url !== '' && (!isUrl.test(url) || !URL.canParse(url)))
    check.findings.add(check.path('url'), undefined, `This is not ${useUrl}.`);
  const secret = check.has('secretRef') ? needed(check.map('secretRef'), 'name', longestName) : undefined;
  return { url, secret };
}

function readMatchers(check: Reader, key: string): TextMap {
  const patterns = check.textMap(key);
  for (const [label, pattern] of Object.entries(patterns))
    if (!isPattern(pattern)) check.at(key).wrong(label, 'regular expression', 'Use one such as critical|page.');
  return patterns;
}

export const anchored = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`, 'su');

function isPattern(pattern: string): boolean {
  try {
    return anchored(pattern) instanceof RegExp;
  } catch {
    return false;
  }
}

const healthyCodes: readonly number[] = [200];

function readCodes(check: Reader): readonly number[] {
  const given = check.list('status') ?? [];
  const codes = given.map((_, index) => check.at('status').whole(index, 100, 599));
  return codes.length > 0 ? codes.filter((code) => code !== undefined) : healthyCodes;
}

function readObjectCheck(check: Reader): ObjectCheck {
  for (const [one, other] of [
    ['name', 'selector'],
    ['condition', 'cel'],
  ] as const)
    if (check.has(one) === check.has(other)) check.fault(one, `Set either ${one} or ${other}.`);
  const condition = check.has('condition') ? check.map('condition') : undefined;
  const selected = isMap(check.raw('selector')) ? readSelectorParts(check, 'selector', labelOperators) : undefined;
  return defined<ObjectCheck>({
    type: 'object',
    apiVersion: needed(check, 'apiVersion', longestName),
    kind: needed(check, 'kind', longestName),
    namespace: check.shortText('namespace', longestName) || undefined,
    name: check.shortText('name', longestName) || undefined,
    selector: selected && { requirements: selected.requirements },
    condition: condition && {
      type: needed(condition, 'type', longestName),
      status: condition.oneOf('status', statuses) ?? statuses[0],
    },
    cel: check.shortText('cel', longestExpression) || undefined,
    kubeconfigSecret: check.shortText('kubeconfigSecret', longestName) || undefined,
  });
}
