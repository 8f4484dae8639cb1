import { describe, expect, it } from 'vitest';
import { Feed } from './feed.ts';

const filled = (count: number, limits = { items: 3, bytes: 10_000 }): Feed => {
  const feed = new Feed('r', limits);
  for (let n = 1; n <= count; n++) feed.push('story', { n });
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
    const feed = new Feed('r', { items: 100, bytes: 300 });
    for (let n = 0; n < 10; n++) feed.push('round', { text: 'x'.repeat(100) });
    expect(feed.items.length).toBe(2);
    feed.push('round', { text: 'x'.repeat(1000) });
    expect(numbers(feed.items)).toEqual([11]);
    expect(feed.lastRound?.number).toBe(11);
  });

  it('writes each item once for all who listen', () => {
    const feed = filled(0);
    const seen: Buffer[] = [];
    feed.listen(({ frame }) => seen.push(frame));
    const stop = feed.listen(({ frame }) => seen.push(frame));
    feed.push('round', { a: 'line\nbreak' });
    expect(seen[0]).toBe(seen[1]);
    expect(String(seen[0])).toBe('id: r-1\nevent: round\ndata: {"a":"line\\nbreak"}\n\n');
    stop();
    feed.push('round', {});
    expect(seen).toHaveLength(3);
  });
});
