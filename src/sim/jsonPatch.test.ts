// JSON Patch.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatch, type RawPatchOperation } from './jsonPatch.ts';
import type { Json } from './kubeObject.ts';

const failed = Symbol('failed');
const apply = (document: unknown, ...patch: RawPatchOperation[]): unknown => {
  const patched = applyPatch(document, patch);
  return patched.ok ? patched.value : failed;
};

describe('RFC 6902, appendix A', () => {
  it.each<[string, unknown, RawPatchOperation[], unknown]>([
    ['A.1 adds a member', { foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { baz: 'qux', foo: 'bar' }],
    ['A.2 adds an item', { foo: [1, 3] }, [{ op: 'add', path: '/foo/1', value: 2 }], { foo: [1, 2, 3] }],
    ['A.3 removes a member', { baz: 1, foo: 2 }, [{ op: 'remove', path: '/baz' }], { foo: 2 }],
    ['A.4 removes an item', { foo: [1, 2, 3] }, [{ op: 'remove', path: '/foo/1' }], { foo: [1, 3] }],
    ['A.5 replaces a value', { baz: 1 }, [{ op: 'replace', path: '/baz', value: 'boo' }], { baz: 'boo' }],
    [
      'A.6 moves a value',
      { foo: { waldo: 1 }, qux: {} },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: {}, qux: { thud: 1 } },
    ],
    ['A.7 moves an item', { foo: [1, 2, 3] }, [{ op: 'move', from: '/foo/0', path: '/foo/2' }], { foo: [2, 3, 1] }],
    [
      'A.8 tests a value',
      { baz: 'qux', foo: ['a', 2] },
      [
        { op: 'test', path: '/baz', value: 'qux' },
        { op: 'test', path: '/foo/1', value: 2 },
      ],
      { baz: 'qux', foo: ['a', 2] },
    ],
    ['A.9 fails a test', { baz: 'qux' }, [{ op: 'test', path: '/baz', value: 'bar' }], failed],
    ['A.10 adds a nested member', {}, [{ op: 'add', path: '/child', value: { a: {} } }], { child: { a: {} } }],
    ['A.12 does not add to what is not there', {}, [{ op: 'add', path: '/baz/bat', value: 1 }], failed],
    ['A.14 reads ~0 and ~1', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
    ['A.15 does not take a text for a number', { a: 10 }, [{ op: 'test', path: '/a', value: '10' }], failed],
    ['A.16 adds at the end', { foo: ['a'] }, [{ op: 'add', path: '/foo/-', value: ['b'] }], { foo: ['a', ['b']] }],
    ['copies', { a: [1] }, [{ op: 'copy', from: '/a', path: '/b' }], { a: [1], b: [1] }],
    ['takes the whole document', { a: 1 }, [{ op: 'replace', path: '', value: 2 }], 2],
  ])('%s', (_name, document, patch, wanted) => {
    expect(apply(document, ...patch)).toEqual(wanted);
  });
});

describe('what cannot be done', () => {
  it.each<[string, unknown, RawPatchOperation]>([
    ['removing what is not there', {}, { op: 'remove', path: '/a' }],
    ['replacing what is not there', {}, { op: 'replace', path: '/a', value: 1 }],
    ['an index beyond the end', { a: [1] }, { op: 'add', path: '/a/2', value: 1 }],
    ['a replaced item beyond the end', { a: [1] }, { op: 'replace', path: '/a/1', value: 1 }],
    ['an index with a leading zero', { a: [1, 2] }, { op: 'remove', path: '/a/01' }],
    ['- as an item that is there', { a: [1] }, { op: 'remove', path: '/a/-' }],
    ['a field of a text', { a: 'x' }, { op: 'add', path: '/a/length', value: 1 }],
    ['a path without a slash', { a: 1 }, { op: 'remove', path: 'a' }],
    ['moving into itself', { a: { b: 1 } }, { op: 'move', from: '/a', path: '/a/b' }],
    ['copying from nowhere', { a: 1 }, { op: 'copy', from: '/x', path: '/a' }],
    ['a test in what is not there', {}, { op: 'test', path: '/a/b', value: null }],
    ['what every object inherits', {}, { op: 'test', path: '/constructor/name', value: 'Object' }],
    ['an operation of the future', {}, { op: 'merge' as 'add', path: '/a', value: 1 }],
  ])('%s', (_name, document, operation) => {
    const patched = applyPatch(document, [{ op: 'test', path: '', value: document }, operation]);
    expect(patched).toEqual({ ok: false, message: expect.stringMatching(/\S/) });
  });

  it('leaves nothing behind of a patch that fails at its end', () => {
    const document = { a: [1], b: { c: 1 } };
    const patch: RawPatchOperation[] = [
      { op: 'add', path: '/a/-', value: 2 },
      { op: 'remove', path: '/b/c' },
      { op: 'test', path: '/a', value: [1] },
    ];
    expect(applyPatch(document, patch).ok).toBe(false);
    expect(document).toEqual({ a: [1], b: { c: 1 } });
  });
});

describe('absence, as the API server tests it', () => {
  it('is null where only the last field is missing', () => {
    expect(apply({ spec: {} }, { op: 'test', path: '/spec/taints', value: null })).toEqual({ spec: {} });
    expect(apply({ spec: [] }, { op: 'test', path: '/spec/0', value: null })).toBe(failed);
    expect(apply({ spec: { taints: [] } }, { op: 'test', path: '/spec/taints', value: null })).toBe(failed);
  });
});

// A plain model that changes a copy in place.
function naive(document: unknown, patch: readonly RawPatchOperation[]): unknown {
  const box = { root: structuredClone(document) };
  for (const { op, path, value } of patch) {
    const tokens = `/root${path}`
      .slice(1)
      .split('/')
      .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = tokens.pop() as string;
    let inside: unknown = box;
    for (const token of tokens) {
      if (typeof inside !== 'object' || inside === null || !Object.hasOwn(inside, token)) return failed;
      inside = (inside as Record<string, unknown>)[token];
    }
    if (typeof inside !== 'object' || inside === null) return failed;
    const there = Object.hasOwn(inside, last) && !(Array.isArray(inside) && !/^\d+$/.test(last));
    if (Array.isArray(inside)) {
      const index = last === '-' && op === 'add' ? inside.length : Number(last);
      if (op === 'test') {
        if (!there || JSON.stringify(inside[index]) !== JSON.stringify(value)) return failed;
      } else if (op === 'add') {
        if (!/^(-|0|[1-9]\d*)$/.test(last) || index > inside.length) return failed;
        inside.splice(index, 0, value);
      } else if (!there) return failed;
      else if (op === 'remove') inside.splice(index, 1);
      else inside[index] = value;
      continue;
    }
    const map = inside as Record<string, unknown>;
    if (op === 'test') {
      if (JSON.stringify(there ? map[last] : null) !== JSON.stringify(value)) return failed;
    } else if (op !== 'add' && !there) return failed;
    else if (op === 'remove') delete map[last];
    else map[last] = value;
  }
  return box.root;
}

const freeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
};

describe('any patch of any document', () => {
  const key = fc.constantFrom('a', 'b', 'c/d', 'e~f', '0', '1', '-');
  const scalar = fc.constantFrom<unknown>(null, 0, 1, 'x', true);
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  // Rich enough that most patches find something to change.
  const document = fc.record({
    a: fc.dictionary(key, value, { minKeys: 2, maxKeys: 5, noNullPrototype: true }),
    b: fc.array(value, { minLength: 1, maxLength: 4 }),
    'c/d': value,
  });
  const path = fc
    .tuple(fc.constantFrom('a', 'b', 'c/d', 'e~f'), fc.array(key, { maxLength: 2 }))
    .map(([first, rest]) => [first, ...rest])
    .map((keys) => keys.map((each) => `/${each.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''));
  const operation = fc.record({
    op: fc.constantFrom<RawPatchOperation['op'][]>('add', 'remove', 'replace', 'test'),
    path,
    value,
  });

  it('comes out as in the plain model, and touches nothing of the document', () => {
    let succeeded = 0;
    fc.assert(
      fc.property(document, fc.array(operation, { minLength: 1, maxLength: 3 }), (given, patch) => {
        freeze(given);
        const mine = apply(given, ...patch);
        if (mine !== failed) succeeded++;
        expect(mine).toEqual(naive(given, patch));
      }),
      { seed: 4, numRuns: 15_000 },
    );
    expect(succeeded).toBeGreaterThan(1500);
  });

  it('shares what it does not touch', () => {
    const document = { metadata: { labels: { a: '1' } }, spec: { taints: [{ key: 'x' }, { key: 'y' }] } };
    const patched = apply(document, { op: 'remove', path: '/spec/taints/0' }) as Json & typeof document;
    expect(patched.metadata).toBe(document.metadata);
    expect(patched.spec.taints[0]).toBe(document.spec.taints[1]);
  });

  it('finds any key by its escaped name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const at = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const added = apply({ other: 1 }, { op: 'add', path: at, value: 'v' }) as Json;
        expect(Object.hasOwn(added, name)).toBe(true);
        expect(apply(added, { op: 'test', path: at, value: 'v' })).toBe(added);
        if (name !== 'other') expect(apply(added, { op: 'remove', path: at })).toEqual({ other: 1 });
      }),
      { seed: 4, numRuns: 1000, examples: [['__proto__'], ['constructor'], [''], ['~1'], ['lull.dev/command']] },
    );
  });
});
