// Seeds that a soak found, each with what was wrong then.
import { describe, expect, it } from 'vitest';
import { runSeed } from './runSeed.ts';

describe('What a soak found stays mended', () => {
  it.each([
    { seed: 70797, was: 'G6: a pod bound 1 ms before the taint was not known when the drain began' },
    { seed: 201518, was: 'the simulator gave one node name to two claims' },
  ])('seed $seed: $was', ({ seed }) => {
    expect(runSeed(seed).wrong).toEqual([]);
  });
});
