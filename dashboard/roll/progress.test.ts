// Tests of the progress of a roll by domain.
import { describe, expect, it } from 'vitest';
import type { NodeRowState } from '../../src/engine/picture/nodeRow.ts';
import { asInstant } from '../../src/time/instant.ts';
import { nodeRow, pictureOf, poolRow } from '../parts/pictures.ts';
import { progressOf } from './progress.ts';

const drifted = (name: string, domain: string, state: NodeRowState) =>
  nodeRow(name, { pool: 'web', domain, state, wishes: [{ reason: 'Drifted', outcome: 'held', codes: [] }] });
const turn = {
  topologyKey: 'topology.kubernetes.io/zone',
  domain: 'b',
  takenAt: asInstant(0),
  progressAt: asInstant(0),
};

describe('C11, C12: the progress of a roll', () => {
  const nodes = [
    drifted('a1', 'a', 'held'),
    nodeRow('a2', { pool: 'web', domain: 'a', state: 'new' }),
    drifted('b1', 'b', 'draining'),
    nodeRow('b2', { pool: 'web', domain: 'b', state: 'new' }),
    drifted('b3', 'b', 'turn'),
    drifted('c1', 'c', 'wants'),
  ];
  const command = {
    id: 'x',
    reason: 'Drifted',
    pool: 'web',
    hands: 'lull',
    nodes: ['b1'],
    replacements: ['b2'],
    step: 'draining',
    startedAt: asInstant(0),
    stepAt: asInstant(0),
  } as const;
  const pools = [poolRow('web', { sequential: true, turns: [{ ...turn, passedOver: ['a'] }] }), poolRow('idle')];
  const domain = { pool: 'web', topologyKey: turn.topologyKey, counted: 2, limit: 1, consumed: 0, left: 1 } as const;
  const domains = [
    { ...domain, domain: 'a', state: 'waiting' as const },
    { ...domain, domain: 'b', state: 'turn' as const },
    { ...domain, domain: 'c', state: 'waiting' as const },
  ];
  const [web, idle] = progressOf(pictureOf(nodes, pools, { domains, commands: [command] }));

  it('counts each domain, and a replaced node only once', () => {
    expect(web?.domains).toEqual([
      { domain: 'a', total: 2, done: 1, moving: 0, waiting: 0, held: 1, leftBehind: true, state: 'waiting' },
      { domain: 'b', total: 2, done: 1, moving: 1, waiting: 1, held: 0, leftBehind: false, state: 'turn' },
      { domain: 'c', total: 1, done: 0, moving: 0, waiting: 1, held: 0, leftBehind: false, state: 'waiting' },
    ]);
  });

  it('N1: counts a node created since Karpenter took one as its replacement, once', () => {
    const taken = {
      ...command,
      hands: 'karpenter',
      step: 'taken',
      replacements: [],
      startedAt: asInstant(5400),
    } as const;
    const born = (createdAt: number) =>
      nodeRow('b2', { pool: 'web', domain: 'b', state: 'new', createdAt: asInstant(createdAt) });
    const totalWith = (createdAt: number): number | undefined => {
      const rows = [drifted('b1', 'b', 'draining'), born(createdAt), drifted('b3', 'b', 'turn')];
      return progressOf(pictureOf(rows, pools, { domains, commands: [taken] }))[0]?.total;
    };
    // Kubernetes says when something was made to the second.
    expect([totalWith(5000), totalWith(4000)]).toEqual([2, 3]);
  });

  it('knows which pools are rolling', () => {
    expect([web?.isRolling, idle?.isRolling]).toEqual([true, false]);
    expect([web?.done, web?.total, web?.moving]).toEqual([2, 5, 1]);
  });
});
