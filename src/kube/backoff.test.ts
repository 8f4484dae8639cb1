import { describe, expect, it } from 'vitest';
import { asDuration } from '../time/instant.ts';
import { backoff } from './backoff.ts';

describe('a back-off', () => {
  it.each([
    { failures: 1, chance: 0, delay: 250 },
    { failures: 1, chance: 0.999, delay: 750 },
    { failures: 2, chance: 0.5, delay: 1000 },
    { failures: 4, chance: 0.5, delay: 4000 },
    { failures: 7, chance: 0.5, delay: 30_000 },
    { failures: 5000, chance: 0.5, delay: 30_000 },
    { failures: 5000, chance: 0.999, delay: 44_970 },
  ])('after $failures failures with chance $chance is $delay ms', ({ failures, chance, delay }) => {
    expect(backoff(failures, chance)).toBe(delay);
  });

  it.each([
    { name: 'is no shorter', chance: 0, delay: 10_000 },
    { name: 'is not the same for all', chance: 0.5, delay: 11_250 },
  ])('that the server asked for $name', ({ chance, delay }) => {
    expect(backoff(1, chance, asDuration(10_000))).toBe(delay);
  });
});
