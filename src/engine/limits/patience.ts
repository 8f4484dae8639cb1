// C12: when has a domain kept the others waiting long enough? Time during which the whole pool is closed does not count.
import type { Turn } from '../../cluster/ledger.ts';
import type { Budget } from '../../cluster/model.ts';
import { after, asDuration, type Instant } from '../../time/instant.ts';
import type { Window } from '../../time/window.ts';
import type { Tally } from '../situation.ts';
import { openHours } from './poolHours.ts';

/** A pool that opens for a minute a day uses up an hour of patience in sixty openings; beyond this many nobody waits. */
const maxOpenings = 1000;

/** Whose patience, and with which pool. */
interface Waiting {
  readonly budget: Budget;
  readonly tally: Pick<Tally, 'pool' | 'nodes'>;
}

/** The instant at which patience is used up; undefined = not as long as the pool stays closed. */
export function patienceEndsAt(turn: Turn, { budget, tally }: Waiting): Instant | undefined {
  const hours = openHours(tally.pool, tally.nodes, 'Drifted');
  const known = remembered.get(turn);
  if (known?.hours === hours && known.budget === budget) return known.endsAt;
  const endsAt = walk(turn, budget, hours);
  remembered.set(turn, { hours, budget, endsAt });
  return endsAt;
}

/** It does not hang on when it is asked: worked out once for a turn as it is recorded. */
const remembered = new WeakMap<Turn, { hours: Window; budget: Budget; endsAt: Instant | undefined }>();

function walk(turn: Turn, budget: Budget, hours: Window): Instant | undefined {
  let left = budget.patience;
  let at: Instant | undefined = turn.progressAt;
  for (let openings = 0; at !== undefined && openings < maxOpenings; openings++) {
    if (!hours.isOpen(at)) at = hours.nextChange(at);
    if (at === undefined) return undefined;
    const closes: Instant | undefined = hours.nextChange(at);
    if (closes === undefined || closes - at >= left) return after(at, left);
    left = asDuration(left - (closes - at));
    at = closes;
  }
  return undefined;
}
