import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits, type Edit, type MoveEdit } from '../../src/kinds/edit/applyEdits.ts';
import { isSame, valueAt } from '../../src/kinds/edit/patch.ts';
import { readDocuments } from '../../src/kinds/text/documents.ts';
import { joinPath, splitPath } from '../../src/kinds/text/path.ts';
import { hand, lostComments, render, type Written } from './render.ts';

const numRuns = Number(process.env.LULL_RUNS ?? 500);

const key = fc.constantFrom('a', 'b', 'spec', 'nodes', 'karpenter.sh/x', 'on', 'long-key');
const scalar = fc.oneof(
  fc.constantFrom(
    'x',
    '10%',
    'true',
    '* * * * *',
    'a, b',
    'with # hash',
    ' lead',
    '',
    'two\nlines\n',
    '- dash',
    'k: v',
    "it's",
    '"q"',
  ),
  fc.integer({ min: -5, max: 100 }),
  fc.boolean(),
  fc.constant(null),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
}));
const object = fc.dictionary(key, value, { maxKeys: 4 }).map((fields) => ({ kind: 'A', ...fields, z: { list: [1] } }));

function pathsIn(at: unknown, path = ''): string[] {
  if (typeof at !== 'object' || at === null) return [];
  return Object.entries(at).flatMap(([name, below]) => {
    const here = joinPath(path, Array.isArray(at) ? Number(name) : name);
    return here === 'kind' ? [] : [here, ...pathsIn(below, here)];
  });
}

const wish = fc.record({ what: fc.nat(4), at: fc.nat(999), name: key, value });
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never;

function editOf({ what, at, name, value: fresh }: Wish, paths: readonly string[]): Edit | MoveEdit {
  const path = paths[at % paths.length] ?? '';
  if (what === 0) return { path, set: fresh };
  if (what === 1) return { path: joinPath(path, name), set: fresh };
  if (what === 2) return { path, remove: true };
  if (what === 3) return { path, rename: `${name}2` };
  return { path, move: `moved.${name}` };
}

type Property = (written: Written, objects: readonly unknown[], wishes: readonly Wish[]) => void;

/** Two documents; the second one is edited. */
const forAll = (property: Property): void =>
  fc.assert(
    fc.property(
      fc.tuple(object, object),
      hand,
      fc.array(wish, { minLength: 1, maxLength: 3 }),
      (objects, by, wishes) => {
        const written = render(objects, by);
        fc.pre(
          isSame(
            readDocuments(written.text, '').documents.map((document) => document.object),
            objects,
          ),
        );
        property(written, objects, wishes);
      },
    ),
    { numRuns, seed: 4 },
  );

describe('Editing any text', () => {
  it('without edits returns the text itself', () => {
    forAll(({ text }) => {
      expect(applyEdits(text, [])).toEqual({ text, errors: [] });
      expect(applyEdits(text, [{ index: 0, edits: [] }])).toEqual({ text, errors: [] });
    });
  });

  it('yields the value that was set', () => {
    forAll(({ text }, objects, [first]) => {
      const path = pathsIn(objects[1])[first?.at ?? 0] ?? 'z.list';
      const { text: after, errors } = applyEdits(text, [{ index: 1, edits: [{ path, set: first?.value }] }]);
      expect(errors).toEqual([]);
      const [before, edited] = readDocuments(after, '').documents;
      expect(valueAt(edited?.object, splitPath(path))).toEqual(first?.value);
      expect(before?.object).toEqual(objects[0]);
      const untouched = text.includes('---') ? text.indexOf('---') : text.indexOf('\n');
      expect(after.startsWith(text.slice(0, untouched))).toBe(true);
    });
  });

  it('always succeeds if no anchor is in the way', () => {
    forAll(({ text }, objects, wishes) => {
      const edits = wishes.map((each) => editOf(each, pathsIn(objects[1])));
      const { errors } = applyEdits(text, [{ index: 1, edits }]);
      expect(errors.filter(({ message }) => message.includes('anchor'))).toEqual([]);
    });
  });

  it('keeps every comment, unless a new value takes its place', () => {
    forAll((written, objects, wishes) => {
      const edits = wishes.map((each) => editOf(each, pathsIn(objects[1]))).filter((edit) => !('set' in edit));
      const { text } = applyEdits(written.text, [{ index: 1, edits }]);
      expect(lostComments(written.text, text, written)).toEqual([]);
    });
  });

  it('never throws, whatever the text and the path', () => {
    const piece = fc.constantFrom(
      'kind: A',
      '- ',
      '  ',
      '\n',
      '{',
      '}',
      '[',
      ']',
      '&a',
      '*a',
      '"',
      ': ',
      '#',
      '|\n',
      '---\n',
      '\t',
      '<<: *a',
      '? ',
      ',',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.string(), value, (pieces, path, fresh) => {
        const text = `kind: A\na: 1\n${pieces.join('')}`;
        const { errors, text: after } = applyEdits(text, [{ index: 0, edits: [{ path, set: fresh }] }]);
        if (errors.length > 0) expect(after).toBe(text);
      }),
      { numRuns, seed: 4 },
    );
  });
});
