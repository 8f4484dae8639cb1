// Checks of turns.
import { describe, expect, it } from 'vitest';
import { Handmade, minutes, zone } from '../../../test/sim/handmade.ts';
import { type Duration, formatInstant } from '../../time/instant.ts';
import type { KubeObject } from '../kubeObject.ts';

/** Zone a has its turn; n1 of it is replaced by r1; then the turn passes to b. */
interface Roll {
  readonly settle?: string;
  /** How long the domain is said to have been well when the turn passes; absent = it is not said. */
  readonly wellFor?: Duration;
  readonly passAsked?: boolean;
  /** Just before the turn passes. */
  readonly meanwhile?: (history: Handmade) => void;
  readonly replacement?: { readonly initialized?: boolean; readonly ready?: boolean };
  /** Pods of the workload that run before and after. */
  readonly pods?: readonly [before: number, after: number];
  /** Whether n2, of the same zone, is what its pool asks for. */
  readonly drifted?: boolean;
}

function rolled(roll: Roll): string[] {
  const h = new Handmade();
  const budget = { nodes: '1', topologyKey: zone, sequential: true, ...(roll.settle && { settle: roll.settle }) };
  h.pool('web', [budget], { template: { metadata: { labels: { image: 'v2' } } } });
  h.node('n1', { zone: 'a', labels: { image: 'v1' } });
  h.node('n2', { zone: 'a', labels: { image: roll.drifted ? 'v1' : 'v2' } });
  h.node('n3', { zone: 'b', labels: { image: 'v1' } });
  const [before, after] = roll.pods ?? [1, 1];
  for (let index = 0; index < before; index++) h.pod(`old-${index}`, 'n1');
  const takenAt = formatInstant(h.clock.now);
  const turn = { pool: 'web', topologyKey: zone, domain: 'a', takenAt };
  const command = { node: 'n1', domain: 'a', replacements: ['r1'] };
  h.ledger([command], { turns: [turn] });
  h.taint('n1', 'drifted-n1');
  h.ledger([{ ...command, step: 'replacing' }], { turns: [turn] });
  h.node('r1', { zone: 'a', labels: { image: 'v2' } });
  h.ledger([{ ...command, step: 'draining' }], { turns: [turn] });
  h.ledger([{ ...command, step: 'draining', evictedAt: h.clock.now }], { turns: [turn] });
  for (let index = 0; index < before; index++)
    h.objects.delete('Pod', `shop/old-${index}`, 'kubelet', { graceSeconds: 0 });
  h.ledger([{ ...command, step: 'terminating', evictedAt: h.clock.now }], { turns: [turn] });
  h.objects.delete('Node', 'n1', 'cloud');
  h.objects.delete('NodeClaim', 'n1', 'cloud');
  for (let index = 0; index < after; index++) h.pod(`new-${index}`, 'r1');
  if (roll.replacement) spoil(h, roll.replacement);
  roll.meanwhile?.(h);
  h.ledger([], { turns: [turn] });
  h.later(minutes(20));
  const wellSince = roll.wellFor === undefined ? undefined : formatInstant((h.clock.now - roll.wellFor) as never);
  const asked = roll.passAsked ? { passAsked: takenAt } : {};
  h.ledger([], { turns: [{ ...turn, ...(wellSince && { wellSince }), ...asked }] });
  h.ledger([], { turns: [{ ...turn, domain: 'b', takenAt: formatInstant(h.clock.now) }] });
  return h.broken;
}

function spoil(h: Handmade, { initialized = true, ready = true }: { initialized?: boolean; ready?: boolean }): void {
  if (!ready) h.unready('r1');
  if (initialized) return;
  const status = (claim: KubeObject) => ({ ...claim.status, conditions: [{ type: 'Initialized', status: 'False' }] });
  h.change('NodeClaim', 'r1', (claim) => ({ ...claim, status: status(claim) }));
}

describe('C12, C13: a turn that passes', () => {
  it.each<{ it: string; roll: Roll; broken: string[] }>([
    { it: 'when all is well', roll: {}, broken: [] },
    { it: 'while the replacement is not Initialized', roll: { replacement: { initialized: false } }, broken: ['C13'] },
    { it: 'while the replacement is not Ready', roll: { replacement: { ready: false } }, broken: ['C13'] },
    { it: 'while a node that was Ready is not', roll: { meanwhile: (h) => h.unready('n2') }, broken: ['C13'] },
    { it: 'while a node of another domain is not', roll: { meanwhile: (h) => h.unready('n3') }, broken: [] },
    { it: 'before as many pods run again', roll: { pods: [3, 2] }, broken: ['C13'] },
    { it: 'when as many pods run again', roll: { pods: [3, 3] }, broken: [] },
    { it: 'before it has settled', roll: { settle: '10m', wellFor: minutes(9) }, broken: ['C13'] },
    { it: 'without a word of how long it has been well', roll: { settle: '10m' }, broken: ['C13'] },
    { it: 'when it has settled', roll: { settle: '10m', wellFor: minutes(10) }, broken: [] },
    { it: 'by hand, well or not', roll: { settle: '10m', replacement: { ready: false }, passAsked: true }, broken: [] },
    { it: 'while drifted nodes are left and patience is not used up', roll: { drifted: true }, broken: ['C12'] },
  ])('$it', ({ roll, broken }) => {
    expect(rolled(roll)).toEqual(broken);
  });

  it('while drift is in flight there', () => {
    const h = new Handmade();
    h.pool('web', [{ nodes: '1', topologyKey: zone, sequential: true }]);
    h.node('n1', { zone: 'a' });
    h.node('n2', { zone: 'b' });
    const turn = { pool: 'web', topologyKey: zone, domain: 'a', takenAt: formatInstant(h.clock.now) };
    h.ledger([{ node: 'n1' }], { turns: [turn] });
    h.later(minutes(90));
    h.ledger([{ node: 'n1' }], { turns: [{ ...turn, domain: 'b', takenAt: formatInstant(h.clock.now) }] });
    expect(h.broken).toEqual(['C12']);
  });
});
