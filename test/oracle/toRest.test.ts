// How near consolidation with the search comes to the optimum, and that it never ends more expensive than it began; `npm run bench -- consolidate` tries more clusters.
import { describe, expect, it } from 'vitest';
import { type Gap, gapOf, quantile, sharesAbove } from './gaps.ts';

const seeds = 60;
/** Prices are sums of a few numbers; they differ only by rounding. */
const rounding = 1e-6;

describe('A: consolidation, carried out until nothing more is found', () => {
  it(`stays between the optimum and the start on ${seeds} small clusters`, async () => {
    const gaps: Gap[] = [];
    for (let seed = 0; seed < seeds; seed++) gaps.push(await gapOf(seed));
    const shares = sharesAbove(gaps, ({ searched }) => searched);
    const of = (share: number): number => quantile(shares, share);
    expect(of(0.5), 'half of them').toBeLessThan(rounding);
    expect(of(0.75), 'three in four').toBeLessThan(0.1);
    expect(of(0.9), 'nine in ten').toBeLessThan(0.21);
    expect(of(1), 'the worst').toBeLessThan(0.36);
    expect(shares.reduce((sum, it) => sum + it, 0) / shares.length, 'on average').toBeLessThan(0.06);
    const settled = gaps.filter(({ optimum }) => optimum !== undefined);
    expect(settled.length).toBeGreaterThan(seeds * 0.9);
    expect(settled.filter(({ searched, optimum = 0 }) => searched < optimum - rounding)).toEqual([]);
    expect(settled.filter(({ alone, optimum = 0 }) => alone < optimum - rounding)).toEqual([]);
    expect(gaps.filter(({ searched, start }) => searched > start + rounding)).toEqual([]);
    expect(gaps.filter(({ alone, start }) => alone > start + rounding)).toEqual([]);
    expect(gaps.filter(({ isUnfinished }) => isUnfinished)).toEqual([]);
  });
});
