// How sure is an instant? Several runs say each its own: the first, the middle and the last of them.
import type { Instant } from '../time/instant.ts';
import type { Run } from './run.ts';

export interface Range {
  readonly early: Instant;
  readonly likely: Instant;
  readonly late: Instant;
}

/** Undefined where some run did not see it. */
export function rangeOf(seen: readonly (Instant | undefined)[]): Range | undefined {
  const known = seen.filter((at) => at !== undefined).sort((a, b) => a - b);
  if (known.length < seen.length || known.length === 0) return undefined;
  const [early, likely, late] = [known[0], known[Math.floor(known.length / 2)], known.at(-1)] as Instant[];
  return { early: early as Instant, likely: likely as Instant, late: late as Instant };
}

/** The run that ends neither first nor last. */
export const middleOf = (runs: readonly Run[]): Run =>
  [...runs].sort((a, b) => a.endedAt - b.endedAt)[Math.floor(runs.length / 2)] as Run;
