// Files that a careless or hostile person might pass, and the error each unreadable one must produce.
import { gzipSync } from 'node:zlib';
import { lines, many, pod } from './objects.ts';
import type { Saying } from './says.ts';

export interface HostileFile {
  readonly name: string;
  readonly content: string | Uint8Array;
}

const million = 1_000_000;
const tooDeep = /Flatten it\.$/;

/** `a: &a [x]`, and each level twice the one before. */
const laughs = (levels: number): string =>
  ['kind: Pod', 'l0: &l0 [lol]', ...many(levels, (i) => `l${i + 1}: &l${i + 1} [*l${i}, *l${i}]`)].join('\n');

const named = (name: string): string => `apiVersion: v1\nkind: Node\nmetadata:\n  name: ${name}\n`;

export const unreadable: readonly (HostileFile & { readonly says: Saying })[] = [
  // Nesting.
  {
    name: '100,000 lists within lists',
    content: `kind: Pod\na: ${'['.repeat(1e5)}${']'.repeat(1e5)}`,
    says: { line: 2, message: tooDeep },
  },
  {
    name: '100,000 maps within maps',
    content: `kind: Pod\na: ${'{a: '.repeat(1e5)}${'}'.repeat(1e5)}`,
    says: { line: 2, message: tooDeep },
  },
  { name: '100,000 dashes', content: `kind: Pod\na:\n ${'- '.repeat(1e5)}x`, says: { line: 3, message: tooDeep } },
  { name: '100,000 question marks', content: `${'? '.repeat(1e5)}x`, says: { line: 1, message: tooDeep } },
  {
    name: '201 levels',
    content: `kind: Pod\na: ${'['.repeat(201)}${']'.repeat(201)}`,
    says: { line: 2, message: /more than 200 levels/ },
  },
  {
    name: '100,000 lists of JSON',
    content: `{"kind":"Pod","a":${'['.repeat(1e5)}${']'.repeat(1e5)}}`,
    says: { line: 1, message: tooDeep },
  },
  {
    name: '100,000 maps of JSON',
    content: `{"kind":"Pod","a":${'{"a":'.repeat(1e5)}1${'}'.repeat(1e5)}}`,
    says: { line: 1, message: tooDeep },
  },
  {
    name: '100,000 lists of JSON, left open',
    content: `{"kind":"Pod","a":${'['.repeat(1e5)}`,
    says: { line: 1, message: /not valid JSON.*complete/ },
  },

  // Anchors.
  {
    name: 'a billion laughs',
    content: laughs(30),
    says: { line: 19, message: /more than 10 times its size.*aliases/ },
  },
  {
    name: 'a long text used 10,000 times',
    content: `a: &a ${'x'.repeat(1e5)}\nkind: Pod\nb:\n${'- *a\n'.repeat(1e4)}`,
    says: { message: /more than 10 times its size/ },
  },
  {
    name: 'nested merges',
    content: ['kind: Pod', 'm0: &m0 {x: lol}', ...many(40, (i) => `m${i + 1}: &m${i + 1} {<<: [*m${i}, *m${i}]}`)].join(
      '\n',
    ),
    says: { message: /more than 10 times its size/ },
  },
  {
    name: 'an anchor that contains itself',
    content: 'kind: Pod\na: &a\n  b: [*a]\n',
    says: { line: 3, message: /&a contains itself/ },
  },
  {
    name: 'two anchors that contain each other',
    content: 'kind: Pod\na: &a\n  b: &b [*a, *b]\n',
    says: { line: 3, message: /&a contains itself/ },
  },
  {
    name: 'a merge of itself',
    content: 'kind: Pod\na: &a\n  <<: *a\n',
    says: { line: 3, message: /&a contains itself/ },
  },
  {
    name: 'a merge of a number',
    content: 'kind: Pod\na:\n  <<: 5\n',
    says: { line: 3, message: /<< is not a map\. Write a map/ },
  },
  {
    name: 'a merge of a list of numbers',
    content: 'kind: Pod\na:\n  <<: [{}, 5]\n',
    says: { line: 3, message: /<< is not a map/ },
  },
  {
    name: 'an alias to another document',
    content: 'a: &a 1\nkind: Pod\n---\nkind: Pod\nb: *a\n',
    says: { line: 5, message: /no anchor &a/ },
  },
  {
    name: 'depth through anchors',
    content: `kind: Pod\na: &a ${'['.repeat(150)}${']'.repeat(150)}\nb: ${'['.repeat(150)}*a${']'.repeat(150)}`,
    says: { line: 3, message: /more than 200 levels/ },
  },
  {
    name: 'a map as a key',
    content: 'kind: Pod\n? {a: b}\n: c\n',
    says: { line: 2, message: /used as a key/ },
  },

  // Duplicate keys: JSON.parse would silently keep the last.
  {
    name: 'a key twice in YAML',
    content: 'kind: Pod\nspec:\n  a: 1\n  b: 2\n  a: 3\n',
    says: { line: 5, message: /Duplicate key "a".*Remove one/ },
  },
  {
    name: 'a key twice in braces',
    content: 'kind: Pod\nspec: {a: 1,\n  a: 2}\n',
    says: { line: 3, message: /Duplicate key "a"/ },
  },
  {
    name: '1 and "1" as keys',
    content: 'kind: Pod\nspec:\n  1: a\n  "1": b\n',
    says: { line: 4, message: /Duplicate key "1"/ },
  },
  {
    name: 'a key twice in JSON',
    content: '{"kind":"Pod",\n"spec":{"a":1,\n"b":{"a":1},\n"a":2}}',
    says: { line: 4, message: /Duplicate key "a".*Remove one/ },
  },
  {
    name: 'a key twice in JSON, once escaped',
    content: '{"kind":"Pod","spec":{"a":1,\n"\\u0061":2}}',
    says: { line: 2, message: /Duplicate key "a"/ },
  },
  {
    name: '__proto__ twice in JSON',
    content: '{"kind":"Pod","__proto__":1,\n"__proto__":2}',
    says: { line: 2, message: /Duplicate key "__proto__"/ },
  },
  {
    name: 'a key twice on a line of JSON lines',
    content: '{"kind":"Pod"}\n{"kind":"Pod","kind":"Node"}\n',
    says: { line: 2, message: /Duplicate key "kind"/ },
  },

  // Size.
  {
    name: 'a million entries of YAML',
    content: `kind: Pod\na: [${'1,'.repeat(million)}]`,
    says: { line: 1, message: /too large.*Use JSON/ },
  },
  {
    name: 'a million lines of YAML in one object',
    content: `kind: Pod\na:\n${'- 1\n'.repeat(million)}`,
    says: { line: 1, message: /too large.*Use JSON/ },
  },
  {
    name: 'a million numbers in JSON',
    content: `[${'1,'.repeat(million)}1]`,
    says: { line: 1, message: /a number, not an object/ },
  },
  {
    name: '100,000 broken documents',
    content: '---\na: "\n'.repeat(1e5),
    says: { message: /There are more errors here/ },
  },
  {
    name: '100,000 broken lines',
    content: `{"kind":"Pod"}\n${'{\n'.repeat(1e5)}`,
    says: { line: 2, message: /one complete object per line/ },
  },
  {
    name: '50 MB of JSON, cut off',
    content: `{"kind":"List","items":[${'{"kind":"Pod","metadata":{"name":"x"}},\n'.repeat(1.25e6)}`,
    says: { line: 1_250_001, message: /not valid JSON.*complete/ },
  },
  {
    name: 'a typo in the middle of long JSON',
    content: `[${'{"kind":"Pod"},\n'.repeat(1e4)}{"kind" "Pod"},\n${'{"kind":"Pod"},\n'.repeat(1e4)}{}]`,
    says: { line: 10_001, message: /not valid JSON/ },
  },
  {
    name: '10 MB of brackets',
    content: '[]'.repeat(5 * million),
    says: { line: 1, message: /too large/ },
  },
  { name: '10 MB of quotes', content: '"'.repeat(10 * million), says: { line: 1, message: /./ } },
  { name: '10 MB of percent signs', content: '%'.repeat(10 * million), says: { line: 1, message: /directives/ } },
  {
    name: '10 MB of stars',
    content: `kind: Pod\na: ${'*'.repeat(10 * million)}`,
    says: { line: 2, message: /no anchor/ },
  },
  {
    name: '100,000 spaced stars',
    content: `kind: Pod\na: ${'* '.repeat(1e5)}`,
    says: { line: 2, message: /Alias/ },
  },

  // Bytes.
  { name: 'invalid UTF-8', content: Buffer.from([0x6b, 0x3a, 0xff, 0xfe, 0x80]), says: { message: /Not valid UTF-8/ } },
  {
    name: 'half a surrogate in bytes',
    content: Buffer.from([0xed, 0xa0, 0x80]),
    says: { message: /Not valid UTF-8/ },
  },
  {
    name: 'a gzip file that unpacks to 600 MB',
    content: gzipSync(Buffer.alloc(6e8, 'a')),
    says: { message: /Too large to read at once/ },
  },
  {
    name: 'a gzip file in a gzip file',
    content: gzipSync(gzipSync('kind: Pod')),
    says: { message: /Not valid UTF-8/ },
  },
  {
    name: 'half a gzip file',
    content: gzipSync('kind: Pod').subarray(0, 15),
    says: { message: /is truncated|Not a valid gzip file/ },
  },
  { name: 'nothing but zeros', content: Buffer.alloc(million), says: { message: /./ } },
];

/** Valid files that only look dangerous. */
export const readable: readonly HostileFile[] = [
  {
    name: '10 MB on one line of YAML',
    content: `{kind: Node, metadata: {name: node, annotations: {a: "${'x'.repeat(1e7)}"}}}`,
  },
  {
    name: '10 MB on one line of JSON',
    content: `{"kind":"Node","metadata":{"name":"n","annotations":{"a":"${'x'.repeat(1e7)}"}}}`,
  },
  {
    name: '10 MB of escapes in JSON',
    content: `{"kind":"Node","metadata":{"name":"n","annotations":{"a":"${'\\"'.repeat(5e6)}"}}}`,
  },
  { name: '200 levels', content: `${named('node')}a: ${'['.repeat(200)}${']'.repeat(200)}` },
  { name: 'merges', content: `base: &b {labels: {a: b}}\n${named('node')}  <<: *b\n` },
  {
    name: '10,000 anchors',
    content: `${named('node')}a:\n${many(1e4, (i) => `- &a${i} x\n- *a${i}\n`).join('')}`,
  },
  {
    name: 'a million entries of JSON',
    content: `{"kind":"Node","metadata":{"name":"n"},"a":[${'1,'.repeat(million)}1]}`,
  },
  { name: 'a million empty documents', content: `${named('node')}${'---\n'.repeat(million)}` },
  {
    name: 'YAML tags that kubectl does not know',
    content: `${named('node')}a: !!set {x, y}\nb: !!binary aGVsbG8=\nc: !!omap [x: 1]\nd: !mine 5\n`,
  },
  { name: '100,000 fields', content: `${named('node')}a:\n${many(1e5, (i) => `  k${i}: v\n`).join('')}` },
  { name: 'a byte order mark and Windows line endings', content: `\ufeff${named('node').replaceAll('\n', '\r\n')}` },
  { name: 'zeros in a name', content: lines({ ...pod(), kind: 'Node', metadata: { name: 'a\u0000b' } }) },
];
