import { describe, it } from 'vitest';
import type { Refusal, RefusalCode } from '../../src/engine/refusal.ts';
import type { Round, Verdict } from '../../src/engine/verdict.ts';
import { asInstant, formatInstant, hour, type Instant } from '../../src/time/instant.ts';
import { decideAt, type Loaded, load } from './decide.ts';
import { fewerClusters, forAll } from './forAll.ts';
import { recorded } from './later.ts';
import { isConsumed, type Seen, see } from './oracle/cluster.ts';
import type { Plain } from './plain.ts';
import { beganWithRoom, isSame, isTaken, sameWish, say, sharedCodes } from './sameRefusal.ts';

interface Decided {
  readonly loaded: Loaded;
  readonly round: Round;
  readonly seen: Seen;
}

function decided(plain: Plain): Decided {
  const read = load(plain);
  const loaded = recorded(read, read.at);
  return { loaded, round: decideAt(loaded, loaded.at), seen: see(plain) };
}

describe('J1: the instant at which a refusal lifts by itself', () => {
  it('is the first instant at which it no longer refuses', () => {
    forAll((plain) => {
      const at = decided(plain);
      return lifting(at).flatMap((claim) => [...isEarlier(claim, at), ...isLater(claim, at)]);
    }, fewerClusters);
  });
});

interface Claim {
  readonly verdict: Verdict;
  readonly refusal: Refusal;
  readonly liftsAt: Instant;
}

/** Enough for each cluster: a frozen pool refuses all its nodes alike, except those already consumed (C7). */
const mostClaims = 6;

function lifting({ round, seen }: Decided): Claim[] {
  const claims = round.verdicts.flatMap((verdict) =>
    verdict.refusals.flatMap((refusal) =>
      refusal.liftsAt === undefined ? [] : [{ verdict, refusal, liftsAt: refusal.liftsAt }],
    ),
  );
  const kinds = Map.groupBy(claims, ({ refusal, verdict, liftsAt }) => {
    const host = seen.hosts.get(verdict.node);
    return [refusal.code, verdict.reason, liftsAt, host && isConsumed(host, verdict.reason, seen)].join();
  });
  return [...kinds.values()].flatMap(([first]) => first ?? []).slice(0, mostClaims);
}

/** The refusal is already gone a second before liftsAt. */
function isEarlier({ verdict, refusal, liftsAt }: Claim, { loaded, seen }: Decided): string[] {
  const before = asInstant(liftsAt - 1000);
  if (before <= loaded.at) return [];
  const then = sameWish(verdict, decideAt(loaded, before));
  if (isTaken(then) || then?.refusals.some((it) => isSame(it, refusal, seen))) return [];
  return [`J1: ${say(verdict, refusal)} is gone before ${formatInstant(liftsAt)}`];
}

/** The refusal is still there at liftsAt. */
function isLater({ verdict, refusal, liftsAt }: Claim, { loaded, seen }: Decided): string[] {
  const round = decideAt(loaded, liftsAt);
  const still = sameWish(verdict, round)?.refusals.find((it) => isSame(it, refusal, seen));
  if (!still || beganWithRoom(still, verdict, round, seen)) return [];
  return [`J1: ${say(verdict, refusal)} is still there at ${formatInstant(liftsAt)}: ${still.message}`];
}

describe('J1: a refusal without liftsAt', () => {
  it('is not lifted by time alone', () => {
    forAll((plain) => {
      const at = decided(plain);
      const forEver = at.round.verdicts.flatMap((verdict) =>
        verdict.refusals.filter(({ liftsAt }) => liftsAt === undefined).map((refusal) => ({ verdict, refusal })),
      );
      return laterInstants(at.round).flatMap((later) => {
        const then = decideAt(at.loaded, later);
        const gone = forEver.filter(({ verdict, refusal }) => isLifted(refusal, verdict, at, then));
        return gone.map(({ verdict, refusal }) => `J1: ${say(verdict, refusal)} is gone at ${formatInstant(later)}`);
      });
    }, fewerClusters);
  });
});

/** The first change, and two later times. */
const laterInstants = ({ at, wakeAt }: Round): Instant[] =>
  wakeAt === undefined ? [] : [wakeAt, ...[5, 100].map((hours) => asInstant(at + hours * hour))];

/** Codes that depend only on the node itself and the time; turns and placement depend on other nodes too. */
const steadyCodes: ReadonlySet<RefusalCode> = new Set([
  ...(['NotInitialized', 'NotReady', 'Rebooting', 'PoolMissing', 'PoolFault', 'PoolBackingOff', 'PolicyOff'] as const),
  ...(['ReplacementSlow', 'DriftTooRecent', 'NeedsApproval'] as const),
  ...(['NotStable', 'NodeOptedOut', 'ConsolidationOptedOut', 'RepairOptedOut', 'Held', 'PodOptedOut'] as const),
  ...(['PodScheduleClosed', 'PodBlocked', 'WindowBlocks', 'WindowNotOpen', 'WindowFault'] as const),
  'HealthGateUnknown',
]);

function isLifted(refusal: Refusal, verdict: Verdict, { round, seen }: Decided, later: Round): boolean {
  const then = sameWish(verdict, later);
  if (isTaken(then)) return false;
  const room = (at: Round): boolean => beganWithRoom(refusal, verdict, at, seen);
  // A closed Allow window holds the node by another code (P2).
  if (refusal.code === 'RateSpent' && refusal.owner?.kind === 'MaintenanceWindow') return false;
  if (sharedCodes.has(refusal.code)) return !room(round) && room(later);
  return steadyCodes.has(refusal.code) && !then?.refusals.some((it) => isSame(it, refusal, seen));
}
