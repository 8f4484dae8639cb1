import { describe, expect, it } from 'vitest';
import { eachDocument, type InputError, readDocuments } from './documents.ts';

const names = (text: string): unknown[] =>
  readDocuments(text, 'a.yaml').documents.map(({ object }) => (object.metadata as { name?: string } | undefined)?.name);

const pod = (name: string): string => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n`;

describe('L1: objects in any form', () => {
  it.each([
    { name: 'one YAML document', text: pod('a'), want: ['a'] },
    {
      name: 'several, with empty ones between',
      text: `---\n---\n${pod('a')}---\n# nothing\n---\n${pod('b')}---\n`,
      want: ['a', 'b'],
    },
    { name: 'nothing at all', text: '', want: [] },
    { name: 'a byte order mark', text: `\uFEFF${pod('a')}`, want: ['a'] },
    { name: 'Windows line ends', text: pod('a').replaceAll('\n', '\r\n'), want: ['a'] },
    { name: 'a JSON object', text: '{"kind":"Pod","metadata":{"name":"a"}}', want: ['a'] },
    {
      name: 'a JSON list',
      text: '[{"kind":"Pod","metadata":{"name":"a"}},{"kind":"Pod","metadata":{"name":"b"}}]',
      want: ['a', 'b'],
    },
    {
      name: 'JSON lines',
      text: '{"kind":"Pod","metadata":{"name":"a"}}\n\n{"kind":"Pod","metadata":{"name":"b"}}\n',
      want: ['a', 'b'],
    },
    { name: 'YAML in braces', text: '{kind: Pod, metadata: {name: a}}', want: ['a'] },
    {
      name: 'JSON documents between ---',
      text: '{"kind":"Pod","metadata":{"name":"a"}}\n---\n{"kind":"Pod","metadata":{"name":"b"}}',
      want: ['a', 'b'],
    },
    {
      name: 'a List',
      text: 'kind: List\nitems:\n- {kind: Pod, metadata: {name: a}}\n- {kind: Node, metadata: {name: b}}',
      want: ['a', 'b'],
    },
    { name: 'a List without items', text: 'kind: List\n', want: [] },
    {
      name: 'a List within a List',
      text: 'kind: List\nitems: [{kind: PodList, items: [{metadata: {name: a}}]}]',
      want: ['a'],
    },
  ])('reads $name', ({ text, want }) => {
    expect(readDocuments(text, 'a.yaml').errors).toEqual([]);
    expect(names(text)).toEqual(want);
  });

  it('merges with <<, as kubectl does', () => {
    const { documents } = readDocuments('kind: A\nbase: &b {w: 1, z: 2}\nuse: {<<: *b, z: 3}\n', 'a.yaml');
    expect(documents[0]?.object.use).toEqual({ w: 1, z: 3 });
  });

  it('gives the items of a PodList the kind the list has said', () => {
    const { documents } = readDocuments(
      '{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}',
      'a.json',
    );
    expect(documents[0]?.object).toMatchObject({ apiVersion: 'v1', kind: 'Pod' });
  });

  it('reads scalars as kubectl does: timestamps and 12:30 are text, on and yes are booleans', () => {
    const { documents } = readDocuments(
      'kind: A\nat: 2024-03-13T12:00:00Z\ntime: 12:30\non_: on\nyes_: yes\noctal: 010',
      'a.yaml',
    );
    expect(documents[0]?.object).toEqual({
      kind: 'A',
      at: '2024-03-13T12:00:00Z',
      time: '12:30',
      on_: true,
      yes_: true,
      octal: 8,
    });
  });
});

describe('K1: JSON lines', () => {
  const line = (name: string): string => `{"kind":"Pod","metadata":{"name":"${name}"}}`;

  it('are read one by one, and errors are listed at the end', () => {
    const errors: InputError[] = [];
    const documents = eachDocument([line('a'), '{"kind":', line('c')].join('\n'), 'a.ndjson', errors);
    expect(documents.next().value?.object.metadata).toEqual({ name: 'a' });
    expect(documents.next().value?.object.metadata).toEqual({ name: 'c' });
    expect(errors).toEqual([]);
    expect(documents.next().done).toBe(true);
    expect(errors.map(({ file, line: at }) => `${file}:${at}`)).toEqual(['a.ndjson:2']);
  });

  it('may contain U+2028 and U+2029, which do not end a line of JSON', () => {
    const { documents, errors } = readDocuments([line('a\u2028b\u2029'), line('c')].join('\n'), 'a.ndjson');
    expect(errors).toEqual([]);
    expect(documents.map(({ object }) => object.metadata)).toEqual([{ name: 'a\u2028b\u2029' }, { name: 'c' }]);
  });

  it.each([
    {
      name: 'a duplicate key',
      text: '{"kind":"Pod","kind":"Node","metadata":{"name":"b"}}',
      message: /Duplicate key/,
    },
    {
      name: 'a duplicate key, written with spaces',
      text: '{"kind": "Pod", "kind": "Pod"}',
      message: /Duplicate key/,
    },
    { name: 'too deep', text: `{"kind":"Pod","a":${'['.repeat(250)}${']'.repeat(250)}}`, message: /levels deep/ },
  ])('have an error at the invalid line: $name', ({ text, message }) => {
    const { errors } = readDocuments([line('a'), text].join('\n'), 'a.ndjson');
    expect(errors).toEqual([expect.objectContaining({ line: 2, message: expect.stringMatching(message) })]);
  });
});

describe('K1: input that cannot be read', () => {
  const deep = `kind: Pod\na: ${'['.repeat(5000)}${']'.repeat(5000)}`;
  const bomb = [
    'kind: Pod',
    'a0: &a0 [x, x]',
    ...Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`),
  ];
  it.each([
    {
      name: 'a duplicate key',
      text: 'kind: Pod\nspec:\n  nodes: 1\n  nodes: 2\n',
      line: 4,
      message: /Duplicate key "nodes".*Remove/,
    },
    { name: 'a tab', text: 'kind: Pod\nspec:\n\tnodes: 1\n', line: 3, message: /spaces/ },
    { name: 'an open quote', text: 'kind: Pod\nname: "x\n', line: 3, message: /quote/ },
    { name: 'a text', text: 'hello', line: 1, message: /a string, not an object.*kind/ },
    { name: 'a number in a list', text: 'kind: List\nitems:\n- 5\n', line: 3, message: /a number, not an object/ },
    { name: 'no kind', text: 'kind: Pod\n---\nmetadata: {}\n', line: 3, message: /no kind.*Write apiVersion/ },
    {
      name: 'items that are not a list',
      text: 'kind: List\nitems: 5\n',
      line: 1,
      message: /a number.*list of objects/,
    },
    { name: 'a cycle of anchors', text: 'kind: Pod\na: &a\n  b: *a\n', line: 3, message: /&a contains itself/ },
    {
      name: 'an anchor that is not there',
      text: 'kind: Pod\na: *nowhere\n',
      line: 2,
      message: /&nowhere.*before its use/,
    },
    { name: 'a bomb of anchors', text: bomb.join('\n'), line: 19, message: /more than 10 times its size.*aliases/ },
    { name: 'deep nesting', text: deep, line: 2, message: /nested/ },
    {
      name: 'deep JSON',
      text: `{"kind":"Pod","a":${'['.repeat(5000)}${']'.repeat(5000)}}`,
      line: 1,
      message: /nested/,
    },
    {
      name: 'a broken line of JSON lines',
      text: '{"kind":"Pod"}\n{"kind":\n',
      line: 2,
      message: /one complete object per line/,
    },
    { name: 'broken JSON', text: '{\n "kind": "Pod",\n "a": ]}', line: 3, message: /./ },
  ])('$name is an error with its line and a remedy', ({ text, line, message }) => {
    const { errors } = readDocuments(text, 'dir/a.yaml');
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ file: 'dir/a.yaml', line });
    expect(errors[0]?.message).toMatch(message);
  });

  it('does not hide the other documents of the file', () => {
    const { documents, errors } = readDocuments('kind: Pod\n---\na: "\n---\nkind: Node\n', 'a.yaml');
    expect(errors).not.toEqual([]);
    expect(documents[0]?.object).toEqual({ kind: 'Pod' });
  });
});

describe('K1: the place of a field', () => {
  const yaml = [
    'kind: List',
    'items:',
    '- kind: NodePool',
    '  metadata:',
    '    annotations:',
    '      lull.dev/budgets: |',
    '        - nodes: x',
    '  spec:',
    '    budgets: [{nodes: 1},',
    '      {nodes: 2}]',
  ].join('\n');
  const json =
    '{"kind":"List",\n"items":[{"kind":"A"},\n{"kind":"NodePool",\n"q\\"uote":[1,"]}",{}],\n"spec":{"budgets":[{"nodes":1},\n{"nodes":2}]}}]}';

  it.each([
    { text: yaml, item: 0, path: 'spec.budgets[1].nodes', line: 10, column: 8 },
    { text: yaml, item: 0, path: 'spec.budgets[1].reasons', line: 10, column: 7 },
    { text: yaml, item: 0, path: 'spec.budgets', line: 9, column: 5 },
    { text: yaml, item: 0, path: 'metadata.annotations[lull.dev/budgets][0].nodes', line: 6, column: 7 },
    { text: yaml, item: 0, path: '', line: 3, column: 3 },
    { text: json, item: 1, path: 'spec.budgets[1].nodes', line: 6, column: 2 },
    { text: json, item: 1, path: 'spec.budgets[7]', line: 5, column: 9 },
    { text: json, item: 1, path: 'spec.nowhere', line: 5, column: 1 },
    { text: json, item: 1, path: '', line: 3, column: 1 },
    { text: '{"kind":"A"}\n{"kind":"B","x":1}\n', item: 1, path: 'x', line: 2, column: 13 },
  ])('$path is on line $line', ({ text, item, path, line, column }) => {
    expect(readDocuments(text, 'f').documents[item]?.position(path)).toEqual({ file: 'f', line, column });
  });

  it('looks through anchors', () => {
    const { documents } = readDocuments('kind: A\nbase: &b\n  x: 1\nuse: *b\n', 'f');
    expect(documents[0]?.position('use.x')).toEqual({ file: 'f', line: 3, column: 3 });
  });
});
