// An API server would accept the schemas, and people can read them.
import { describe, expect, it } from 'vitest';
import { embeddedKinds, ownKinds, schemaOf } from '../../src/kinds/schema/crds.ts';
import { list, mapOf, record, type Schema, text, withRules } from '../../src/kinds/schema/schema.ts';
import { everySchema, ownSchemas } from './everySchema.ts';
import { fieldsOf } from './fieldsOf.ts';
import { breaking, laws } from './laws.ts';

describe.each(Object.entries(everySchema))('The schema of %s is structural', (_, root) => {
  it.each(Object.entries(laws))('it has %s', (_, law) => expect(breaking(root, law)).toEqual([]));
});

describe('Schemas that the API server rejects are found', () => {
  const one = (field: Schema): Schema => ({ type: 'object', properties: { it: field } });
  const rule = { rule: 'self.all(x, x == x)', message: 'm' };
  const cases: Record<keyof typeof laws, Schema[]> = {
    'only keywords of structural schemas': [
      one({ type: 'string', $ref: '#' } as Schema),
      one({ ...list('', text('')), uniqueItems: true } as Schema),
    ],
    'a type at every level': [one({}), one({ type: 'string', 'x-kubernetes-int-or-string': true })],
    'a choice of types only for a number or text': [one({ type: 'string', anyOf: [{ type: 'string' }] })],
    'fields, or further fields, or unknown ones, in every object and nowhere else': [
      one({ type: 'object' }),
      one({ type: 'object', properties: { a: text('') }, additionalProperties: text('') }),
      one({ type: 'string', properties: {} }),
    ],
    'items in every list and nowhere else': [one({ type: 'array', 'x-kubernetes-list-type': 'atomic' })],
    'lists with a merge type that suits their items': [
      one({ type: 'array', items: text('') }),
      one(list('', record('', {}), { 'x-kubernetes-list-type': 'set' })),
      one(
        list('', record('', { a: text('') }), { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] }),
      ),
    ],
    'required fields that exist': [one(record('', {}, { required: ['a'] }))],
    'metadata as Kubernetes knows it': [{ type: 'object', properties: { metadata: record('', { name: text('') }) } }],
    'defaults that it admits itself, unchanged': [
      one(text('', { default: 5 })),
      one(text('', { default: 'a', pattern: '^b$' })),
      one(record('', { a: text('') }, { default: { b: 'pruned' } })),
      one(record('', { a: text('') }, { default: {}, required: ['a'] })),
    ],
    'patterns that Go and JavaScript interpret alike': [
      one(text('', { pattern: '(' })),
      one(text('', { pattern: '^(?!x)' })),
      one(text('', { pattern: '(a)\\1' })),
      one(withRules(text('', { maxLength: 1 }), { rule: "self.matches('(?i:a)')", message: 'm' })),
    ],
    'a bound on everything that a rule walks through': [
      one(withRules(text(''), rule)),
      one(withRules(list('', text('')), rule)),
      one(withRules(mapOf('', text('')), rule)),
      one(list('', withRules(text('', { maxLength: 1 }), rule))),
      one(withRules(record('', { a: list('', text('')) }), { rule: 'self.a.all(x, true)', message: 'm' })),
    ],
  };

  it.each(Object.entries(laws))('%s', (name, law) => {
    expect(cases[name]?.length).toBeGreaterThan(0);
    for (const schema of cases[name] ?? []) expect(breaking(schema, law), JSON.stringify(schema)).toHaveLength(1);
  });
});

describe.each(Object.entries(ownSchemas))('Every field of %s', (_, root) => {
  it('is described in one or two sentences', () => {
    const areSentences = (words = ''): boolean => /^[A-Z][^.]*(\.\S[^.]*)*\.( [A-Z][^.]*(\.\S[^.]*)*\.)?$/.test(words);
    const others = fieldsOf(root).filter(
      ({ path, schema }) => path !== 'metadata' && !areSentences(schema.description),
    );
    expect(others.map(({ path }) => path)).toEqual([]);
  });
});

describe.each([...ownKinds, ...embeddedKinds])('$kind', (definition) => {
  const fields = fieldsOf(schemaOf(definition));

  it('shows only columns of existing fields', () => {
    const paths = new Set(['metadata.creationTimestamp', ...fields.map(({ path }) => path)]);
    const shown = definition.columns.map(({ jsonPath }) => jsonPath.slice(1).replace(/\[[^\]]*\]/g, '[]'));
    expect(shown.filter((path) => !paths.has(path))).toEqual([]);
  });

  it("keeps unknown fields only under the kubelet's settings", () => {
    const open = fields.filter(({ schema }) => schema['x-kubernetes-preserve-unknown-fields']).map(({ path }) => path);
    expect(open).toEqual(definition.kind === 'NodePool' ? ['spec.template.spec.kubelet'] : []);
  });
});
