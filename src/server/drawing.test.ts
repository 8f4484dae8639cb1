import { describe, expect, it } from 'vitest';
import { decide, machine, pod, pool, storeOf } from '../../test/build.ts';
import { emptyLedger } from '../cluster/ledger.ts';
import { openDrawing, ViewerFeed } from './feed.ts';
import type { DecidedRound, RoundSource } from './roundSource.ts';

const objects = [pool(), machine('n1'), pod()];
const decided: DecidedRound = {
  round: decide(objects),
  cluster: storeOf(...objects),
  ledger: emptyLedger,
  role: 'drive',
  json: {},
};

/** A clock that advances by `cost` at each reading, as if drawing took that long. */
function stage(cost: number, isWatched = false) {
  let now = 0;
  const feed = new ViewerFeed('r');
  const source = { latest: () => decided } as unknown as RoundSource;
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
    { it: 'always, if that is cheap', cost: 1, isWatched: false, drawn: 5 },
    { it: 'always, while a viewer is connected', cost: 100, isWatched: true, drawn: 5 },
    { it: 'seldom, if it is expensive and no viewer is connected', cost: 100, isWatched: false, drawn: 1 },
  ])('$it', ({ cost, isWatched, drawn }) => {
    const { feed, drawing } = stage(cost, isWatched);
    for (let round = 0; round < 5; round++) drawing.note(decided);
    expect(feed.items.length).toBe(drawn);
  });

  it('again after a while, and at once on a refresh', () => {
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
