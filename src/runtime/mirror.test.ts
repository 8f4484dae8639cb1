import { isDeepStrictEqual } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { emptyLedger } from '../cluster/ledger.ts';
import { writeLedger } from '../kinds/read/disruptionLedger.ts';
import { Mirror, type RawMeta, type RawObject } from './mirror.ts';

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
  mirror = new Mirror({ isSame: isDeepStrictEqual });
});

const seen = () => mirror.look().cluster.claim('c1')?.labels.value;
const isThere = () => mirror.look().cluster.claim('c1') !== undefined;

describe('G2: a response and the watch, whichever comes first', () => {
  it('the response first: its echo is not news, and an older version does not undo it', () => {
    mirror.watched(labelled(1, 'a'), false);
    mirror.answered(labelled(5, 'mine'));
    expect(mirror.watched(labelled(3, 'before'), false)).toBe(false);
    expect(seen()).toBe('mine');
    expect(mirror.watched(labelled(5, 'mine'), false)).toBe(false);
    expect(mirror.watched(labelled(6, 'theirs'), false)).toBe(true);
    expect(seen()).toBe('theirs');
  });

  it('the watch first, with a later version: the response does not lead back', () => {
    mirror.watched(labelled(5, 'mine'), false);
    mirror.watched(labelled(6, 'theirs'), false);
    mirror.progress('NodeClaim', 6);
    mirror.answered(labelled(5, 'mine'));
    expect(seen()).toBe('theirs');
  });

  it('the watch first, with the deletion: the response does not resurrect the object', () => {
    mirror.watched(labelled(1, 'a'), false);
    mirror.watched(labelled(5, 'mine'), false);
    mirror.watched(labelled(7, 'mine'), true);
    mirror.progress('NodeClaim', 7);
    mirror.answered(labelled(5, 'mine'));
    expect(isThere()).toBe(false);
  });
});

describe('G2: an object that Lull deleted', () => {
  beforeEach(() => {
    mirror.watched(labelled(1, 'a'), false);
    mirror.removed('NodeClaim', 'c1', 'u1');
  });

  it('is gone at once, whatever earlier versions the watch still delivers', () => {
    expect(isThere()).toBe(false);
    expect(mirror.watched(labelled(2, 'b'), false)).toBe(false);
    expect(mirror.watched(labelled(3, 'b'), true)).toBe(false);
    expect(isThere()).toBe(false);
  });

  it('may be created again with the same name', () => {
    mirror.watched(labelled(3, 'a'), true);
    expect(mirror.watched(labelled(4, 'new', 'u2'), false)).toBe(true);
    expect(seen()).toBe('new');
  });

  it('may be created again before the watch reports its deletion', () => {
    mirror.answered(labelled(4, 'new', 'u2'));
    expect(mirror.watched(labelled(3, 'a'), true)).toBe(false);
    expect(seen()).toBe('new');
  });

  it('is not confused with another of its name', () => {
    mirror.watched(labelled(4, 'new', 'u2'), false);
    mirror.removed('NodeClaim', 'c1', 'u1');
    expect(seen()).toBe('new');
  });

  it('is in no later list, and does not count in an older one', () => {
    mirror.watched(labelled(1, 'a'), false);
    mirror.keepOnly('NodeClaim', new Set(['c1']), 2);
    expect(isThere()).toBe(false);
    mirror.keepOnly('NodeClaim', new Set(), 9);
    // The same UID may be reported again after that.
    expect(mirror.watched(labelled(12, 'b'), false)).toBe(true);
  });
});

describe('a response with an object that is being deleted', () => {
  it.each([
    { name: 'with a finalizer exists', object: deleting(5, ['example.com/hold']), there: true },
    { name: 'without one is gone', object: deleting(5), there: false },
    { name: 'without one, in the version that is known, is gone', object: deleting(1), there: false },
  ])('$name', ({ object, there }) => {
    mirror.watched(claim(1), false);
    mirror.progress('NodeClaim', 4);
    mirror.answered(object);
    expect(isThere()).toBe(there);
  });
});

describe('a complete list', () => {
  it('removes what is not in it, but not what Lull created since', () => {
    mirror.watched(labelled(1, 'a'), false);
    mirror.answered(claim(9, { metadata: { name: 'c2', uid: 'u2' } }));
    mirror.keepOnly('NodeClaim', new Set(), 8);
    expect([...mirror.look().cluster.claims].map(({ name }) => name)).toEqual(['c2']);
    expect(mirror.seen(['NodeClaim', 'Node'])).toEqual({ NodeClaim: '8', Node: '0' });
  });
});

describe('K5: news', () => {
  it.each([
    { name: 'is an unknown object', object: claim(2, { metadata: { name: 'c2', uid: 'u2' } }), news: true },
    { name: 'is a changed field that Lull reads', object: labelled(2, 'b'), news: true },
    { name: 'is another object of the same name, even an equal one', object: labelled(2, 'a', 'u2'), news: true },
    { name: 'is not an equal version', object: labelled(2, 'a'), news: false },
    {
      name: 'is not a changed field that Lull does not read',
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

  it('has the version it was read at', () => {
    mirror.watched(ledger(3), false);
    expect(mirror.look().ledger).toEqual({ record: emptyLedger, version: '3' });
    // The same content in a later version: the next write must name that version.
    expect(mirror.watched(ledger(4), false)).toBe(true);
    expect(mirror.look().ledger?.version).toBe('4');
  });

  it('that Lull wrote is known without parsing, until another process writes it', () => {
    const record = { ...emptyLedger };
    mirror.wrote(ledger(5), record);
    expect(mirror.look().ledger?.record).toBe(record);
    mirror.watched(ledger(5), false);
    expect(mirror.look().ledger?.record).toBe(record);
    mirror.watched(ledger(6), false);
    expect(mirror.look().ledger?.version).toBe('6');
  });

  it('that another process wrote before our response arrived wins', () => {
    mirror.watched(ledger(6), false);
    mirror.look();
    mirror.wrote(ledger(5), { ...emptyLedger });
    expect(mirror.look().ledger?.version).toBe('6');
  });

  it('that cannot be read is reported until it can', () => {
    mirror.watched(ledger(3, { spec: { version: 99 } }), false);
    expect(mirror.look()).toMatchObject({ ledger: undefined, unreadable: [expect.stringContaining('newer')] });
    mirror.watched(ledger(4), false);
    expect(mirror.look()).toMatchObject({ ledger: { version: '4' }, unreadable: [] });
  });

  it('has one name: others are ignored', () => {
    mirror.watched(ledger(3, { metadata: { name: 'other', uid: 'o', resourceVersion: '3' } }), false);
    expect(mirror.look().ledger).toBeUndefined();
  });
});

describe('J4: a recorder', () => {
  it('is called for what enters the view, the last of several versions, and for what leaves it', () => {
    const told: [string, string, boolean][] = [];
    mirror = new Mirror({
      onRead: ({ kind, metadata }, isGone) => told.push([kind, metadata.resourceVersion, isGone]),
    });
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

it('the view does not change between two looks', () => {
  mirror.watched(labelled(1, 'a'), false);
  const { cluster } = mirror.look();
  mirror.watched(labelled(2, 'b'), false);
  expect(cluster.claim('c1')?.labels.value).toBe('a');
  mirror.look();
  expect(cluster.claim('c1')?.labels.value).toBe('b');
});
