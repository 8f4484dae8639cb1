// The linear model agrees with trying everything.
import { describe, expect, it } from 'vitest';
import { leastCost } from './bruteForce.ts';
import { optimumOf } from './optimum.ts';
import { priceOf, smallWorld, type World } from './smallWorld.ts';

/** Few enough pods to try every placement. */
const tiny = (seed: number): World => {
  const world = smallWorld(seed, { nodes: 2 + (seed % 3), types: 3 });
  return { ...world, pods: world.pods.filter((_, index) => index < 7) };
};

const seeds = Array.from({ length: 40 }, (_, seed) => seed);

describe('the optimum of a small cluster', () => {
  it.each([false, true])('equals the result of trying everything (one step: %s)', async (isOneStep) => {
    for (const seed of seeds) {
      const world = tiny(seed);
      const found = await optimumOf(world, { isOneStep });
      expect(found?.cost, `seed ${seed}`).toBeCloseTo(leastCost(world, isOneStep), 6);
    }
  });

  it('does not depend on the known feasible cost', async () => {
    for (const seed of seeds) {
      const world = tiny(seed);
      const found = await optimumOf(world);
      const again = await optimumOf(world, { atMost: found?.cost ?? 0 });
      expect(again?.cost, `seed ${seed}`).toBeCloseTo(found?.cost ?? -1, 6);
    }
  });

  it('is often less than the cost of the cluster, and sometimes limited by budgets and rules', async () => {
    const all = await Promise.all(
      seeds.map(async (seed) => {
        const world = tiny(seed);
        const [freely, oneStep] = [await optimumOf(world), await optimumOf(world, { isOneStep: true })];
        return { start: priceOf(world), freely: freely?.cost ?? 0, oneStep: oneStep?.cost ?? 0 };
      }),
    );
    const count = (is: (it: (typeof all)[number]) => boolean): number => all.filter(is).length;
    expect(count(({ start, freely }) => freely < start - 1e-6)).toBeGreaterThan(20);
    expect(count(({ freely, oneStep }) => freely < oneStep - 1e-6)).toBeGreaterThan(1);
    expect(count(({ freely, oneStep }) => freely > oneStep + 1e-6)).toBe(0);
  });
});
