// Whether nodes are replaced before they expire (J3): Karpenter deletes a node at the end of its life, whatever holds it.
import { asInstant, type Instant } from '../time/instant.ts';
import type { Expiry } from './expiry.ts';
import { type Range, rangeOf } from './range.ts';
import type { Run } from './run.ts';

/** A node that expires before it is replaced for any other reason. */
export interface Overtaken extends Expiry {
  /** When it would have been replaced; absent = not within the time that was simulated. */
  readonly goesAt?: Instant;
}

export interface Fit {
  /** When the first of the drifted nodes expires. */
  readonly firstExpiry: Instant;
  readonly overtaken: readonly Overtaken[];
}

/** Of a pool's drifted nodes. Undefined = none of them ever expires. */
export function fitOf(pool: string, runs: readonly Run[]): Fit | undefined {
  const mine = expiriesIn(pool, runs).filter(({ isDrifted }) => isDrifted);
  const [first] = mine;
  if (!first) return undefined;
  return { firstExpiry: first.at, overtaken: mine.flatMap((expiry) => overtakenIn(expiry, runs)) };
}

/** A pool's nodes that expire within the time that was simulated. */
export interface Expiring {
  readonly nodes: number;
  /** When the last of them is gone; absent where some run did not see that. */
  readonly finishes?: Range;
  /** Those that Karpenter deletes at their deadline, in half of the runs or more. */
  readonly forced: readonly Expiry[];
}

/** Undefined = none does. */
export function expiringOf(pool: string, runs: readonly Run[]): Expiring | undefined {
  const horizon = horizonOf(runs);
  const mine = expiriesIn(pool, runs).filter(({ at }) => at <= horizon);
  if (mine.length === 0) return undefined;
  const ends = runs.map((run) => lastOf(mine.map(({ node }) => run.goings.findLast((it) => it.node === node)?.at)));
  const finishes = rangeOf(ends);
  const forced = mine.filter(({ node }) => runs.filter((run) => run.forced.has(node)).length * 2 >= runs.length);
  return { nodes: mine.length, ...(finishes && { finishes }), forced };
}

/** As far as every run looked. */
export const horizonOf = (runs: readonly Run[]): Instant => asInstant(Math.min(...runs.map((it) => it.horizon)));

const expiriesIn = (pool: string, runs: readonly Run[]): readonly Expiry[] =>
  (runs[0]?.expiries ?? []).filter((it) => it.pool === pool).sort((a, b) => a.at - b.at);

function lastOf(instants: readonly (Instant | undefined)[]): Instant | undefined {
  let last: Instant | undefined;
  for (const at of instants) {
    if (at === undefined) return undefined;
    if (last === undefined || at > last) last = at;
  }
  return last;
}

/** Reported where it is so in half of the runs or more. */
function overtakenIn(expiry: Expiry, runs: readonly Run[]): Overtaken[] {
  const late = runs.filter((run) => isLate(expiry, run));
  if (late.length * 2 < runs.length) return [];
  const goesAt = late.map((run) => goingOf(expiry, run)).find((at) => at !== undefined);
  return [{ ...expiry, ...(goesAt !== undefined && { goesAt }) }];
}

/** A node that is replaced because it expires was overtaken all the same. */
const goingOf = ({ node }: Expiry, { goings }: Run): Instant | undefined =>
  goings.find((it) => it.node === node && it.reason !== 'Expired')?.at;

function isLate(expiry: Expiry, run: Run): boolean {
  const going = goingOf(expiry, run);
  // A deadline beyond the time that was simulated says nothing.
  return going === undefined ? run.horizon >= expiry.at : going > expiry.at;
}
