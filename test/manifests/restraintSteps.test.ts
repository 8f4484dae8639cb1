// N12: no sequence of steps that the policies allow loses what a user or Karpenter wrote, even if an attacker with the token combines them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { restraintsFor } from '../../src/cli/install/manifests/manifests.ts';
import { type Duty, kept, keptBefore, marker, noon, type Plain } from './restraint/case.ts';
import { judge } from './restraint/judge.ts';

const [hash, hashBefore, theirs] = [
  'karpenter.sh/nodepool-hash',
  'lull.dev/nodepool-hash-before',
  'example.com/a',
] as const;
const keys = [kept, marker, keptBefore, hash, hashBefore, theirs] as const;

type Texts = Readonly<Partial<Record<string, string>>>;

/** A user's annotations about disruption, wherever they are kept at the moment. */
const userWord = (it: Texts): string | undefined =>
  it[kept] === 'true' && it[marker] !== undefined ? it[keptBefore] : it[kept];

const karpenterHash = (it: Texts): string | undefined =>
  it[hash]?.startsWith('lull-') && it[hashBefore] !== undefined ? it[hashBefore] : it[hash];

const wordsOf = (it: Texts): readonly unknown[] => [userWord(it), karpenterHash(it), it[theirs]];

interface Change {
  readonly key: string;
  /** A text, none, or the value of another key. */
  readonly to: string | { readonly key: string } | undefined;
}

const moves: Readonly<Record<string, readonly Change[]>> = {
  park: [
    { key: kept, to: 'true' },
    { key: marker, to: noon },
    { key: keptBefore, to: { key: kept } },
  ],
  unpark: [
    { key: kept, to: { key: keptBefore } },
    { key: marker, to: undefined },
    { key: keptBefore, to: undefined },
  ],
  nudge: [
    { key: hash, to: 'lull-x' },
    { key: hashBefore, to: { key: hash } },
  ],
  unnudge: [
    { key: hash, to: { key: hashBefore } },
    { key: hashBefore, to: undefined },
  ],
};

const change: fc.Arbitrary<Change> = fc.record({
  key: fc.constantFrom(...keys),
  to: fc.oneof(
    fc.constantFrom('true', '2h', noon, 'lull-x', undefined),
    fc.constantFrom(...keys).map((key) => ({ key })),
  ),
});

/** One of Lull's own changes, with parts left out and others added; or anything. */
const step: fc.Arbitrary<readonly Change[]> = fc.oneof(
  fc.constantFrom(...Object.values(moves)),
  fc
    .tuple(fc.constantFrom(...Object.values(moves)), fc.nat(3), fc.array(change, { maxLength: 2 }))
    .map(([move, out, more]) => [...move.filter((_, index) => index !== out), ...more]),
  fc.array(change, { minLength: 1, maxLength: 2 }),
);

const applied = (texts: Texts, changes: readonly Change[]): Texts => {
  const next: Record<string, string | undefined> = { ...texts };
  for (const { key, to } of changes) next[key] = typeof to === 'object' ? texts[to.key] : to;
  return Object.fromEntries(Object.entries(next).filter(([, text]) => text !== undefined));
};

const objectWith = (annotations: Texts): Plain => ({ metadata: { name: 'a', annotations }, spec: {} });

const begins: Readonly<Record<string, Texts>> = {
  'that a user wrote a duration on': { [kept]: '2h', [hash]: '123', [theirs]: 'x' },
  'that a user opted out': { [kept]: 'true', [hash]: '123' },
  'without user annotations': { [hash]: '123' },
  'that is parked over a duration, and nudged': {
    [kept]: 'true',
    [marker]: noon,
    [keptBefore]: '5h',
    [hash]: 'lull-y',
    [hashBefore]: '123',
  },
};

const duties: readonly Duty[] = ['guide', 'drive', 'release'];

describe.each(duties)('N12: after any steps in %s', (duty) => {
  const role = duty === 'release' ? 'guide' : duty;
  const policies = restraintsFor({ role, namespace: 'lull-system', settings: '', version: '1' });
  const user = `system:serviceaccount:lull-system:${duty === 'release' ? 'lull-release' : 'lull'}`;
  const isAllowed = (resource: string, was: Texts, is: Texts): boolean => {
    const asked = { user, operation: 'UPDATE', resource, object: objectWith(is), oldObject: objectWith(was) };
    return judge(policies, asked, []).length === 0;
  };

  it.each(['nodes', 'pods', 'nodeclaims'])('%s keep the annotations of users', (resource) => {
    let allowed = 0;
    for (const begin of Object.values(begins)) {
      fc.assert(
        fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
          let texts = begin;
          for (const changes of steps) {
            const next = applied(texts, changes);
            if (JSON.stringify(next) === JSON.stringify(texts) || !isAllowed(resource, texts, next)) continue;
            allowed++;
            expect(wordsOf(next)).toEqual(wordsOf(texts));
            texts = next;
          }
        }),
        { numRuns: 12, seed: 15 },
      );
    }
    // Otherwise nothing would have been tested.
    expect(allowed).toBeGreaterThan(5);
  });
});
