// Cached results: when they are reused and when they are computed again.
import { describe, expect, it } from 'vitest';
import { machine, pod, storeOf } from '../../test/build.ts';
import { asInstant, day, type Instant } from '../time/instant.ts';
import { memo, memoUntil } from './memo.ts';
import type { NodeView } from './nodeView.ts';

const [two, three, four] = [asInstant(2), asInstant(3), asInstant(4)];

describe('A memo', () => {
  it.each([
    ['in the memory of its owner', { memory: [] }, { memory: [] }],
    ['beside an owner that carries none', {}, { memory: 'a label of that name' }],
  ])('keeps its last result %s', (_, one, other) => {
    const asked: object[] = [];
    const ask = memo((owner: object) => asked.push(owner));
    const ask2 = memo(() => 'another memo');
    expect([ask(one), ask(one), ask2(one), ask(other), ask(one)]).toEqual([1, 1, 'another memo', 2, 1]);
    expect(asked).toEqual([one, other]);
  });

  it('computes again if another argument is not the same object', () => {
    const ask = memo((_: object, one: object, two?: number) => ({ one, two }));
    const [owner, key] = [{}, {}];
    const first = ask(owner, key, 1);
    expect(ask(owner, key, 1)).toBe(first);
    expect([ask(owner, {}, 1), ask(owner, key), ask(owner, key, 2)].includes(first)).toBe(false);
    expect(ask(owner, key, 1)).not.toBe(first);
  });

  it('treats arrays with the same elements as equal', () => {
    const ask = memo((_: object, list: readonly unknown[]) => ({ list }));
    const [owner, one] = [{}, {}];
    const first = ask(owner, [one, 2]);
    expect(ask(owner, [one, 2])).toBe(first);
    expect(ask(owner, [one, 2, 3])).not.toBe(first);
    expect(ask(owner, [{}, 2])).not.toBe(first);
  });

  it('keeps the given number of results per owner', () => {
    const asked: number[] = [];
    const ask = memo((_: object, key: number) => asked.push(key), 2);
    const owner = {};
    for (const key of [1, 2, 1, 2, 3, 2, 1]) ask(owner, key);
    expect(asked).toEqual([1, 2, 3, 1]);
  });

  it('remembers that the answer was undefined', () => {
    let asked = 0;
    const ask = memo((_: object): undefined => {
      asked++;
    });
    const owner = {};
    expect([ask(owner), ask(owner), asked]).toEqual([undefined, undefined, 1]);
  });

  it('remembers nothing of a node that has changed', () => {
    const ask = memo((_: NodeView) => ({}));
    const [before, again] = [storeOf(...machine()).nodes[0], storeOf(...machine(), pod()).nodes[0]];
    expect(before && ask(before)).toBe(before && ask(before));
    expect(again && ask(again)).not.toBe(before && ask(before));
  });
});

describe('A memo of what depends on time', () => {
  const [owner, key] = [{}, {}];
  const asked = (until: Instant | undefined, ...instants: readonly Instant[]): number => {
    let count = 0;
    const ask = memoUntil((_: object, _now, _key: object) => ({ value: ++count, until }));
    for (const now of instants) ask(owner, now, key);
    return count;
  };

  it('computes again from the instant at which time may change the result', () => {
    expect(asked(four, two, two, three)).toBe(1);
    expect(asked(four, two, four)).toBe(2);
  });

  it('computes again if time goes back', () => {
    expect(asked(four, three, two)).toBe(2);
  });

  it('trusts "no change" for less than the 400 days that are searched', () => {
    const end = asInstant(two + 300 * day);
    expect(asked(undefined, two, asInstant(end - 1))).toBe(1);
    expect(asked(undefined, two, end)).toBe(2);
  });

  it('caches nothing that is valid for one instant only', () => {
    expect(asked(two, two, two)).toBe(2);
  });
});
