// The same clusters beside Karpenter, in guide: fewer seeds, since both of them are played.
import { describe, expect, it } from 'vitest';
import { Coverage } from './coverage.ts';
import { runSeed } from './runSeed.ts';

const seeds = Array.from({ length: 60 }, (_, index) => index + 1);
const steps = ['offered', 'taken', 'withdrawn'];
const wanted = 50;

describe('Whatever the cluster, beside Karpenter', () => {
  const coverage = new Coverage();

  it.each(seeds)('nothing is taken that may not go, and all comes to rest: seed %i', (seed) => {
    const { wrong, coverage: reached } = runSeed(seed, { karpenter: true });
    coverage.add(reached);
    expect(wrong).toEqual([]);
  });

  it('every step is met again and again', () => {
    expect(steps.filter((step) => coverage.count('step', step) < wanted)).toEqual([]);
  });
});
