import { describe, expect, it } from 'vitest';
import type { Action } from '../engine/commands/action.ts';
import { batchesOf, mostAtOnce } from './outbox.ts';

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

describe('G2: requests that may be in flight at the same time', () => {
  it.each([
    { it: 'parking patches', actions: [patch('a'), patch('b'), patch('c')], batches: [['a', 'b', 'c']] },
    { it: 'not two of one object', actions: [patch('a'), patch('b'), patch('a')], batches: [['a', 'b'], ['a']] },
    {
      it: "not a command's requests, which keep their order",
      actions: [patch('a'), patch('b'), patch('c', 'x'), patch('d', 'x'), patch('e')],
      batches: [['a', 'b'], ['c'], ['d'], ['e']],
    },
    { it: 'not evictions', actions: [evict, patch('a'), evict], batches: [['p'], ['a'], ['p']] },
    { it: 'no actions, no batches', actions: [], batches: [] },
  ])('$it', ({ actions, batches }) => {
    expect(names(actions)).toEqual(batches);
  });

  it('at most as many as a pass sends before it looks again', () => {
    const many = Array.from({ length: mostAtOnce + 1 }, (_, index) => patch(`n${index}`));
    expect(names(many).map(({ length }) => length)).toEqual([mostAtOnce, 1]);
  });
});
