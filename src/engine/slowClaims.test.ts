import { describe, expect, it } from 'vitest';
import {
  at,
  claim,
  codesOf,
  decide,
  ledger,
  longAgo,
  machine,
  node,
  type Objects,
  type Plain,
  pool,
  refusalOf,
  startsOf,
  underway,
} from '../../test/build.ts';

const drifted = machine('n1', { drifted: longAgo });
const born = '2026-03-10T11:57:00Z';
const unknown = (reason: string, message: string): Plain => ({ status: 'Unknown', reason, message });
const unregistered = unknown('NodeNotRegistered', 'Node not registered with cluster');
const missing = unknown('NotYet', 'Node is not ready');

/** Created three minutes ago, without a node yet. */
const slow = (parts: Parameters<typeof claim>[1] = {}): Plain =>
  claim('late', {
    created: born,
    nodeName: null,
    conditions: { Registered: unregistered, Initialized: missing },
    ...parts,
  });

const message =
  'NodeClaim late-claim is not ready 2m after its creation: Registered is Unknown (NodeNotRegistered: Node not registered with cluster)';

const guide = (objects: Objects, parts: Parameters<typeof decide>[1] = {}) =>
  decide(objects, { ...parts, settings: { role: 'guide' } });

describe('F7: a NodeClaim that is not ready in time', () => {
  it('in guide no node of its pool is offered, and the refusal quotes the conditions of the claim', () => {
    const round = guide([pool(), drifted, slow()]);
    expect(startsOf(round)).toEqual([]);
    expect(refusalOf(round, 'n1', 'Drifted', 'ReplacementSlow')).toEqual({
      code: 'ReplacementSlow',
      message,
      owner: { kind: 'NodeClaim', name: 'late-claim' },
    });
  });

  it.each(['observe', 'guide', 'drive'])('is reported with its conditions (%s)', (role) => {
    const round = decide([pool(), drifted, slow()], { settings: { role } });
    expect(round.slowClaims).toEqual([
      {
        pool: 'web',
        claim: 'late-claim',
        createdAt: at(born),
        message,
        conditions: [
          { type: 'Launched', status: 'True' },
          { type: 'Registered', ...unregistered },
          { type: 'Initialized', ...missing },
        ],
      },
    ]);
  });

  it.each(['observe', 'drive'])('in %s no node is held for it', (role) => {
    expect(startsOf(decide([pool(), drifted, slow()], { settings: { role } }))).toEqual(['n1 Drifted']);
  });

  it.each([
    { it: 'one created less than two minutes ago', claims: [slow({ created: '2026-03-10T11:58:01Z' })] },
    { it: 'one that is Initialized', claims: [slow({ conditions: {} })] },
    { it: 'one that is deleted', claims: [slow({ deleted: '2026-03-10T11:59:00Z' })] },
    { it: 'one of another pool', claims: [pool('api'), slow({ pool: 'api' })] },
    { it: 'one whose node is initialized by its label', claims: [slow({ nodeName: 'late' }), node('late')] },
    { it: 'none at all', claims: [] },
  ])('is not $it', ({ claims }) => {
    const round = guide([pool(), drifted, claims]);
    expect(codesOf(round, 'n1', 'Drifted')).toEqual([]);
    expect(startsOf(round)).toEqual(['n1 Drifted']);
  });

  it('B7: a round wakes when one becomes slow', () => {
    const young = [pool(), drifted, slow({ created: '2026-03-10T11:59:00Z' })];
    expect(guide(young).wakeAt).toEqual(at('2026-03-10T12:01:00Z'));
    expect(codesOf(guide(young, { at: '2026-03-10T12:01:00Z' }), 'n1', 'Drifted')).toEqual(['ReplacementSlow']);
  });

  it('M: `replacementSlow` sets how long it may take', () => {
    const round = decide([pool(), drifted, slow()], { settings: { role: 'guide', replacementSlow: '5m' } });
    expect(codesOf(round, 'n1', 'Drifted')).toEqual([]);
  });

  it('holds neither an interrupted node nor an unhealthy one', () => {
    const interrupted = machine('i1', { claim: { conditions: { Interrupted: longAgo } } });
    const unready = machine('u1', { ready: 'False' });
    const rest = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name) => machine(name));
    const round = decide([pool(), interrupted, unready, rest, slow()], { settings: { role: 'guide' } });
    expect(startsOf(round)).toEqual(expect.arrayContaining(['i1 Interrupted', 'u1 Unhealthy']));
  });

  it('holds an empty node too: its room may be needed while new nodes do not start', () => {
    const consolidating = pool('web', { consolidationPolicy: 'WhenEmpty', consolidateAfter: '0s' });
    const round = guide([consolidating, machine('n1'), slow()]);
    expect(codesOf(round, 'n1', 'Empty')).toEqual(['ReplacementSlow']);
  });

  it('of several the first is named and the others are counted', () => {
    const another = { ...slow(), metadata: { ...(slow().metadata as Plain), name: 'other-claim' } };
    const round = guide([pool(), drifted, slow(), another]);
    expect(refusalOf(round, 'n1', 'Drifted', 'ReplacementSlow').message).toBe(`${message}; 1 more is also not ready`);
  });

  it('one that was not launched is reported with its Launched condition', () => {
    const failed = { status: 'False', reason: 'LaunchFailed', message: 'no quota' };
    const round = decide([pool(), drifted, slow({ conditions: { Launched: failed, Initialized: missing } })]);
    expect(round.slowClaims?.[0]?.message).toMatch(/: Launched is False \(LaunchFailed: no quota\)$/);
  });
});

describe('F7: commands already under way', () => {
  it('an offer that Karpenter has not taken is withdrawn', () => {
    const known = ledger({ commands: [underway('n1', { hands: 'karpenter', step: 'offered' })] });
    const round = decide([pool(), drifted, slow()], { settings: { role: 'guide' }, ledger: known });
    expect(round.commands[0]).toMatchObject({ step: 'withdrawn', why: `ReplacementSlow: ${message}` });
  });

  it('a command that waits for its own replacement keeps waiting', () => {
    const replacing = { step: 'replacing', replacements: [{ name: 'late-claim', pool: 'web', state: 'made' }] };
    const round = decide([pool(), drifted, slow({ providerID: 'kwok://late' })], {
      settings: { role: 'drive' },
      ledger: ledger({ commands: [underway('n1', { hands: 'lull', ...replacing })] }),
    });
    expect(round.commands[0]?.step).toBe('replacing');
  });
});
