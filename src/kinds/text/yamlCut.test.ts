import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readDocuments } from './documents.ts';
import { writeYaml } from './writeYaml.ts';
import { cutDocuments, cutItems, parseYamlText } from './yamlText.ts';

const cutInto = (text: string): number | undefined => {
  const [piece] = cutDocuments(text);
  return piece && cutItems(piece)?.items.length;
};

/** Long enough to be worth it. */
const filler = `x: ${'y'.repeat(1000)}`;
const list = (items: string, before = '', after = 'kind: List\nmetadata: {}\n'): string =>
  `apiVersion: v1\n${before}items:\n${items}${after}`;
const item = (name: string): string => `- kind: Pod\n  metadata:\n    name: ${name}\n  ${filler}\n`;
const items = Array.from({ length: 120 }, (_, index) => item(`pod-${index}`)).join('');

describe('A long list as kubectl prints it', () => {
  it.each([
    { name: 'as it is', text: list(items) },
    { name: 'with the kind before', text: list(items, 'kind: List\n', '') },
    { name: 'indented', text: list(items.replaceAll(/^/gm, '  ').replace(/ +$/, '')) },
    { name: 'with empty lines and comments', text: list(items.replaceAll('  metadata', '\n    # why\n  metadata')) },
    { name: 'with a text of many lines', text: list(`${item('a')}  note: |\n    - no item\n\n    items:\n${items}`) },
    { name: 'on Windows', text: list(items).replaceAll('\n', '\r\n') },
    { name: 'without a line break at its end', text: list(items, 'kind: List\n', '').trimEnd() },
  ])('is cut into its items: $name', ({ text }) => {
    const cut = cutInto(text);
    expect(cut).toBeGreaterThan(100);
    expect(parseYamlText(text).errors).toEqual([]);
    expect(parseYamlText(text).values[0]?.value).toEqual(parse(text, { version: '1.1' }));
  });

  it.each([
    { name: 'a dash alone', text: list(`${items}-\n  kind: Pod\n${items}`) },
    { name: 'a comment at the margin', text: list(`${items}# half of them\n${items}# all\n`, '# before\n') },
    { name: 'an item in brackets', text: list(`${items}- {kind: Pod,\n   a: b}\n${items}`) },
    { name: 'an item of one line', text: list(`- 5\n${items}- a\n- - b\n  - c\n`) },
    { name: 'an end', text: list(items, 'kind: List\n', '...\n') },
    { name: 'a tab', text: list(`${items}- kind: Pod\n\t\n  a: b\n${items}`) },
    { name: 'other items after it', text: list(items, '', 'kind: List\nmore:\n  items:\n  - 1\n') },
  ])('is read as it is, with $name', ({ text }) => {
    expect(parseYamlText(text).errors).toEqual([]);
    expect(parseYamlText(text).values[0]?.value).toEqual(parse(text, { version: '1.1' }));
  });

  it.each([
    { name: 'that is short', text: list(item('a')) },
    { name: 'with anchors, which may be used in another item', text: list(`- &a {kind: Pod}\n- *a\n${items}`) },
    { name: 'within something else', text: `kind: List\nspec:\n  ${list(items).replaceAll('\n', '\n  ')}` },
    { name: 'in brackets', text: `kind: List\nitems: [${'{kind: Pod},'.repeat(10_000)}]` },
  ])('is not cut: one $name', ({ text }) => {
    expect(cutInto(text)).toBeUndefined();
  });

  it('says the line of everything', () => {
    const text = `# one\n---\n# two\n${list(items)}---\nkind: Node\nspec: {a: 1}\n`;
    const { documents, errors } = readDocuments(text, 'f');
    expect(errors).toEqual([]);
    const lines = text.split('\n');
    const nameOf = (index: number) => documents[index]?.position('metadata.name').line ?? 0;
    expect(lines[nameOf(0) - 1]).toBe('    name: pod-0');
    expect(lines[nameOf(77) - 1]).toBe('    name: pod-77');
    expect(lines[(documents[120]?.position('spec.a').line ?? 0) - 1]).toBe('spec: {a: 1}');
    expect(parseYamlText(text).values[0]?.place(['metadata']).line).toBe(lines.indexOf('metadata: {}') + 1);
  });

  it('says the line of what is wrong in it, and around it', () => {
    const bad = list(`${items}- kind: Pod\n  kind: Node\n`, '', 'kind: List\nkind: List\n');
    const lines = bad.split('\n');
    expect(parseYamlText(bad).errors.map(({ line }) => lines[line - 1])).toEqual(['kind: List', '  kind: Node']);
  });

  it('says the same as when it is read as a whole', () => {
    const strange = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('-', ' ', '\n', ':', '#', 'a', '|', '"', "'", 'items:\n- ') }),
    );
    const value = fc.dictionary(fc.string(), fc.oneof(strange, fc.array(strange), fc.dictionary(strange, strange)));
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 5 }), (objects) => {
        const whole = { apiVersion: 'v1', items: [{ filler: 'y'.repeat(100_000) }, ...objects], kind: 'List' };
        const text = writeYaml(whole);
        const { values, errors } = parseYamlText(text);
        expect(errors).toEqual([]);
        expect(values.map(({ value: read }) => read)).toEqual([parse(text, { version: '1.1' })]);
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});

describe('Documents', () => {
  it.each([
    { text: 'a: 1\n---\nb: 2\n', pieces: [0, 1] },
    { text: '---\na: 1\n--- # two\nb: 2\n---', pieces: [0, 2] },
    { text: 'a: |\n  ---\n  x\n', pieces: [0] },
    { text: '%YAML 1.1\n---\na: 1\n---\nb: 2\n', pieces: [0] },
    { text: '\n---\n---\n\n', pieces: [] },
  ])('are cut at their lines: $text', ({ text, pieces }) => {
    expect(cutDocuments(text).map(({ linesBefore }) => linesBefore(1))).toEqual(pieces);
  });
});
