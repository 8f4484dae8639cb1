import { describe, expect, it } from 'vitest';
import {
  codesOf,
  command,
  decide,
  ledger,
  longAgo,
  machine,
  type Objects,
  pdb,
  pod,
  pool,
  refusalOf,
  startsOf,
} from '../../../test/build.ts';

/** Has room for all the pods and sorts first by name, so that no drifted node is promised room on another. */
const spare = machine('0');
/** Drifted nodes, each with the given number of pods of one PDB. */
const nodes = (...pods: readonly number[]): Objects =>
  pods.map((count, index) => [
    machine(`n${index + 1}`, { drifted: longAgo }),
    Array.from({ length: count }, (_, place) => pod(`n${index + 1}-${place}`, `n${index + 1}`)),
  ]);
const starts = (allowed: number, ...pods: readonly number[]): string[] =>
  startsOf(decide([pool(), spare, nodes(...pods), pdb('web', allowed)])).map((start) => start.split(' ')[0] ?? '');

describe('E10: nodes that are chosen together do not stall on one PDB', () => {
  it.each([
    { it: 'the first starts regardless of how many pods it has', allowed: 1, pods: [3], goes: ['n1'] },
    { it: 'a further one only if the PDB allows all its pods', allowed: 1, pods: [1, 1], goes: ['n1'] },
    { it: 'two whose pods the PDB allows', allowed: 2, pods: [1, 1], goes: ['n1', 'n2'] },
    { it: 'a smaller one after one that is too large', allowed: 3, pods: [2, 2, 1], goes: ['n1', 'n3'] },
    { it: 'none where none is allowed', allowed: 0, pods: [1, 1], goes: [] },
    { it: 'nodes without pods of the PDB', allowed: 1, pods: [1, 0, 1], goes: ['n2', 'n1'] },
  ])('$it: $goes of $pods with $allowed allowed', ({ allowed, pods, goes }) => {
    expect(starts(allowed, ...pods)).toEqual(goes);
  });

  it('reports how many pods are still to be evicted, on which nodes', () => {
    const round = decide([pool(), nodes(2, 3), pdb('web', 4)]);
    const { message, owner } = refusalOf(round, 'n2', 'Drifted', 'PdbSpent');
    expect(message).toContain(
      'allows 4 evictions now; its pods still to be evicted: 2 on nodes chosen in this round, 3 on this node',
    );
    expect(owner).toEqual({ kind: 'PodDisruptionBudget', namespace: 'shop', name: 'web' });
  });

  it('J1: lists nodes already being disrupted apart from those chosen in this round, and advises to wait', () => {
    const objects = [pool(), nodes(1, 1, 3), pdb('web', 2)];
    const { message, help } = refusalOf(
      decide(objects, { ledger: ledger({ commands: [command('n1')] }) }),
      'n3',
      'Drifted',
      'PdbSpent',
    );
    expect(message).toContain(
      'allows 2 evictions now; its pods still to be evicted: 1 on nodes already being disrupted, 1 on nodes chosen in this round, 3 on this node',
    );
    expect(help).toMatch(/^Wait: the node may be disrupted once those pods run elsewhere/);
  });
});

describe('E10: while others are in flight', () => {
  const busy = ledger({ commands: [command('n1')] });

  it('their pods that are not yet evicted count', () => {
    const objects = [pool(), nodes(1, 1), pdb('web', 1)];
    expect(codesOf(decide(objects, { ledger: busy }), 'n2', 'Drifted')).toEqual(['PdbSpent']);
  });

  it('those that are evicted do not', () => {
    const leaving = pod('n1-0', 'n1', { deleted: longAgo });
    const objects = [pool(), nodes(0, 1), leaving, pdb('web', 1)];
    expect(startsOf(decide(objects, { ledger: busy }))).toEqual(['n2 Drifted']);
  });

  it('nor those of another PDB', () => {
    const other = pod('n1-0', 'n1', { labels: { app: 'api' } });
    expect(startsOf(decide([pool(), nodes(0, 1), other, pdb('web', 1)], { ledger: busy }))).toEqual(['n2 Drifted']);
  });

  it('pods on a node whose claim was deleted without a command count too', () => {
    const deleted = machine('n1', { claim: { deleted: longAgo } });
    const round = decide([pool(), nodes(0, 1), deleted, pod('p', 'n1'), pdb('web', 1)]);
    expect(codesOf(round, 'n2', 'Drifted')).toEqual(['PdbSpent']);
  });
});

describe('E10: a node that no PDB refuses', () => {
  it('still uses evictions of the PDB: Interrupted leaves less for others', () => {
    const forced = machine('n1', { claim: { conditions: { Interrupted: longAgo } } });
    const round = decide([
      pool(),
      spare,
      forced,
      pod('p', 'n1'),
      machine('n2', { drifted: longAgo }),
      pod('q', 'n2'),
      pdb('web', 1),
    ]);
    expect(startsOf(round)).toEqual(['n1 Interrupted']);
    expect(codesOf(round, 'n2', 'Drifted')).toEqual(['PdbSpent']);
  });

  it('is not refused when others have used the evictions', () => {
    const graced = machine('n2', { drifted: longAgo, claim: { spec: { terminationGracePeriod: '1h' } } });
    const round = decide([pool(), spare, nodes(1), graced, pod('q', 'n2'), pdb('web', 1)]);
    expect(startsOf(round)).toEqual(['n1 Drifted', 'n2 Drifted']);
  });
});
