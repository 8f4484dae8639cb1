// Checks that a fault is named with its path, as a fault of a round or as an error.
import { expect } from 'vitest';
import type { Told } from './program.ts';
import { wrongInRound } from './roundShape.ts';

/** A pattern for each part that must match; a string must be equal. */
export interface Saying {
  readonly object?: string;
  readonly path?: string | RegExp;
  readonly line?: number;
  readonly message: RegExp;
}

/** Generous: to find unbounded growth, not slowness. */
const mostSeconds = 20;

/** A round that reports these faults, and no others of that severity. */
export function expectRound({ status, stdout, stderr, seconds }: Told, sayings: readonly Saying[]): void {
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(wrongInRound(stdout)).toEqual([]);
  const { faults } = JSON.parse(stdout) as { faults: { severity: string }[] };
  expectAll(
    faults.filter(({ severity }) => severity !== 'info'),
    sayings,
  );
  expect(seconds).toBeLessThan(mostSeconds);
}

/** No round, and these errors. */
export function expectErrors({ status, stdout, stderr, seconds }: Told, sayings: readonly Saying[]): void {
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expectAll((JSON.parse(stderr) as { errors: unknown[] }).errors, sayings);
  expect(seconds).toBeLessThan(mostSeconds);
}

function expectAll(found: readonly unknown[], sayings: readonly Saying[]): void {
  if (sayings.length === 0) expect(found).toEqual([]);
  for (const saying of sayings) expect(found).toContainEqual(asPattern(saying));
}

const asPattern = (saying: Saying): unknown =>
  expect.objectContaining(
    Object.fromEntries(
      Object.entries(saying).map(([key, part]) => [key, part instanceof RegExp ? expect.stringMatching(part) : part]),
    ),
  );
