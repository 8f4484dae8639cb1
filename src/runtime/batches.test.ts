import { describe, expect, it } from 'vitest';
import type { Action } from '../engine/commands/action.ts';
import { batchesOf, mostAtOnce } from './batches.ts';

const patch = (name: string, command?: string): Action => ({
  verb: 'patch',
  kind: 'Node',
  name,
  patch: [],
  ...(command && { command }),
});
const evict: Action = { verb: 'evict', kind: 'Pod', namespace: 'a', name: 'p' };
const names = (actions: readonly Action[]): string[][] =>
  [...batchesOf(actions)].map((batch) => batch.map(({ name }) => name));

describe('G2: what may be on its way at the same time', () => {
  it.each([
    { it: 'parkings are', actions: [patch('a'), patch('b'), patch('c')], batches: [['a', 'b', 'c']] },
    { it: 'two of one object are not', actions: [patch('a'), patch('b'), patch('a')], batches: [['a', 'b'], ['a']] },
    {
      it: 'what a command asks for is not, and keeps its place',
      actions: [patch('a'), patch('b'), patch('c', 'x'), patch('d', 'x'), patch('e')],
      batches: [['a', 'b'], ['c'], ['d'], ['e']],
    },
    { it: 'evictions are not', actions: [evict, patch('a'), evict], batches: [['p'], ['a'], ['p']] },
    { it: 'nothing is nothing', actions: [], batches: [] },
  ])('$it', ({ actions, batches }) => {
    expect(names(actions)).toEqual(batches);
  });

  it('no more than a pass sends before it looks again', () => {
    const many = Array.from({ length: mostAtOnce + 1 }, (_, index) => patch(`n${index}`));
    expect(names(many).map(({ length }) => length)).toEqual([mostAtOnce, 1]);
  });
});
