import { describe, expect, it } from 'vitest';
import { applyEdits, type Edit, type MoveEdit } from './applyEdits.ts';

const apply = (text: string, ...edits: (Edit | MoveEdit)[]) => applyEdits(text, [{ index: 0, edits }]);

interface Case {
  readonly name: string;
  readonly text: string;
  readonly edits: readonly (Edit | MoveEdit)[];
  readonly after: string;
}

const check = ({ text, edits, after }: Case) => expect(apply(text, ...edits)).toEqual({ text: after, errors: [] });

describe('Setting a field', () => {
  const cases: Case[] = [
    {
      name: 'keeps the comment and the space around it',
      text: 'kind: A\na:   1   # one\n',
      edits: [{ path: 'a', set: '2' }],
      after: 'kind: A\na:   "2"   # one\n',
    },
    {
      name: 'keeps the quotes',
      text: `kind: A\na: 'x'\nb: "x"\nc: ['x']\n`,
      edits: [
        { path: 'a', set: 'y' },
        { path: 'b', set: 'y' },
        { path: 'c[0]', set: 'y' },
      ],
      after: `kind: A\na: 'y'\nb: "y"\nc: ['y']\n`,
    },
    {
      name: 'adds it behind the last one, before what follows',
      text: 'kind: A\na:\n  b: 1 # one\n\n# next\nc: 1\n',
      edits: [{ path: 'a.d', set: 2 }],
      after: 'kind: A\na:\n  b: 1 # one\n  d: 2\n\n# next\nc: 1\n',
    },
    {
      name: 'makes the maps on the way, with the indentation of the text',
      text: 'kind: A\na:\n    b: 1\nc:\n',
      edits: [
        { path: 'a.x.v', set: ['z'] },
        { path: 'a.x.w', set: true },
        { path: 'c.d', set: 1 },
      ],
      after: 'kind: A\na:\n    b: 1\n    x:\n        v: [z]\n        w: true\nc:\n    d: 1\n',
    },
    {
      name: 'appends to a list as its items stand',
      text: 'kind: A\nlist:\n- a: 1\n# end\n',
      edits: [{ path: 'list[1]', set: { a: '2', b: [{ c: 1 }] } }],
      after: 'kind: A\nlist:\n- a: 1\n- a: "2"\n  b:\n  - c: 1\n# end\n',
    },
    {
      name: 'puts a list where a text stood, and a text where a list stood',
      text: 'kind: A\na: x # why\nb:\n  - 1 # one\n  - 2\nc: 1\n',
      edits: [
        { path: 'a', set: [{ b: 1 }] },
        { path: 'b', set: 'x' },
      ],
      after: 'kind: A\na: # why\n  - b: 1\nb: x\n# one\nc: 1\n',
    },
    {
      name: 'writes a text of several lines as a block',
      text: 'kind: A\na: {}\nb: |\n  old\n\nc: 1\n',
      edits: [{ path: 'b', set: '- x\n# y\n' }],
      after: 'kind: A\na: {}\nb: |\n  - x\n  # y\n\nc: 1\n',
    },
    {
      name: 'stays in the brackets',
      text: 'kind: A\na: {b: [1, 2], c: {}}\n',
      edits: [
        { path: 'a.b[2]', set: 'x, y' },
        { path: 'a.c.d', set: { e: null } },
      ],
      after: 'kind: A\na: {b: [1, 2, "x, y"], c: {d: {e: null}}}\n',
    },
    {
      name: 'keeps other line ends',
      text: 'kind: A\r\na: 1\r\n',
      edits: [{ path: 'b.c', set: 1 }],
      after: 'kind: A\r\na: 1\r\nb:\r\n  c: 1\r\n',
    },
    {
      name: 'adds a last line that ends as the file does',
      text: 'kind: A',
      edits: [{ path: 'a', set: 1 }],
      after: 'kind: A\na: 1',
    },
    {
      name: 'finds keys that hold dots',
      text: 'kind: A\nmetadata:\n  annotations:\n    lull.dev/budgets: "[]"\n',
      edits: [{ path: 'metadata.annotations[lull.dev/budgets]', set: '[{}]' }],
      after: 'kind: A\nmetadata:\n  annotations:\n    lull.dev/budgets: "[{}]"\n',
    },
  ];
  it.each(cases)('$name', check);
});

describe('Removing a field', () => {
  const cases: Case[] = [
    {
      name: 'leaves its comments',
      text: 'kind: A\n# above\na: 1 # beside\nb:\n  # in\n  c: 1\nd: 1\n',
      edits: [
        { path: 'a', remove: true },
        { path: 'b', remove: true },
      ],
      after: 'kind: A\n# above\n# beside\n# in\nd: 1\n',
    },
    {
      name: 'moves what follows up to the dash',
      text: 'kind: A\nlist:\n  - a: 1\n    b: 2\n  - a: 1 # one\n    b: 2\n',
      edits: [
        { path: 'list[0].a', remove: true },
        { path: 'list[1].a', remove: true },
      ],
      after: 'kind: A\nlist:\n  - b: 2\n  - # one\n    b: 2\n',
    },
    {
      name: 'leaves empty brackets where nothing is left',
      text: 'kind: A\na: # why\n  b: 1\nlist:\n- x\nc: [1]\n',
      edits: [
        { path: 'a.b', remove: true },
        { path: 'list[0]', remove: true },
        { path: 'c[0]', remove: true },
      ],
      after: 'kind: A\na: {} # why\nlist: []\nc: []\n',
    },
    {
      name: 'takes the comma along',
      text: 'kind: A\na: {b: 1, c: 2, d: 3}\nl: [1, 2, 3]\n',
      edits: [
        { path: 'a.b', remove: true },
        { path: 'a.d', remove: true },
        { path: 'l[1]', remove: true },
      ],
      after: 'kind: A\na: {c: 2}\nl: [1, 3]\n',
    },
  ];
  it.each(cases)('$name', check);
});

describe('Renaming and moving a field', () => {
  const cases: Case[] = [
    {
      name: 'changes the key alone, and the value too where both are asked',
      text: 'kind: A\n"a": 1 # one\nb: 1\n',
      edits: [
        { path: 'a', rename: 'x' },
        { path: 'b', rename: 'y.z/w' },
        { path: 'b', set: '1' },
      ],
      after: 'kind: A\n"x": 1 # one\ny.z/w: "1"\n',
    },
    {
      name: 'takes its comments along',
      text: 'kind: A\n# about a\na:   1   # one\nb:\n    c: 1\n',
      edits: [{ path: 'a', move: 'b.d.e' }],
      after: 'kind: A\nb:\n    c: 1\n    d:\n        # about a\n        e:   1   # one\n',
    },
    {
      name: 'takes items from list to list, and lets the rest go',
      text: 'kind: A\nx: # x\n  list:\n    # first\n    - a: 1\n      b: |\n        text\n    - c\nlist:\n- z\n',
      edits: [
        { path: 'x.list[0]', move: 'list[1]' },
        { path: 'x.list[1]', move: 'list[2]' },
        { path: 'x', remove: true },
      ],
      after: 'kind: A\n# x\nlist:\n- z\n# first\n- a: 1\n  b: |\n    text\n- c\n',
    },
    {
      name: 'says something else there',
      text: 'kind: A\na: 30 # seconds\n',
      edits: [{ path: 'a', move: 'b.c', as: '30s' }],
      after: 'kind: A\nb:\n  c: 30s # seconds\n',
    },
  ];
  it.each(cases)('$name', check);
});

describe('JSON', () => {
  const cases: Case[] = [
    {
      name: 'keeps its indentation',
      text: '{\n\t"kind": "A",\n\t"a": {},\n\t"b": [1]\n}\n',
      edits: [
        { path: 'a.x', set: { y: 1 } },
        { path: 'b[0]', remove: true },
        { path: 'b[1]', set: '2' },
      ],
      after: '{\n\t"kind": "A",\n\t"a": {\n\t\t"x": {\n\t\t\t"y": 1\n\t\t}\n\t},\n\t"b": ["2"]\n}\n',
    },
    {
      name: 'stays tight where it is',
      text: '{"kind":"A","a":1}\n{"kind":"B"}\n',
      edits: [
        { path: 'a', rename: 'b' },
        { path: 'c', set: [1] },
      ],
      after: '{"kind":"A","b":1,"c":[1]}\n{"kind":"B"}\n',
    },
  ];
  it.each(cases)('$name', check);
});

describe('An edit that cannot be made', () => {
  const text = 'kind: A\na: &x {b: 1}\nc: *x\nd: 1\n';

  it.each([
    { name: 'a field that is not there', edits: [{ path: 'q', remove: true }] as Edit[], says: 'has no q' },
    { name: 'a key that is there already', edits: [{ path: 'd', rename: 'a' }] as Edit[], says: 'duplicate key' },
    { name: 'below a number', edits: [{ path: 'd.e', set: 1 }] as Edit[], says: 'neither a map nor a list' },
    { name: 'nothing to set', edits: [{ path: 'd', set: undefined }] as Edit[], says: 'is undefined' },
    { name: 'what an anchor shares', edits: [{ path: 'a.b', set: 2 }] as Edit[], says: 'anchor' },
    { name: 'through an alias', edits: [{ path: 'c.b', set: 2 }] as Edit[], says: 'anchor' },
  ])('is an error: $name', ({ edits, says }) => {
    const edited = apply(text, ...edits);
    expect(edited.text).toBe(text);
    expect(edited.errors).toEqual([{ group: 0, index: 0, message: expect.stringContaining(says) }]);
  });

  it('takes its whole group with it, and no other', () => {
    const { text: after, errors } = applyEdits('kind: A\na: 1\n---\nkind: B\na: 1\n', [
      {
        index: 0,
        edits: [
          { path: 'a', set: 2 },
          { path: 'q', remove: true },
        ],
      },
      { index: 1, edits: [{ path: 'a', set: 2 }] },
      { index: 1, edits: [{ path: 'a', set: 3 }] },
      { index: 1, edits: [{ path: 'b', set: 3 }] },
      { index: 7, edits: [{ path: 'b', set: 3 }] },
    ]);
    expect(after).toBe('kind: A\na: 1\n---\nkind: B\na: 2\nb: 3\n');
    expect(errors.map(({ group }) => group)).toEqual([0, 2, 4]);
  });
});
