// Caching of plans per board state.
import { describe, expect, it } from 'vitest';
import { boardOn } from '../../../test/placement/boards.ts';
import { threeForOne } from '../../../test/threeForOne.ts';
import { LaunchOfferings } from './launchOfferings.ts';
import { Planner } from './planner.ts';

function open() {
  const { board } = boardOn(...threeForOne);
  const planner = new Planner(board, {
    offerings: new LaunchOfferings(board, { pools: [], hasAllTypes: true }),
    hasAllTypes: true,
    rules: { minimumSavings: 0, podMoveCost: 0, spotToSpot: false },
    totals: new Map(),
  });
  const row = board.rows.of('n1') ?? -1;
  const node = { row, pool: 'web', price: 1, cost: 1, pods: 1, instanceType: 'small', capacityType: 'on-demand' };
  return { board, planner, group: { nodes: [node], pods: board.rows.podsOn(row), extraPods: [] } };
}

describe('A plan', () => {
  it('is made once for each state of the board', () => {
    const { board, planner, group } = open();
    const first = planner.plan(group);
    expect(planner.plan(group)).toBe(first);
    const mark = board.mark();
    board.close(board.rows.of('n2') ?? -1, true);
    expect(planner.plan(group)).not.toBe(first);
    board.undo(mark);
    expect(planner.plan(group)).toBe(first);
  });

  it('leaves the board as it was', () => {
    const { board, planner, group } = open();
    const before = board.copy();
    planner.plan(group);
    expect(board.copy()).toEqual(before);
    expect(board.mark()).toBe(0);
  });
});
