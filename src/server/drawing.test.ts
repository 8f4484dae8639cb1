import { describe, expect, it } from 'vitest';
import { decide, machine, pod, pool, storeOf } from '../../test/build.ts';
import { openDrawing } from './drawing.ts';
import { Feed } from './feed.ts';
import type { Decided, Source } from './source.ts';

const objects = [pool(), machine('n1'), pod()];
const decided: Decided = { round: decide(objects), cluster: storeOf(...objects), role: 'drive', json: {} };

/** A clock that goes on by so much whenever it is looked at: that is what drawing costs. */
function stage(cost: number, isWatched = false) {
  let now = 0;
  const feed = new Feed('r');
  const source = { latest: () => decided } as unknown as Source;
  const drawing = openDrawing({
    source,
    feed,
    isWatched: () => isWatched,
    clock: () => {
      now += cost;
      return now;
    },
  });
  const wait = (by: number): void => {
    now += by;
  };
  return { feed, drawing, wait };
}

describe('A round is drawn', () => {
  it.each([
    { it: 'always, where that is cheap', cost: 1, isWatched: false, drawn: 5 },
    { it: 'always, while somebody watches', cost: 100, isWatched: true, drawn: 5 },
    { it: 'seldom, where it is dear and nobody watches', cost: 100, isWatched: false, drawn: 1 },
  ])('$it', ({ cost, isWatched, drawn }) => {
    const { feed, drawing } = stage(cost, isWatched);
    for (let round = 0; round < 5; round++) drawing.note(decided);
    expect(feed.items.length).toBe(drawn);
  });

  it('again after a while, and at once for who comes', () => {
    const { feed, drawing, wait } = stage(100);
    drawing.note(decided);
    drawing.refresh();
    expect(feed.items.length).toBe(1);
    wait(3000);
    drawing.note(decided);
    expect(feed.items.length).toBe(2);
    drawing.note(decided);
    expect(feed.items.length).toBe(2);
    drawing.refresh();
    expect(feed.items.length).toBe(3);
  });
});
