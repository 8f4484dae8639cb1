// Is Lull's end never better than the best there is, and never dearer than where it began? How near it comes is printed, not asserted; `npm run bench -- consolidate` asks more of them.
import { describe, expect, it } from 'vitest';
import { type Gap, gapOf, quantile, sharesAbove } from './gaps.ts';

const seeds = 60;
/** Prices are sums of a few; they differ by rounding alone. */
const rounding = 1e-6;

describe('A: consolidation, carried out until nothing more is found', () => {
  it(`stays between the optimum and the start on ${seeds} small clusters`, async () => {
    const gaps: Gap[] = [];
    for (let seed = 0; seed < seeds; seed++) gaps.push(await gapOf(seed));
    const of = (share: number): string =>
      `${(
        100 *
          quantile(
            sharesAbove(gaps, ({ searched }) => searched),
            share,
          )
      ).toFixed(1)} %`;
    process.stdout.write(`above the optimum: median ${of(0.5)}, 90 of 100 ${of(0.9)}, worst ${of(1)}\n`);
    const settled = gaps.filter(({ optimum }) => optimum !== undefined);
    expect(settled.length).toBeGreaterThan(seeds * 0.9);
    expect(settled.filter(({ searched, optimum = 0 }) => searched < optimum - rounding)).toEqual([]);
    expect(settled.filter(({ alone, optimum = 0 }) => alone < optimum - rounding)).toEqual([]);
    expect(gaps.filter(({ searched, start }) => searched > start + rounding)).toEqual([]);
    expect(gaps.filter(({ alone, start }) => alone > start + rounding)).toEqual([]);
    expect(gaps.filter(({ isUnfinished }) => isUnfinished)).toEqual([]);
  });
});
