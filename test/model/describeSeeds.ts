// One shard of the seeds that CI runs. Shards run in parallel, each in its own process.
import { describe, expect, it } from 'vitest';
import { Coverage } from './coverage.ts';
import { outOfSight } from './reach.ts';
import { runSeed } from './runSeed.ts';

const seeds = 300;
const shards = 3;

export function describeSeeds(shard: number): void {
  const coverage = new Coverage();
  const mine = Array.from({ length: seeds / shards }, (_, index) => shard * (seeds / shards) + index + 1);

  describe('Random clusters, policies and faults', () => {
    it.each(mine)('no rule is violated, and all commands end: seed %i', (seed) => {
      const { wrong, coverage: reached } = runSeed(seed);
      coverage.add(reached);
      expect(wrong, `to see it again: node scripts/soak.ts --from ${seed} --seeds 1`).toEqual([]);
    });

    it('every step, refusal and fault is reached often enough', () => {
      expect(outOfSight(coverage, shards)).toEqual([]);
    });
  });
}
