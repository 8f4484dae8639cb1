// The same clusters in guide, with a simulated Karpenter: fewer seeds, since both controllers run.
import { describe, expect, it } from 'vitest';
import { Coverage } from './coverage.ts';
import { runSeed } from './runSeed.ts';

const seeds = Array.from({ length: 60 }, (_, index) => index + 1);
const steps = ['offered', 'taken', 'withdrawn'];
const wanted = 50;

describe('Random clusters with Karpenter, in guide', () => {
  const coverage = new Coverage();

  it.each(seeds)('nothing is disrupted that may not be, and all commands end: seed %i', (seed) => {
    const { wrong, coverage: reached } = runSeed(seed, { karpenter: true });
    coverage.add(reached);
    expect(wrong).toEqual([]);
  });

  it('every step is reached at least 50 times', () => {
    expect(steps.filter((step) => coverage.count('step', step) < wanted)).toEqual([]);
  });
});
