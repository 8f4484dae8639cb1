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
  it('is the first at which it no longer refuses', () => {
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

/** Enough of each cluster: a frozen pool says the same of every node, but for those that use a unit already (C7). */
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

/** Gone a second before it was to lift. */
function isEarlier({ verdict, refusal, liftsAt }: Claim, { loaded, seen }: Decided): string[] {
  const before = asInstant(liftsAt - 1000);
  if (before <= loaded.at) return [];
  const then = sameWish(verdict, decideAt(loaded, before));
  if (isTaken(then) || then?.refusals.some((it) => isSame(it, refusal, seen))) return [];
  return [`J1: ${say(verdict, refusal)} is gone before ${formatInstant(liftsAt)}`];
}

/** Still there when it was to lift. */
function isLater({ verdict, refusal, liftsAt }: Claim, { loaded, seen }: Decided): string[] {
  const round = decideAt(loaded, liftsAt);
  const still = sameWish(verdict, round)?.refusals.find((it) => isSame(it, refusal, seen));
  if (!still || beganWithRoom(still, verdict, round, seen)) return [];
  return [`J1: ${say(verdict, refusal)} is still there at ${formatInstant(liftsAt)}: ${still.message}`];
}

describe('J1: a refusal that names no such instant', () => {
  it('is not lifted by time', () => {
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

/** The first change, and some of the days after it. */
const laterInstants = ({ at, wakeAt }: Round): Instant[] =>
  wakeAt === undefined ? [] : [wakeAt, ...[5, 100].map((hours) => asInstant(at + hours * hour))];

/** Codes that hang on the node itself and the clock. Whether turns and places are free hangs on others too. */
const steadyCodes: ReadonlySet<RefusalCode> = new Set([
  ...(['NotInitialized', 'NotReady', 'Rebooting', 'PoolMissing', 'PoolFault', 'PoolBackingOff', 'PolicyOff'] as const),
  ...(['ReplacementSlow'] as const),
  ...(['NotStable', 'NodeOptedOut', 'ConsolidationOptedOut', 'RepairOptedOut', 'Held', 'PodOptedOut'] as const),
  ...(['PodScheduleClosed', 'PodBlocked', 'WindowBlocks', 'WindowNotOpen', 'WindowFault'] as const),
]);

function isLifted(refusal: Refusal, verdict: Verdict, { round, seen }: Decided, later: Round): boolean {
  const then = sameWish(verdict, later);
  if (isTaken(then)) return false;
  const room = (at: Round): boolean => beganWithRoom(refusal, verdict, at, seen);
  if (sharedCodes.has(refusal.code)) return !room(round) && room(later);
  return steadyCodes.has(refusal.code) && !then?.refusals.some((it) => isSame(it, refusal, seen));
}
