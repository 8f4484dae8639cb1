// How long before Karpenter's hard expiry must a pool begin to roll its old nodes (N7)?
import type { Pool } from '../../cluster/model.ts';
import { after, asDuration, asInstant, type Duration, day, type Instant, minute } from '../../time/instant.ts';
import { opensAt, type Window } from '../../time/window.ts';
import { limitAt } from '../limits/budgets.ts';
import { openByBudgets, openHours } from '../limits/poolHours.ts';
import type { Situation } from '../situation.ts';

/** Until a replacement has been timed: what clouds commonly take from launch to Initialized. */
export const assumedReplacementTime = asDuration(5 * minute);
const leastShare = 0.1;
const mostShare = 0.5;

export function expireLead(pool: Pool, lifetime: Duration, born: Instant, situation: Situation): Duration {
  const { expireLead: setting } = situation.settings;
  if (setting !== 'auto') return asDuration(Math.min(setting, lifetime * mostShare));
  const start = asInstant(Math.floor(born / monthly) * monthly);
  const needed = leadOf(pool, situation)(start, lifetime);
  return asDuration(Math.round(Math.min(Math.max(needed, lifetime * leastShare), lifetime * mostShare)));
}

type Lead = (start: Instant, lifetime: Duration) => number;

/** Worked out once a round for a pool: its hours and how long it takes to roll. */
function leadOf(pool: Pool, situation: Situation): Lead {
  const pools = perRound.get(situation) ?? new Map<Pool, Lead>();
  perRound.set(situation, pools);
  const known = pools.get(pool) ?? workOutLead(pool, situation);
  pools.set(pool, known);
  return known;
}

const perRound = new WeakMap<Situation, Map<Pool, Lead>>();

function workOutLead(pool: Pool, situation: Situation): Lead {
  const open = openHours(pool, situation.tallies.get(pool.name)?.nodes ?? [], 'Expired');
  const rolling = new Map<Instant, number>();
  return (start, lifetime) => {
    const closed = rememberedOf(open, lifetime);
    const longest = closed.get(start) ?? longestClosed(open, start, lifetime);
    closed.set(start, longest);
    const time = rolling.get(start) ?? rollingTime(pool, start, situation);
    rolling.set(start, time);
    return longest + time;
  };
}

/** Pool size ÷ limit × replacement time. */
function rollingTime(pool: Pool, start: Instant, { tallies, settings }: Situation): number {
  const counted = tallies.get(pool.name)?.counted ?? 0;
  const open = openByBudgets(pool, 'Expired');
  const at = opensAt(open, start) ?? start;
  const { limit = counted } = limitAt({ pool, reason: 'Expired', counted, rule: settings.defaultBudgets }, at);
  return Math.ceil(counted / Math.max(limit, 1)) * assumedReplacementTime;
}

/** One look a month: the same for all claims born in it, and it does not move while a claim grows old. */
const monthly = 30 * day;
/** At least so far ahead that a window of once a month is seen to open twice. */
const leastHorizon = 62 * day;

function longestClosed(open: Window, start: Instant, lifetime: Duration): number {
  const end = after(start, asDuration(Math.max(lifetime, leastHorizon)));
  let longest = 0;
  for (let at: Instant | undefined = start; at !== undefined && at < end; ) {
    const change: Instant | undefined = open.nextChange(at);
    // A stretch counts whole, also where it begins before or ends after what is looked at.
    if (!open.isOpen(at)) longest = Math.max(longest, (change ?? end) - (open.lastChange(at) ?? at));
    at = change;
  }
  return longest;
}

type Months = Map<Instant, number>;

/** Asked for every node of a pool, and the same for all that were born in one month. */
const stretches = new WeakMap<Window, Map<Duration, Months>>();

function rememberedOf(open: Window, lifetime: Duration): Months {
  const lifetimes = stretches.get(open) ?? new Map<Duration, Months>();
  stretches.set(open, lifetimes);
  const months = lifetimes.get(lifetime) ?? new Map<Instant, number>();
  lifetimes.set(lifetime, months);
  return months;
}
