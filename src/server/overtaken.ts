// Which nodes will Karpenter's hard expiry (N7) reach before the pool could have replaced them? Worked out from one round, without running anything forward.
import type { Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import type { Allowance, Round, Verdict } from '../engine/verdict.ts';
import { hardExpiry } from '../engine/wishes/expired.ts';
import { assumedReplacementTime } from '../engine/wishes/expireLead.ts';
import { isLeaving, isShared } from './shared.ts';

interface Expiring {
  readonly verdict: Verdict;
  /** When it is deleted, whatever anybody wants. */
  readonly deadline: number;
}

/**
 * How many nodes of each pool, of those that wish to go for their age and are held. Each takes as long as a replacement is assumed to
 * take, and they go in the order that saves most: so there may be more of them, and hardly fewer.
 */
export function overtaken(round: Round, cluster: Cluster, role: Settings['role'] | undefined): Map<string, number> {
  const counts = new Map<string, number>();
  // Who only watches has no wish before the deadline itself.
  if (role === 'observe') return counts;
  const held = round.verdicts.filter(
    ({ reason, outcome, refusals }) => reason === 'Expired' && outcome === 'held' && !isLeaving(refusals),
  );
  for (const [pool, verdicts] of Map.groupBy(held, (it) => it.pool)) {
    const allowance = round.allowances.find((it) => it.pool === pool && it.reason === 'Expired');
    const late = tooLate(expiringOf(verdicts, cluster), round.at, allowance);
    if (late > 0) counts.set(pool, late);
  }
  return counts;
}

function expiringOf(verdicts: readonly Verdict[], cluster: Cluster): Expiring[] {
  return verdicts
    .flatMap((verdict) => {
      const view = cluster.node(verdict.node);
      const deadline = view && hardExpiry(view, cluster.pools.get(verdict.pool));
      return deadline === undefined ? [] : [{ verdict, deadline }];
    })
    .sort((a, b) => a.deadline - b.deadline);
}

/** Where the limit is zero, they go one by one from when it changes by itself, if it does. */
function tooLate(expiring: readonly Expiring[], now: number, allowance: Allowance | undefined): number {
  const { limit = expiring.length, nextChange } = allowance ?? {};
  const opensAt = limit > 0 ? now : (nextChange ?? Number.POSITIVE_INFINITY);
  const atOnce = Math.max(limit, 1);
  let gone = 0;
  let late = 0;
  for (const { verdict, deadline } of expiring) {
    const turn = opensAt + Math.floor(gone / atOnce) * assumedReplacementTime;
    // Whoever is too late leaves its place to the next.
    if (Math.max(turn, freeAt(verdict, now)) + assumedReplacementTime > deadline) late++;
    else gone++;
  }
  return late;
}

/** What is shared with others lifts as they go: that is counted above. */
const freeAt = ({ refusals }: Verdict, now: number): number =>
  Math.max(now, ...refusals.map(({ code, liftsAt }) => liftsAt ?? (isShared(code) ? now : Number.POSITIVE_INFINITY)));
