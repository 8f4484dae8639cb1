// Scores of moves in pools with the policy Balanced.
import { describe, expect, it } from 'vitest';
import { balancedScore, isApproved, leastScore, type RemovedNode, totalsOf } from './pricing.ts';

const pool = { price: 58.08, cost: 90 };
const hundred = { price: 100, cost: 100 };

describe('A: a move in a Balanced pool is scored by what it saves against what it disturbs', () => {
  it.each([
    { id: 'T244', move: [7.26, 4], totals: pool, score: 2.8125 },
    { id: 'T245', move: [4.84, 5], totals: pool, score: 1.5 },
    { id: 'T246', move: [2.42, 9], totals: pool, score: 0.4167 },
    { id: 'T247', move: [0, 11], totals: pool, score: 0 },
    { id: 'T248: just enough', move: [2.42, 9], totals: { price: 48.4, cost: 90 }, score: 0.5 },
    { id: 'T249: cheap to move', move: [4.84, 5], totals: { price: 58.08, cost: 117 }, score: 1.95 },
    { id: 'T249: dear to move', move: [4.84, 32], totals: { price: 58.08, cost: 117 }, score: 0.3047 },
    { id: 'T250: ten times the pool', move: [7.26, 4], totals: { price: 580.8, cost: 900 }, score: 2.8125 },
    { id: 'T251: nothing is moved', move: [4.84, 0], totals: pool, score: Number.POSITIVE_INFINITY },
    { id: 'T251: nothing is moved or saved', move: [0, 0], totals: pool, score: 0 },
    { id: 'T251: the pool costs nothing', move: [4.84, 4], totals: { price: 0, cost: 90 }, score: 0 },
    { id: 'T252: a dear pool', move: [4.84, 4], totals: { price: 48.4, cost: 90 }, score: 2.25 },
    { id: 'T252: a cheap pool', move: [1.45, 4], totals: { price: 14.5, cost: 90 }, score: 2.25 },
    { id: 'T253', move: [20, 5], totals: hundred, score: 4 },
    { id: 'T253', move: [10, 10], totals: hundred, score: 1 },
    { id: 'T253', move: [5, 50], totals: hundred, score: 0.1 },
    { id: 'T253', move: [10, 0], totals: hundred, score: Number.POSITIVE_INFINITY },
    { id: 'T253', move: [0, 10], totals: hundred, score: 0 },
    { id: 'T253', move: [-5, 10], totals: hundred, score: 0 },
    { id: 'T260: unknown totals', move: [5, 5], totals: undefined, score: 0 },
  ])('$id: saving and cost $move give $score', ({ move: [savings = 0, cost = 0], totals, score }) => {
    expect(balancedScore({ savings, cost }, totals)).toBeCloseTo(score, 4);
  });

  it.each([
    { score: 0.5, isEnough: true },
    { score: 0.4999, isEnough: false },
  ])('a score of $score is enough: $isEnough', ({ score, isEnough }) => {
    expect(isApproved(score)).toBe(isEnough);
  });
});

const node = (price: number | undefined, pods = 1, of = 'web'): RemovedNode => ({ pool: of, price, cost: 1 + pods });

describe('A: what a pool comes to', () => {
  it.each([
    { id: 'T254: five nodes of 4.84 with a pod each', nodes: Array(5).fill(node(4.84)), price: 24.2, cost: 10 },
    { id: 'T255: one of three has no price', nodes: [node(4.84), node(4.84), node(undefined)], price: 9.68, cost: 6 },
  ])('$id', ({ nodes, price, cost }) => {
    const totals = totalsOf(nodes);
    expect(totals.price).toBeCloseTo(price, 9);
    expect(totals.cost).toBe(cost);
  });
});

describe('A: a move over several pools', () => {
  const ten = Array<RemovedNode>(10).fill(node(4.84));
  const totals = new Map([
    ['web', totalsOf(ten)],
    ['api', totalsOf(ten)],
  ]);
  it.each([
    { id: 'T258: one of ten equal nodes', sources: [node(4.84)], totals, score: 1 },
    { id: 'T259: one from each of two equal pools', sources: [node(4.84), node(4.84, 1, 'api')], totals, score: 1 },
    {
      id: 'T263: the only node of a pool',
      sources: [node(4.84)],
      totals: new Map([['web', totalsOf([node(4.84)])]]),
      score: 1,
    },
  ])('$id scores $score', ({ sources, totals: known, score }) => {
    const savings = totalsOf(sources).price;
    expect(leastScore(sources, savings, known)?.score).toBeCloseTo(score, 9);
  });

  it('every Balanced pool must approve: the least score counts, and says whose it is', () => {
    const sources = [node(4.84), node(4.84, 30, 'api')];
    expect(leastScore(sources, 9.68, totals)).toMatchObject({ pool: 'api' });
    expect(isApproved(leastScore(sources, 9.68, totals)?.score ?? 1)).toBe(false);
  });

  it.each([
    { it: 'T260: nothing that leaves', sources: [] },
    { it: 'pools of another policy', sources: [node(4.84, 1, 'other')] },
  ])('$it is not scored', ({ sources }) => {
    expect(leastScore(sources, 1, totals)).toBeUndefined();
  });
});
