import { describe, expect, it } from 'vitest';
import {
  at,
  claim,
  decide,
  ledger,
  longAgo,
  machine,
  maintenanceWindow,
  marked,
  node,
  noon,
  type Objects,
  type Plain,
  pod,
  pool,
  requestsOf,
  underway,
} from '../../../test/build.ts';

const leaving = [machine('n1', { drifted: longAgo, spec: marked() }), pod('p1', 'n1', { cpu: '3' })];
const planned = { name: 'r-0', pool: 'web' };
const made = { ...planned, state: 'made' };

/** The claim r-0, created half a minute ago, for the node r. */
const replacement = (parts: Parameters<typeof claim>[1] = {}): Plain => {
  const it = claim('r', {
    created: '2026-03-10T11:59:30Z',
    providerID: 'cloud:///r',
    conditions: { Registered: { status: 'False' }, Initialized: { status: 'False' } },
    nodeName: null,
    ...parts,
  });
  return { ...it, metadata: { ...(it.metadata as Plain), name: 'r-0' } };
};
const arrived = { conditions: {}, nodeName: 'r' };
const ready = [replacement(arrived), node('r', { spec: { providerID: 'cloud:///r' } })];

const command = (fields: Plain = {}): Plain =>
  underway('n1', { step: 'replacing', replacements: [planned], promisedTo: ['n9'], ...fields });
const carryOn = (objects: Objects, fields: Plain = {}, when = noon) =>
  decide([pool(), leaving, ...objects], { ledger: ledger({ commands: [command(fields)] }), at: when });

describe('G1: a command that replaces', () => {
  it('creates each claim that does not exist yet, and records those that do', () => {
    const replacements = [planned, { name: 'r-1', pool: 'web' }];
    const round = carryOn([replacement()], { replacements });
    expect(requestsOf(round)).toEqual(['create NodeClaim r-1']);
    expect(round.ledger.commands[0]?.replacements).toEqual([made, replacements[1]]);
  });

  it('repeats its request until the claim exists, and then requests nothing', () => {
    const first = carryOn([]);
    expect(requestsOf(first)).toEqual(['create NodeClaim r-0']);
    expect(carryOn([]).actions).toEqual(first.actions);
    const seen = carryOn([replacement()]);
    expect(requestsOf(seen)).toEqual([]);
    const again = decide([pool(), leaving, replacement()], { ledger: seen.ledger });
    expect(again.ledger).toBe(seen.ledger);
  });

  it.each([
    { it: 'it is not Initialized', objects: [replacement({ nodeName: 'r' }), node('r')] },
    { it: 'its node does not exist', objects: [replacement(arrived)] },
    { it: 'its node is not Ready', objects: [replacement(arrived), node('r', { ready: 'False' })] },
  ])('waits while $it', ({ objects }) => {
    const round = carryOn(objects, { replacements: [made] });
    expect(requestsOf(round)).toEqual([]);
    expect(round.commands[0]).toMatchObject({ step: 'replacing' });
  });

  it('drains in the round in which all replacements are Initialized and Ready', () => {
    const round = carryOn(ready);
    expect(round.ledger.commands[0]).toMatchObject({ step: 'draining', stepAt: at(noon) });
    expect(requestsOf(round)).toEqual(['evict shop/p1']);
  });

  it('drains at once when the cloud interrupts the node', () => {
    const interrupted = machine('n1', {
      drifted: longAgo,
      spec: marked(),
      claim: { conditions: { Drifted: longAgo, Interrupted: noon } },
    });
    const round = decide([pool(), interrupted, pod()], { ledger: ledger({ commands: [command()] }) });
    expect(requestsOf(round)).toEqual(['create NodeClaim r-0', 'evict shop/p1']);
  });

  it('keeps its replacement: while it drains, the new node is not consolidated as empty', () => {
    const consolidating = pool('web', { consolidateAfter: '0s' });
    const blocked = pod('p1', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
    const drained = command({ step: 'draining', replacements: [made], evictedAt: '2026-03-10T11:59:30Z' });
    const round = decide([consolidating, leaving[0] ?? [], blocked, ready], {
      ledger: ledger({ commands: [drained] }),
    });
    expect(round.verdicts.find(({ node: it }) => it === 'r')?.refusals).toMatchObject([{ code: 'Nominated' }]);
  });
});

describe('G4, N6: a replacement that fails', () => {
  const unlaunched = { providerID: '', conditions: { Launched: { status: 'Unknown' } } };
  it.each([
    {
      it: 'is not Initialized in time',
      objects: [replacement()],
      fields: { stepAt: '2026-03-10T11:50:00Z' },
      why: 'r-0 was not ready within 10m',
      asks: ['patch Node n1', 'delete NodeClaim r-0'],
    },
    {
      it: 'reports that it cannot be launched',
      objects: [
        replacement({ conditions: { Launched: { status: 'Unknown', reason: 'LaunchFailed', message: 'no' } } }),
      ],
      why: 'replacement r-0 cannot be launched (LaunchFailed: no)',
      asks: ['patch Node n1', 'delete NodeClaim r-0'],
    },
    {
      it: 'has no providerID after a minute',
      objects: [replacement({ ...unlaunched, created: '2026-03-10T11:59:00Z' })],
      why: 'replacement r-0 was not launched within a minute',
      asks: ['patch Node n1', 'delete NodeClaim r-0'],
    },
    {
      it: 'is deleted',
      objects: [replacement({ deleted: noon })],
      why: 'replacement r-0 was deleted',
      asks: ['patch Node n1'],
    },
    {
      it: 'was created and no longer exists',
      objects: [],
      fields: { replacements: [made] },
      why: 'replacement r-0 no longer exists',
      asks: ['patch Node n1'],
    },
  ])('$it: the command is released and the pool backs off', ({ objects, fields, why, asks }) => {
    const round = carryOn(objects, fields);
    expect(requestsOf(round)).toEqual(asks);
    expect(round.ledger.commands).toMatchObject([{ step: 'released', promisedTo: [], why }]);
    expect(round.ledger.backoffs).toEqual([{ pool: 'web', delay: 60_000, until: at('2026-03-10T12:01:00Z') }]);
    expect(round.wakeAt).toBe(at('2026-03-10T12:01:00Z'));
  });

  it('has no pool to create it from', () => {
    const orphan = { name: 'r-0', pool: 'other' };
    const round = carryOn([], { replacements: [orphan] });
    expect(round.ledger.commands).toMatchObject([
      { step: 'released', why: 'pool other of its replacement does not exist' },
    ]);
  });

  it.each([
    { it: 'F7: the time at which it counts as slow', objects: [replacement()], wakeAt: '2026-03-10T12:01:30Z' },
    {
      it: 'the end of the replacement timeout',
      objects: [replacement({ created: '2026-03-10T11:57:00Z' })],
      wakeAt: '2026-03-10T12:09:00Z',
    },
    {
      it: 'the minute it has to be launched',
      objects: [replacement(unlaunched)],
      wakeAt: '2026-03-10T12:00:30Z',
    },
  ])('sets wakeAt for $it', ({ objects, wakeAt }) => {
    const round = carryOn(objects);
    expect(round.commands[0]).toMatchObject({ step: 'replacing' });
    expect(round.wakeAt).toBe(at(wakeAt));
  });

  it('does not stop Interrupted: its claim is deleted, the pool backs off once', () => {
    const interrupted = machine('n1', { spec: marked(), claim: { conditions: { Interrupted: longAgo } } });
    const failing = replacement({ ...unlaunched, created: '2026-03-10T11:58:00Z' });
    const held = pod('p1', 'n1');
    const known = ledger({ commands: [command({ reason: 'Interrupted', step: 'draining' })] });
    const round = decide([pool(), interrupted, held, failing], { ledger: known });
    expect(requestsOf(round)).toEqual(['delete NodeClaim r-0', 'evict shop/p1']);
    expect(round.ledger.backoffs).toMatchObject([{ pool: 'web', delay: 60_000 }]);
    const again = decide([pool(), interrupted, held, failing], { ledger: round.ledger, at: '2026-03-10T12:00:10Z' });
    expect(again.ledger.backoffs).toEqual(round.ledger.backoffs);
    expect(requestsOf(again)).toEqual(requestsOf(round));
  });
});

describe('D6, I4: while its replacements start', () => {
  it.each([
    {
      it: 'a window that closes',
      objects: [pool(), leaving, maintenanceWindow('freeze')],
      why: 'WindowBlocks: MaintenanceWindow freeze blocks it now',
    },
    {
      it: 'a wish that is gone',
      objects: [pool(), machine('n1', { spec: marked() }), pod()],
      why: 'n1 is no longer Drifted',
    },
  ])('$it releases the command', ({ objects, why }) => {
    const round = decide([...objects, replacement()], { ledger: ledger({ commands: [command()] }) });
    expect(round.ledger.commands).toMatchObject([{ step: 'released', why }]);
    expect(requestsOf(round)).toEqual(['patch Node n1', 'delete NodeClaim r-0']);
    expect(round.ledger.backoffs).toEqual([]);
  });

  it('no other gate is checked before the drain', () => {
    const held = machine('n1', { drifted: longAgo, spec: marked(), annotations: { 'lull.dev/hold': 'mine' } });
    const known = ledger({ commands: [command()] });
    expect(decide([pool(), held, replacement()], { ledger: known }).commands[0]).toMatchObject({ step: 'replacing' });
    const drained = decide([pool(), held, ready], { ledger: known });
    expect(drained.ledger.commands).toMatchObject([{ step: 'released', why: expect.stringMatching(/^Held/) }]);
  });
});

describe('F4: a replacement that arrives', () => {
  it('ends the back-off of its pool, and of no other', () => {
    const backoff = (owner: string) => ({ pool: owner, until: '2026-03-10T12:05:00Z', delay: '8m' });
    const known = ledger({ commands: [command()], backoffs: [backoff('api'), backoff('web')] });
    const round = decide([pool(), leaving, ready], { ledger: known });
    expect(round.ledger.backoffs.map((it) => it.pool)).toEqual(['api']);
  });
});
