// Random objects of a schema: mostly valid, sometimes not.
import fc from 'fast-check';
import { cronPattern, type Schema } from '../../src/kinds/schema/schema.ts';
import { broken } from './cel.ts';

/** How often a value violates the schema: so rarely that most objects are still admitted. */
const strays = 1;
const meant = 100;

const stray = fc.constantFrom<unknown>(
  null,
  '',
  '-',
  '0',
  '5',
  '007',
  '1.5h',
  '-1h',
  '1d',
  '99999999999h',
  'Never',
  'never',
  '110%',
  '4294967296',
  '* * * * *',
  '@every 1h',
  '0 0 30 2 *',
  'TZ=Nowhere/At_All 0 9 * * *',
  'Drifted',
  'drifted',
  'a/b/c',
  'a b',
  '2026-02-30T00:00:00Z',
  '2026-11-15 09:00:00Z',
  0,
  -1,
  1.5,
  true,
  {},
  [],
  [null],
  ['a', 'a'],
);

/** Times of day, days and names that the pattern alone would seldom generate. */
const crons = fc.oneof(
  fc.stringMatching(new RegExp(cronPattern), { size: 'xsmall' }),
  fc.constantFrom('0 9 * * 1-5', '30 22 * * fri-mon', '@weekly', 'TZ=Asia/Tokyo 0 9 * * *', '0 0 31 4,6,9,11 *'),
);
const durations = fc
  .tuple(fc.nat(1000), fc.nat(59), fc.constantFrom('h', 'm', 's', 'hm'))
  .map(([many, few, unit]) => (unit === 'hm' ? `${many}h${few}m` : `${many}${unit}`));

export function arbitraryOf(schema: Schema): fc.Arbitrary<unknown> {
  const any = asAsked(schema);
  // Rules relate fields to each other: at random, hardly any object would satisfy all of them.
  const kept = schema['x-kubernetes-validations'] ? any.filter((value) => keepsRules(schema, value)) : any;
  return fc.oneof(
    { weight: meant, arbitrary: kept },
    { weight: strays, arbitrary: any },
    { weight: strays, arbitrary: stray },
  );
}

const keepsRules = (schema: Schema, value: unknown): boolean =>
  (schema['x-kubernetes-validations'] ?? []).every((rule) => broken(rule, schema, value, undefined) === undefined);

function asAsked(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'object':
      return objectOf(schema);
    case 'array':
      return listOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -5, max: Math.min(schema.maximum ?? 100, 2 ** 31 - 1) });
    case 'number':
      return fc.double({ min: -5, max: 100, noNaN: true });
    case 'string':
      return schema.nullable ? fc.option(textOf(schema)) : textOf(schema);
    default:
      return fc.oneof(fc.nat(), fc.constantFrom('500m', '4', '16Gi', '1e3', '.5'));
  }
}

/** For an object with many rules, or with a choice of one field, draw few fields: otherwise hardly any draw would satisfy all rules. */
const mostRules = 4;
const fewFields = 4;

function objectOf({ properties, additionalProperties, required = [], ...schema }: Schema): fc.Arbitrary<unknown> {
  if (additionalProperties) {
    const names = fc.constantFrom('a', 'nodes', 'cpu', 'topology.kubernetes.io/zone', 'kubernetes.io/hostname', 'a b');
    return fc.dictionary(names, arbitraryOf(additionalProperties), { maxKeys: 2 });
  }
  const fields = Object.entries(properties ?? {}).map(([key, field]) => [key, arbitraryOf(field)]);
  const all = Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>;
  const rules = schema['x-kubernetes-validations'] ?? [];
  const isChoice = rules.some(({ rule }) => rule.includes('.size() == 1'));
  if (rules.length <= mostRules && !isChoice) return fc.record(all, { requiredKeys: [...required] });
  const optional = Object.keys(all).filter((key) => !required.includes(key));
  return fc.subarray(optional, { maxLength: isChoice ? 2 : fewFields }).chain((some) => {
    const keys = [...required, ...some];
    const drawn = Object.fromEntries(Object.entries(all).filter(([key]) => keys.includes(key)));
    return fc.record(drawn, { requiredKeys: keys });
  });
}

function listOf({ items = {}, ...schema }: Schema): fc.Arbitrary<unknown> {
  const each = arbitraryOf(items);
  return schema['x-kubernetes-list-type'] === 'set'
    ? fc.uniqueArray(each, { maxLength: 3 })
    : fc.array(each, { maxLength: 3 });
}

function textOf(schema: Schema): fc.Arbitrary<unknown> {
  const rules = (schema['x-kubernetes-validations'] ?? []).map(({ rule }) => rule).join();
  if (rules.includes('@(yearly')) return crons;
  if (schema.format === 'date-time') {
    const dates = { min: new Date('2000-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true };
    return fc.date(dates).map((date) => date.toISOString());
  }
  if (!schema.pattern) return fc.string();
  const pattern = new RegExp(schema.pattern);
  const any = fc.stringMatching(pattern, { size: 'xsmall' });
  if (rules.includes('duration(self)')) return fc.oneof(any, durations);
  const likely = ['5', '10%', 'UTC', 'Europe/Berlin', 'zone', 'example.com/team'].filter((word) => pattern.test(word));
  return likely.length > 0 ? fc.oneof(any, fc.constantFrom(...likely)) : any;
}
