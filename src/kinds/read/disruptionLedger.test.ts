import { describe, expect, it } from 'vitest';
import { emptyLedger, type Ledger } from '../../cluster/ledger.ts';
import { asInstant, minute, parseInstant } from '../../time/instant.ts';
import { readObject } from '../readObject.ts';
import { writeLedger } from './disruptionLedger.ts';

const at = asInstant(Date.UTC(2026, 10, 15, 10, 0, 0, 123));
const later = asInstant(Date.UTC(2026, 10, 15, 11));

const ledger: Ledger = {
  version: 1,
  commands: [
    {
      id: 'drifted-n1',
      reason: 'Drifted',
      pool: 'p',
      hands: 'lull',
      nodes: [{ name: 'n1', claim: 'c1', domain: 'zone-a' }, { name: 'n2' }],
      replacements: [
        { name: 'r1', pool: 'p', instanceType: 'm5.large', assumed: true, state: 'made' },
        { name: 'r2', pool: 'p', state: 'failed' },
      ],
      promisedTo: ['n3'],
      step: 'replacing',
      startedAt: at,
      stepAt: later,
      evictedAt: later,
      drain: { left: 3, progressAt: later },
      why: 'it was not to be',
    },
  ],
  turns: [
    {
      pool: 'p',
      topologyKey: 'zone',
      domain: 'zone-a',
      takenAt: at,
      progressAt: later,
      inFlight: ['n8'],
      unreadyAtStart: ['n9'],
      replacements: ['r1'],
      expected: [{ owner: 'uid', name: 'ReplicaSet/ns/web', running: 3 }],
      wellSince: later,
      passAsked: later,
      passedOver: ['zone-b', null],
    },
  ],
  backoffs: [{ pool: 'p', until: later, delay: minute }],
  seen: { Pod: '123', Node: '120' },
};

describe('G2: the ledger', () => {
  it.each([
    { name: 'a full one', record: ledger },
    { name: 'an empty one', record: emptyLedger },
  ])('$name is read as it was written, through JSON', ({ record }) => {
    const written: unknown = JSON.parse(JSON.stringify(writeLedger(record)));
    expect(readObject(written)).toEqual({ kind: 'DisruptionLedger', record, faults: [] });
  });

  it('K4: fields of a newer Lull are kept, wherever they are, when an older one writes it again', () => {
    const { spec } = JSON.parse(JSON.stringify(writeLedger(ledger))) as { spec: typeof newer };
    const newer = {
      version: 1,
      waves: [{ pool: 'p', reached: 3 }],
      commands: [{ approvedBy: 'ann', nodes: [{ rack: 'r7' }, {}] }],
      turns: [{ halted: { since: '2026-11-15T11:00:00Z' } }],
      backoffs: [{ cause: 'quota' }],
    };
    const written = {
      ...spec,
      waves: newer.waves,
      commands: spec.commands.map((it) => ({
        ...it,
        approvedBy: 'ann',
        nodes: it.nodes.map((node, index) => (index === 0 ? { ...node, rack: 'r7' } : node)),
      })),
      turns: spec.turns.map((it) => ({ ...it, ...newer.turns[0] })),
      backoffs: spec.backoffs.map((it) => ({ ...it, ...newer.backoffs[0] })),
    };
    const read = readObject({ ...writeLedger(ledger), spec: written });
    expect(read).toMatchObject({ kind: 'DisruptionLedger', faults: [], record: { turns: [{ pool: 'p' }] } });
    const again = read.kind === 'DisruptionLedger' ? writeLedger(read.record) : undefined;
    expect(again?.spec).toEqual(written);
    expect(again?.spec).toMatchObject(newer);
  });

  it('is plain text in the cluster', () => {
    expect(writeLedger(ledger)).toMatchObject({
      apiVersion: 'lull.dev/v1alpha1',
      kind: 'DisruptionLedger',
      metadata: { name: 'lull' },
      spec: {
        version: 1,
        commands: [{ startedAt: '2026-11-15T10:00:00.123Z', stepAt: '2026-11-15T11:00:00Z' }],
        backoffs: [{ delay: '1m' }],
      },
    });
  });

  const read = (spec: unknown) =>
    readObject({ apiVersion: 'lull.dev/v1alpha1', kind: 'DisruptionLedger', metadata: { name: 'lull' }, spec });

  it('lists that are not there are empty', () => {
    expect(read({ version: 1 })).toMatchObject({ record: emptyLedger, faults: [] });
  });

  it.each([
    { name: 'before 1970, to the millisecond', at: '1969-12-31T23:59:59.250Z', written: '1969-12-31T23:59:59.250Z' },
    {
      name: 'an offset that leads into the year 10000',
      at: '9999-12-31T23:59:59-01:00',
      written: '9999-12-31T23:59:59Z',
    },
    {
      name: 'an offset that leads before the year 0',
      at: '0000-01-01T00:00:00+01:00',
      written: '0000-01-01T00:00:00Z',
    },
  ])('can be written again: an instant $name', ({ at, written }) => {
    const result = read({ version: 1, backoffs: [{ pool: 'p', until: at, delay: '1m' }] });
    if (result.kind !== 'DisruptionLedger') throw new Error(result.kind);
    expect(writeLedger(result.record)).toMatchObject({ spec: { backoffs: [{ until: written }] } });
  });

  it('a text longer than Lull writes is an error', () => {
    const backoffs = [{ pool: 'p'.repeat(2000), until: '2026-11-15T10:00:00Z', delay: '1m' }];
    expect(read({ version: 1, backoffs })).toMatchObject({
      record: emptyLedger,
      faults: [{ path: 'spec.backoffs[0].pool', message: expect.stringContaining('2000 characters') }],
    });
    expect(read({ version: 1, other: 'x'.repeat(2000) })).toMatchObject({ record: emptyLedger, faults: [] });
  });

  it.each([null, undefined])('an entry of a list that is %s is an error', (entry) => {
    expect(read({ version: 1, backoffs: [entry] })).toMatchObject({
      record: emptyLedger,
      faults: [{ path: 'spec.backoffs[0]', severity: 'error' }],
    });
  });

  it('a newer form is an error, and nothing of it is believed', () => {
    expect(read({ version: 2, commands: [] })).toMatchObject({
      record: emptyLedger,
      faults: [{ path: 'spec.version', value: 2, severity: 'error', message: expect.stringContaining('newer') }],
    });
  });

  it.each([
    { spec: undefined, path: 'spec.version' },
    { spec: 'text', path: 'spec' },
    { spec: { version: 1, backoffs: [{ pool: 'p', until: 'soon', delay: '1m' }] }, path: 'spec.backoffs[0].until' },
    {
      spec: { version: 1, backoffs: [{ pool: 'p', until: '2026-11-15T10:00:00Z', delay: 'long' }] },
      path: 'spec.backoffs[0].delay',
    },
    {
      spec: {
        version: 1,
        commands: [{ ...JSON.parse(JSON.stringify(writeLedger(ledger))).spec.commands[0], step: 'flying' }],
      },
      path: 'spec.commands[0].step',
    },
    { spec: { version: 1, turns: 5 }, path: 'spec.turns' },
  ])('$path is an error', ({ spec, path }) => {
    const result = read(spec);
    expect(result).toMatchObject({ record: emptyLedger, faults: [{ path, severity: 'error' }] });
  });
});

describe('P1: what a rate limit counts', () => {
  it('is read back as it was written, instants included', () => {
    const at = parseInstant('2026-11-18T02:00:00Z');
    const starts = [
      { kind: 'NodePool', name: 'web', minutes: [{ at: '2026-11-18T02:00:00Z', nodes: 2 }], leaving: [] },
    ];
    const read = readObject({ kind: 'DisruptionLedger', metadata: { name: 'lull' }, spec: { version: 1, starts } });
    expect(read).toMatchObject({ faults: [], record: { starts: [{ minutes: [{ at, nodes: 2 }] }] } });
  });
});
