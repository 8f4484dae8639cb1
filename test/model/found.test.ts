// Seeds with which a soak test found a bug, each with a description of the bug.
import { describe, expect, it } from 'vitest';
import { runSeed } from './runSeed.ts';

describe('Bugs found by a soak test stay fixed', () => {
  it.each([
    { seed: 70797, was: 'G6: a pod bound 1 ms before the taint was not known when the drain began' },
    { seed: 201518, was: 'the simulator gave one node name to two claims' },
    {
      seed: 401379,
      was: 'H3: pods of a PDB waited for one on a node whose kubelet was silent, and were then forced together',
    },
  ])('seed $seed: $was', ({ seed }) => {
    expect(runSeed(seed).wrong).toEqual([]);
  });
});
