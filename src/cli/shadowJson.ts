// How does a shadow read to a machine? Fields may be added, never renamed; absent means absent.
import type { Refusal } from '../engine/refusal.ts';
import type { Shadow, Shadowed } from '../recording/shadow.ts';
import { formatDuration } from '../time/duration.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { summarise, verdictOf, type Wait, waitOf } from './shadowSummary.ts';
import { untilAsJson } from './until.ts';

export function shadowAsJson(shadow: Shadow): unknown {
  const { longestWait, byCode, atOnce, ...counts } = summarise(shadow);
  return {
    from: formatInstant(shadow.from),
    to: formatInstant(shadow.to),
    rounds: shadow.rounds,
    taken: shadow.taken.map(takenAsJson),
    before: shadow.before,
    summary: {
      ...counts,
      byCode: Object.fromEntries(byCode),
      longestWait: longestWait && { node: longestWait.node, reason: longestWait.reason, ...waitAsJson(longestWait) },
      atOnce: atOnce.map(({ zones, ...it }) => ({
        ...it,
        at: formatInstant(it.at),
        zones: zones.length > 0 ? zones : undefined,
      })),
    },
  };
}

function takenAsJson(it: Shadowed): unknown {
  const { opinion, notAsked, at, goneAt, releasedAt, ...about } = it;
  const wait = waitOf(it);
  return {
    ...about,
    at: formatInstant(at),
    goneAt: optional(goneAt),
    releasedAt: optional(releasedAt),
    verdict: verdictOf(it),
    notAsked,
    refusals: (opinion?.refusals ?? []).map(refusalAsJson),
    ...(opinion?.until && untilAsJson(opinion.until)),
    ...(wait && waitAsJson(wait)),
    limit: opinion?.pool.limit,
    inUse: opinion?.pool.inUse,
    domains: opinion && opinion.domains.length > 0 ? opinion.domains : undefined,
    inFlight: opinion?.inFlight,
    zones: opinion?.zones,
  };
}

const waitAsJson = ({ waits, isExact }: Wait): object => ({
  waits: formatDuration(waits),
  atLeast: isExact ? undefined : true,
});

const optional = (at: Instant | undefined): string | undefined => (at === undefined ? undefined : formatInstant(at));

const refusalAsJson = ({ liftsAt, ...rest }: Refusal): unknown => ({
  ...rest,
  liftsAt: liftsAt === undefined ? undefined : formatInstant(liftsAt),
});
