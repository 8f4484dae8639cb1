// Nodes that Karpenter deletes at their expireAfter although Lull holds them: which nodes can be such, and when one counts as deleted by force.
import { describe, expect, it } from 'vitest';
import {
  at,
  command,
  decide,
  ledger,
  machine,
  type Objects,
  pod,
  pool,
  settings,
  storeOf,
} from '../../../test/build.ts';
import { emptyLedger } from '../../cluster/ledger.ts';
import { asInstant, formatInstant } from '../../time/instant.ts';
import { forcedExpiries, heldToExpiry } from './forcedExpiry.ts';

const born = '2026-02-08T12:00:00Z';
const expiry = at('2026-03-10T12:00:00Z');
const skew = 10_000;

const frozen = pool('web', { budgets: [{ nodes: '0' }] });
const old = (claim: object = {}) =>
  machine('n1', { created: born, claim: { spec: { expireAfter: '720h' }, ...claim } });

function heldIn(objects: Objects, role: 'observe' | 'guide' = 'guide') {
  const cluster = storeOf(...objects);
  const round = decide(objects, { at: '2026-03-10T11:00:00Z', settings: { role } });
  return heldToExpiry({ round, facts: { cluster, ledger: emptyLedger }, settings: settings({ role }), now: round.at });
}

describe('N7: nodes that their expireAfter may take from Lull', () => {
  it('are those held for Expired, with the instant at which Karpenter deletes them', () => {
    expect([...heldIn([frozen, old(), pod()]).values()]).toMatchObject([{ node: 'n1', pool: 'web', at: expiry }]);
  });

  it('are none in observe, where Lull holds nothing', () => {
    expect(heldIn([frozen, old(), pod()], 'observe').size).toBe(0);
  });

  it('are none that are held for another reason only, or may be disrupted', () => {
    const drifted = machine('n1', { created: born, drifted: born, claim: { spec: { expireAfter: '2160h' } } });
    expect(heldIn([frozen, drifted, pod()]).size).toBe(0);
    expect(heldIn([pool(), old(), pod()]).size).toBe(0);
  });
});

describe('N7: such a node was deleted by force', () => {
  const held = heldIn([frozen, old(), pod()]);
  const forcedAt = (now: number, objects: Objects, commands = emptyLedger) =>
    forcedExpiries(held, { cluster: storeOf(...objects), ledger: commands }, asInstant(now)).map(({ node }) => node);
  const deletedAt = (instant: number) => [frozen, ...old({ deleted: formatInstant(asInstant(instant)) })];

  it('if its claim is gone after the expiry, or up to 10 s before it by our clock', () => {
    expect(forcedAt(expiry, [frozen])).toEqual(['n1']);
    expect(forcedAt(expiry - skew, [frozen])).toEqual(['n1']);
    expect(forcedAt(expiry - skew - 1000, [frozen])).toEqual([]);
  });

  it('if its claim is being deleted since then, not since an earlier instant', () => {
    expect(forcedAt(expiry, deletedAt(expiry))).toEqual(['n1']);
    expect(forcedAt(expiry, deletedAt(expiry - skew))).toEqual(['n1']);
    expect(forcedAt(expiry, deletedAt(expiry - skew - 1000))).toEqual([]);
    expect(forcedAt(expiry, [frozen, old()])).toEqual([]);
  });

  it('not if a command took it', () => {
    expect(forcedAt(expiry, [frozen], ledger({ commands: [command('n1')] }))).toEqual([]);
  });
});
