// Does a roll fit before its nodes expire (J3)? Who is too old is taken whoever's turn it is.
import type { Instant } from '../time/instant.ts';
import type { Expiry } from './expiry.ts';
import type { Run } from './run.ts';

/** One that expires before the roll comes to it. */
export interface Overtaken extends Expiry {
  /** When it would have been renewed; absent = not as far as was looked. */
  readonly goesAt?: Instant;
}

export interface Fit {
  /** When the first of those that have drifted expires. */
  readonly firstExpiry: Instant;
  readonly overtaken: readonly Overtaken[];
}

/** Undefined = none of them ever expires. */
export function fitOf(pool: string, runs: readonly Run[]): Fit | undefined {
  const mine = (runs[0]?.expiries ?? []).filter((it) => it.pool === pool).sort((a, b) => a.at - b.at);
  const [first] = mine;
  if (!first) return undefined;
  return { firstExpiry: first.at, overtaken: mine.flatMap((expiry) => overtakenIn(expiry, runs)) };
}

/** Told where it is so in half of the runs or more. */
function overtakenIn(expiry: Expiry, runs: readonly Run[]): Overtaken[] {
  const late = runs.filter((run) => isLate(expiry, run));
  if (late.length * 2 < runs.length) return [];
  const goesAt = late.map((run) => goingOf(expiry, run)).find((at) => at !== undefined);
  return [{ ...expiry, ...(goesAt !== undefined && { goesAt }) }];
}

/** To go because one expires is what was to be avoided. */
const goingOf = ({ node }: Expiry, { goings }: Run): Instant | undefined =>
  goings.find((it) => it.node === node && it.reason !== 'Expired')?.at;

function isLate(expiry: Expiry, run: Run): boolean {
  const going = goingOf(expiry, run);
  // Where it was not looked as far as that, nobody can say.
  return going === undefined ? run.endedAt >= expiry.at : going > expiry.at;
}
