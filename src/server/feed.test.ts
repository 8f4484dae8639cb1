import { constants, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Picture } from '../engine/picture/picture.ts';
import { applyChange, emptyPicture, type PictureChange } from '../engine/picture/pictureChange.ts';
import type { Instant } from '../time/instant.ts';
import { type EventFrame, gzipHeader, ViewerFeed } from './feed.ts';

const event = (n: number) => ({ kind: 'NodeGone', text: `${n}` });
const fault = (object: string) => ({ object, path: 'spec', message: 'no', severity: 'error' as const });

const filled = (count: number, limits = { items: 3, bytes: 10_000 }): ViewerFeed => {
  const feed = new ViewerFeed('r', limits);
  for (let n = 1; n <= count; n++) feed.pushStory(event(n));
  return feed;
};

const numbers = (items: readonly { number: number }[] | undefined): number[] | undefined =>
  items?.map(({ number }) => number);

describe('A feed', () => {
  it.each([
    { since: 'r-0', has: [1, 2] },
    { since: 'r-1', has: [2] },
    { since: 'r-2', has: [] },
    { since: 'r-3', has: undefined },
    { since: 'q-1', has: undefined },
    { since: 'r', has: undefined },
    { since: 'r--1', has: undefined },
    { since: '', has: undefined },
  ])('after $since has $has', ({ since, has }) => {
    expect(numbers(filled(2).since(since))).toEqual(has);
  });

  it('forgets the oldest, and says where something is missing', () => {
    const feed = filled(5);
    expect(numbers(feed.items)).toEqual([3, 4, 5]);
    expect(numbers(feed.since('r-2'))).toEqual([3, 4, 5]);
    expect(feed.since('r-1')).toBeUndefined();
  });

  it('is bounded in bytes too, but keeps the newest', () => {
    const feed = new ViewerFeed('r', { items: 100, bytes: 300 });
    for (let n = 0; n < 10; n++) feed.pushStory({ kind: 'x', text: 'x'.repeat(70) });
    expect(feed.items.length).toBe(2);
    feed.pushStory({ kind: 'x', text: 'x'.repeat(1000) });
    expect(numbers(feed.items)).toEqual([11]);
  });

  it('remembers what was there before the first item', () => {
    const feed = new ViewerFeed('r', { items: 2, bytes: 10_000 });
    const pictures = [1, 2, 3, 4].map(
      (n): Picture => ({ ...emptyPicture, at: n as Instant, faults: [fault(`f${n}`)] }),
    );
    for (const picture of pictures) feed.pushPicture(picture);
    expect(feed.base).toEqual(pictures[1]);
    const changes = feed.items.map(({ value }) => value as PictureChange);
    expect(changes.reduce(applyChange, feed.base)).toEqual(pictures[3]);
  });

  it('writes each item once for all who listen, packed too', () => {
    const feed = filled(0);
    const seen: EventFrame[] = [];
    feed.listen(({ frame }) => seen.push(frame));
    const stop = feed.listen(({ frame }) => seen.push(frame));
    feed.pushStory({ kind: 'a', text: 'line\nbreak' });
    expect(seen[0]).toBe(seen[1]);
    expect(String(seen[0]?.bytes)).toBe('id: r-1\nevent: story\ndata: {"kind":"a","text":"line\\nbreak"}\n\n');
    expect(seen[0]?.compressed).toBe(seen[1]?.compressed);
    stop();
    feed.pushStory({ kind: 'a', text: '' });
    expect(seen).toHaveLength(3);
  });

  it('can be joined at any item by who reads packed', () => {
    const frames = filled(3).items.map(({ frame }) => frame);
    for (const from of [0, 1, 2]) {
      const late = frames.slice(from);
      const bytes = Buffer.concat([gzipHeader, ...late.map(({ compressed }) => compressed)]);
      const read = gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
      expect(String(read)).toBe(late.map((it) => String(it.bytes)).join(''));
    }
  });

  it('writes the whole picture once until something happens', () => {
    const feed = filled(1);
    expect(feed.whole).toBeUndefined();
    feed.pushPicture(emptyPicture);
    const { whole } = feed;
    expect(feed.whole).toBe(whole);
    expect(String(whole?.bytes)).toMatch(/^id: r-2\nevent: whole\ndata: \{"at":0/);
    feed.pushStory(event(2));
    expect(String(feed.whole?.bytes)).toMatch(/^id: r-3\n/);
  });
});
