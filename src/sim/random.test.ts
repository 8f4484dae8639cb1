// Seeded random numbers.
import { describe, expect, it } from 'vitest';
import { Random } from './random.ts';

const draws = (random: Random, count = 5): number[] => Array.from({ length: count }, () => random.next());

describe('seeded chance', () => {
  it('tells the same story for the same seed, and another for another', () => {
    expect(draws(new Random(7))).toEqual(draws(new Random(7)));
    expect(draws(new Random('7'))).toEqual(draws(new Random(7)));
    expect(draws(new Random(7))).not.toEqual(draws(new Random(8)));
  });

  it('is the same on every machine and in every version', () => {
    expect(draws(new Random(1), 3).map((draw) => draw.toFixed(6))).toMatchInlineSnapshot(`
      [
        "0.138171",
        "0.908168",
        "0.383982",
      ]
    `);
  });

  it('forks a stream that does not hang on what was drawn before', () => {
    const [one, other] = [new Random(1), new Random(1)];
    draws(other, 100);
    expect(draws(one.fork('pods'))).toEqual(draws(other.fork('pods')));
    expect(draws(one.fork('pods'))).not.toEqual(draws(one.fork('nodes')));
    expect(draws(one.fork('pods'))).not.toEqual(draws(new Random(2).fork('pods')));
  });

  it('is spread evenly, also over the first draws of neighbouring seeds', () => {
    const counts = new Array<number>(10).fill(0);
    for (let seed = 0; seed < 10_000; seed++) {
      const bucket = new Random(seed).whole(10);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
    // Ten buckets of 1,000 each; five standard deviations are 150.
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });

  it('keeps to its bounds', () => {
    const random = new Random(3);
    for (let draw = 0; draw < 1000; draw++) {
      const between = random.between(2, 3);
      expect(between).toBeGreaterThanOrEqual(2);
      expect(between).toBeLessThan(3);
      expect(['a', 'b']).toContain(random.pick(['a', 'b']));
    }
    expect(random.chance(0)).toBe(false);
    expect(random.chance(1)).toBe(true);
    expect(() => random.pick([])).toThrow(RangeError);
  });
});
