import { beforeEach, describe, expect, it } from 'vitest';
import { emptyLedger } from '../cluster/ledger.ts';
import { writeLedger } from '../kinds/disruptionLedger.ts';
import { Mirror } from './mirror.ts';
import type { RawMeta, RawObject } from './rawObject.ts';

interface Parts {
  readonly uid?: string;
  readonly labels?: Record<string, string>;
  readonly metadata?: Partial<RawMeta>;
}

const claim = (version: number, { uid = 'u1', labels = {}, metadata = {} }: Parts = {}): RawObject => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name: 'c1', uid, resourceVersion: String(version), labels, ...metadata },
});
const labelled = (version: number, value: string, uid = 'u1') => claim(version, { uid, labels: { value } });
const deleting = (version: number, finalizers: readonly string[] = []) =>
  claim(version, {
    metadata: { deletionTimestamp: '2026-03-10T12:00:00Z', deletionGracePeriodSeconds: 0, finalizers },
  });

let mirror: Mirror;
beforeEach(() => {
  mirror = new Mirror();
});

const seen = () => mirror.look().cluster.claim('c1')?.labels.value;
const isThere = () => mirror.look().cluster.claim('c1') !== undefined;

describe('G2: an answer and the watch, whichever comes first', () => {
  it('the answer first: its echo is no news, and what is older does not undo it', () => {
    mirror.watched(labelled(1, 'a'), false);
    mirror.answered(labelled(5, 'mine'));
    expect(mirror.watched(labelled(3, 'before'), false)).toBe(false);
    expect(seen()).toBe('mine');
    expect(mirror.watched(labelled(5, 'mine'), false)).toBe(false);
    expect(mirror.watched(labelled(6, 'theirs'), false)).toBe(true);
    expect(seen()).toBe('theirs');
  });

  it('the watch first, with what came after: the answer does not lead back', () => {
    mirror.watched(labelled(5, 'mine'), false);
    mirror.watched(labelled(6, 'theirs'), false);
    mirror.progress('NodeClaim', 6);
    mirror.answered(labelled(5, 'mine'));
    expect(seen()).toBe('theirs');
  });

  it('the watch first, with its deletion: the answer does not bring it back to life', () => {
    mirror.watched(labelled(1, 'a'), false);
    mirror.watched(labelled(5, 'mine'), false);
    mirror.watched(labelled(7, 'mine'), true);
    mirror.progress('NodeClaim', 7);
    mirror.answered(labelled(5, 'mine'));
    expect(isThere()).toBe(false);
  });
});

describe('G2: what was deleted by ourselves', () => {
  beforeEach(() => {
    mirror.watched(labelled(1, 'a'), false);
    mirror.removed('NodeClaim', 'c1', 'u1');
  });

  it('is gone at once, and stays so whatever the watch still tells of its life', () => {
    expect(isThere()).toBe(false);
    expect(mirror.watched(labelled(2, 'b'), false)).toBe(false);
    expect(mirror.watched(labelled(3, 'b'), true)).toBe(false);
    expect(isThere()).toBe(false);
  });

  it('may come again by the same name', () => {
    mirror.watched(labelled(3, 'a'), true);
    expect(mirror.watched(labelled(4, 'new', 'u2'), false)).toBe(true);
    expect(seen()).toBe('new');
  });

  it('may come again before its deletion was told', () => {
    mirror.answered(labelled(4, 'new', 'u2'));
    expect(mirror.watched(labelled(3, 'a'), true)).toBe(false);
    expect(seen()).toBe('new');
  });

  it('is not taken for another of its name', () => {
    mirror.watched(labelled(4, 'new', 'u2'), false);
    mirror.removed('NodeClaim', 'c1', 'u1');
    expect(seen()).toBe('new');
  });

  it('is in no list that comes later, and in one that is older does not count', () => {
    mirror.watched(labelled(1, 'a'), false);
    mirror.keepOnly('NodeClaim', new Set(['c1']), 2);
    expect(isThere()).toBe(false);
    mirror.keepOnly('NodeClaim', new Set(), 9);
    // Whoever has the same uid now is told by a new history.
    expect(mirror.watched(labelled(12, 'b'), false)).toBe(true);
  });
});

describe('an answer that shows an object which goes', () => {
  it.each([
    { name: 'with a finalizer is there', object: deleting(5, ['example.com/hold']), there: true },
    { name: 'without one is gone', object: deleting(5), there: false },
    { name: 'without one, in the version that is known, is gone', object: deleting(1), there: false },
  ])('$name', ({ object, there }) => {
    mirror.watched(claim(1), false);
    mirror.progress('NodeClaim', 4);
    mirror.answered(object);
    expect(isThere()).toBe(there);
  });
});

describe('a whole list', () => {
  it('takes away what is not in it, but not what we made since', () => {
    mirror.watched(labelled(1, 'a'), false);
    mirror.answered(claim(9, { metadata: { name: 'c2', uid: 'u2' } }));
    mirror.keepOnly('NodeClaim', new Set(), 8);
    expect([...mirror.look().cluster.claims].map(({ name }) => name)).toEqual(['c2']);
    expect(mirror.seen(['NodeClaim', 'Node'])).toEqual({ NodeClaim: '8', Node: '0' });
  });
});

describe('K5: news', () => {
  it.each([
    { name: 'is what was not known', object: claim(2, { metadata: { name: 'c2', uid: 'u2' } }), news: true },
    { name: 'is what Lull reads otherwise', object: labelled(2, 'b'), news: true },
    { name: 'is another of the same name, though alike', object: labelled(2, 'a', 'u2'), news: true },
    { name: 'is not what says the same', object: labelled(2, 'a'), news: false },
    {
      name: 'is not what nobody reads',
      object: { ...labelled(2, 'a'), status: { nodeName: undefined, unknownField: 7 } },
      news: false,
    },
  ])('$name', ({ object, news }) => {
    mirror.watched(labelled(1, 'a'), false);
    expect(mirror.watched(object, false)).toBe(news);
  });
});

describe('the ledger', () => {
  const ledger = (version: number, parts = {}): RawObject =>
    ({
      ...writeLedger(emptyLedger),
      metadata: { name: 'lull', uid: 'l1', resourceVersion: String(version) },
      ...parts,
    }) as unknown as RawObject;

  it('has the version it was read in', () => {
    mirror.watched(ledger(3), false);
    expect(mirror.look().ledger).toEqual({ record: emptyLedger, version: '3' });
    // The same words in a later version: whoever writes next must name that one.
    expect(mirror.watched(ledger(4), false)).toBe(true);
    expect(mirror.look().ledger?.version).toBe('4');
  });

  it('that was written by ourselves is known without reading, until another writes it', () => {
    const record = { ...emptyLedger };
    mirror.wrote(ledger(5), record);
    expect(mirror.look().ledger?.record).toBe(record);
    mirror.watched(ledger(5), false);
    expect(mirror.look().ledger?.record).toBe(record);
    mirror.watched(ledger(6), false);
    expect(mirror.look().ledger?.version).toBe('6');
  });

  it('that another wrote before our answer came stays the other', () => {
    mirror.watched(ledger(6), false);
    mirror.look();
    mirror.wrote(ledger(5), { ...emptyLedger });
    expect(mirror.look().ledger?.version).toBe('6');
  });

  it('that cannot be read is said to be so, until it can', () => {
    mirror.watched(ledger(3, { spec: { version: 99 } }), false);
    expect(mirror.look()).toMatchObject({ ledger: undefined, unreadable: [expect.stringContaining('newer')] });
    mirror.watched(ledger(4), false);
    expect(mirror.look()).toMatchObject({ ledger: { version: '4' }, unreadable: [] });
  });

  it('is one: another name is none of ours', () => {
    mirror.watched(ledger(3, { metadata: { name: 'other', uid: 'o', resourceVersion: '3' } }), false);
    expect(mirror.look().ledger).toBeUndefined();
  });
});

describe('J4: whoever records', () => {
  it('hears of what enters the view when it does, the last of many, and of what leaves it', () => {
    const told: [string, string, boolean][] = [];
    mirror = new Mirror(({ kind, metadata }, isGone) => told.push([kind, metadata.resourceVersion, isGone]));
    mirror.watched(labelled(1, 'a'), false);
    mirror.watched(labelled(2, 'b'), false);
    expect(told).toEqual([]);
    mirror.look();
    mirror.removed('NodeClaim', 'c1', 'u1');
    mirror.look();
    expect(told).toEqual([
      ['NodeClaim', '2', false],
      ['NodeClaim', '2', true],
    ]);
  });
});

it('the view stands still between two looks', () => {
  mirror.watched(labelled(1, 'a'), false);
  const { cluster } = mirror.look();
  mirror.watched(labelled(2, 'b'), false);
  expect(cluster.claim('c1')?.labels.value).toBe('a');
  mirror.look();
  expect(cluster.claim('c1')?.labels.value).toBe('b');
});
