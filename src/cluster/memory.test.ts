import { describe, expect, it } from 'vitest';
import { machine, pod, storeOf } from '../../test/build.ts';
import { openSlot } from './memory.ts';

describe('What is remembered of a value', () => {
  it('stays with that value, each rule in a place of its own', () => {
    const [one, two] = [openSlot<string>(), openSlot<string>()];
    const [a, b] = [{ memory: [] }, { memory: [] }];
    expect(one.keep(a, 'seen')).toBe('seen');
    expect([one.recall(a), two.recall(a), one.recall(b)]).toEqual(['seen', undefined, undefined]);
  });

  it('goes when the value is replaced: the next view remembers nothing', () => {
    const slot = openSlot<string>();
    const store = storeOf(...machine());
    const [before] = store.nodes;
    if (before) slot.keep(before, 'seen');
    const again = storeOf(...machine(), pod()).nodes[0];
    expect(again && slot.recall(again)).toBeUndefined();
  });
});
