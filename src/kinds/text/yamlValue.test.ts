import { describe, expect, it } from 'vitest';
import { parseYamlText } from './yamlText.ts';

const read = (text: string): unknown => {
  const { values, errors } = parseYamlText(text);
  expect(errors).toEqual([]);
  return values[0]?.value;
};
const wrong = (text: string): string[] =>
  parseYamlText(text).errors.map(({ line, column, message }) => `${line}:${column} ${message}`);

describe('YAML as plain values', () => {
  it.each([
    {
      name: 'keys that are not strings',
      text: '1: a\ntrue: b\n1.5: c\n: d\n',
      value: { '1': 'a', true: 'b', '1.5': 'c', '': 'd' },
    },
    {
      name: 'fields without values',
      text: 'a:\nb: ~\nc: [~]\n',
      value: { a: null, b: null, c: [null] },
    },
    { name: 'pairs in a list', text: '[a: 1, {b: 2}]', value: [{ a: 1 }, { b: 2 }] },
    { name: 'a set, as kubectl reads it', text: 'a: !!set {x, w}', value: { a: { x: null, w: null } } },
    { name: 'an anchor defined twice', text: '- &a 1\n- *a\n- &a 2\n- *a\n', value: [1, 1, 2, 2] },
    { name: 'an alias as a key', text: 'a: &a b\n*a : c\n', value: { a: 'b', b: 'c' } },
    { name: 'an anchor with nothing in it', text: 'a: &a\nb: *a\n', value: { a: null, b: null } },
  ])('$name', ({ text, value }) => {
    expect(read(text)).toEqual(value);
  });

  it('keeps a field called __proto__ to itself', () => {
    const value = read('__proto__: {x: 1}\na: &a {__proto__: 2}\nb: {<<: *a}\n') as Record<string, object>;
    expect(Object.keys(value)).toEqual(['__proto__', 'a', 'b']);
    expect(Object.keys(value.b as object)).toEqual(['__proto__']);
    expect('x' in value).toBe(false);
  });
});

describe('Merges', () => {
  it.each([
    {
      name: 'the map’s own keys win, before and after the merge',
      text: 'a: &a {x: 1, w: 2, z: 3}\nb: {x: 9, <<: *a, w: 8}',
      b: { x: 9, w: 8, z: 3 },
    },
    {
      name: 'the first of several wins',
      text: 'a: &a {x: 1}\nc: &c {x: 2, w: 2}\nb: {<<: [*a, *c]}',
      b: { x: 1, w: 2 },
    },
    { name: 'a map written in place', text: 'b: {<<: {x: 1}, w: 2}', b: { x: 1, w: 2 } },
    { name: 'a merge of a merge', text: 'a: &a {x: 1}\nc: &c {<<: *a, w: 2}\nb: {<<: *c}', b: { x: 1, w: 2 } },
    { name: 'a quoted << is a key like any other', text: 'b: {"<<": {x: 1}}', b: { '<<': { x: 1 } } },
  ])('$name', ({ text, b }) => {
    expect((read(text) as { b: unknown }).b).toEqual(b);
  });
});

describe('What cannot be read', () => {
  it.each([
    { text: 'a: 1\nb: 2\na: 3\n', says: /^3:1 Duplicate key "a"/ },
    { text: 'a: {x: 1, "x": 2}', says: /^1:11 Duplicate key "x"/ },
    { text: 'a: *b\n', says: /^1:4 There is no anchor &b before/ },
    { text: 'a: *b\nb: &b 1\n', says: /^1:4 There is no anchor &b before/ },
    { text: 'a: &a [1, *a]\n', says: /^1:11 The anchor &a contains itself/ },
    { text: '? [a]\n: b\n', says: /^1:3 A list or map is used as a key/ },
    { text: 'a: {<<: [1]}\n', says: /^1:9 The value of << is not a map/ },
    { text: '}\na: "\n', says: /^1:1 Unexpected/ },
    { text: '%YAML 1.2\n', says: /directives/ },
  ])('$text', ({ text, says }) => {
    expect(wrong(text)).toEqual([expect.stringMatching(says)]);
  });
});
