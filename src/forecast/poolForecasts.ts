// The forecast of rolls (J3): simulates the cluster several times with different seeds and reports the range of the results.
import { defined } from '../cluster/defined.ts';
import type { Reason } from '../cluster/reason.ts';
import { asDuration, asInstant, day, formatInstant, type Instant, minute } from '../time/instant.ts';
import {
  expiringOf,
  type Fit,
  fitOf,
  type HeldNode,
  horizonOf,
  type InstantRange,
  lastOf,
  middleOf,
  type NodeForecast,
  nodesOf,
  type OpeningUse,
  type PoolExpiries,
  rangeOf,
  takenOf,
} from './aggregateRuns.ts';
import {
  type DriftedCount,
  type ForecastDisruption,
  type ForecastRun,
  type RunOptions,
  runForward,
} from './forecastRun.ts';
import type { ClusterSnapshot } from './restore.ts';

export type { InstantRange } from './aggregateRuns.ts';

export interface PoolForecast {
  readonly pool: string;
  /** When its first node is chosen; absent if that does not happen in every run. */
  readonly starts?: InstantRange;
  /** Absent if it does not end in every run. */
  readonly finishes?: InstantRange;
  readonly domains: readonly DomainForecast[];
  /** Nodes that are still held at the end of every run. */
  readonly never: readonly HeldNode[];
  /** Absent if none of its drifted nodes ever expires. */
  readonly fit?: Fit;
  /** Absent if none of its nodes expires within the simulated time. */
  readonly expiring?: PoolExpiries;
  /** How many of its nodes each opening is used for. */
  readonly taken: readonly OpeningUse[];
}

interface DomainForecast {
  readonly domain?: string;
  readonly starts?: InstantRange;
  readonly finishes?: InstantRange;
}

export interface Forecast {
  readonly at: Instant;
  /** When the median run ended. */
  readonly until: Instant;
  /** The end of the simulated time. */
  readonly horizon: Instant;
  readonly runs: number;
  readonly pools: readonly PoolForecast[];
  /** All disruptions, sorted by their likely end. */
  readonly goings: readonly NodeForecast[];
  /** The number of drifted nodes over time, in the median run. */
  readonly left: readonly DriftedCount[];
  /** How much the runs agree, and the assumptions, in sentences. */
  readonly sure: readonly string[];
}

export interface ForecastOptions extends Omit<RunOptions, 'seed'> {
  readonly runs: number;
}

export function* forecastRuns(snapshot: ClusterSnapshot, options: ForecastOptions): Generator<Forecast, void> {
  const runs: ForecastRun[] = [];
  for (let seed = 1; seed <= options.runs; seed++) {
    runs.push(runForward(snapshot, { seed, for: options.for, mostRounds: options.mostRounds }));
    yield gather(snapshot, runs);
  }
}

function gather(snapshot: ClusterSnapshot, runs: readonly ForecastRun[]): Forecast {
  const middle = middleOf(runs);
  const rolled = runs.flatMap(({ left }) => left.map(({ pool }) => pool));
  const horizon = horizonOf(runs);
  const expiring = runs.flatMap(({ expiries }) => expiries.filter(({ at }) => at <= horizon).map(({ pool }) => pool));
  const pools = [...new Set([...rolled, ...expiring])].sort();
  return {
    at: snapshot.at,
    until: middle?.endedAt ?? snapshot.at,
    horizon,
    runs: runs.length,
    pools: pools.map((pool) => gatherPool(pool, runs)),
    goings: nodesOf(runs),
    left: middle?.left ?? [],
    sure: describeConfidence(snapshot, runs),
  };
}

function gatherPool(pool: string, runs: readonly ForecastRun[]): PoolForecast {
  const domains = [
    ...new Set(runs.flatMap(({ left }) => left.filter((it) => it.pool === pool).map((it) => it.domain))),
  ];
  const domainForecasts = domains.sort().map((domain): DomainForecast => {
    const isIncluded = (it: { pool: string; domain?: string }): boolean => it.pool === pool && it.domain === domain;
    const starts = rangeOf(runs.map((run) => startOf(run, isIncluded)));
    const finishes = rangeOf(runs.map((run) => finishOf(run, isIncluded)));
    return defined({ domain, starts, finishes });
  });
  const starts = rangeOf(runs.map((run) => startOf(run, (it) => it.pool === pool)));
  // Without domains there is no last end.
  const ends = runs.map((run) =>
    lastOf(domains.map((domain) => finishOf(run, (it) => it.pool === pool && it.domain === domain))),
  );
  return defined({
    pool,
    starts,
    finishes: rangeOf(ends),
    domains: domainForecasts,
    never: neverOf(pool, runs),
    fit: fitOf(pool, runs),
    expiring: expiringOf(pool, runs),
    taken: takenOf(pool, { goings: middleOf(runs)?.goings ?? [] }),
  });
}

/** When the first of these nodes is chosen for drift, even if it is not gone later; undefined = none is. */
function startOf({ goings }: ForecastRun, isIncluded: (going: ForecastDisruption) => boolean): Instant | undefined {
  const begun = goings.filter((it) => it.reason === 'Drifted' && isIncluded(it)).map(({ begunAt }) => begunAt);
  return begun.sort((a, b) => a - b)[0];
}

/** When the last of these nodes is no longer drifted; undefined = some still are at the end. */
function finishOf({ left }: ForecastRun, isIncluded: (left: DriftedCount) => boolean): Instant | undefined {
  const last = left.filter(isIncluded).at(-1);
  return last?.count === 0 ? last.at : undefined;
}

/** Drifted nodes, and those that should be replaced before they expire. */
const replacementReasons: ReadonlySet<Reason> = new Set(['Drifted', 'Expired']);

function neverOf(pool: string, runs: readonly ForecastRun[]): readonly HeldNode[] {
  const [first, ...others] = runs.filter(({ ended }) => ended === 'time').map(({ stuck }) => stuck);
  const mine = (first ?? []).filter((it) => it.pool === pool && replacementReasons.has(it.reason));
  return mine
    .filter(({ node, reason }) => others.every((stuck) => stuck.some((it) => it.node === node && it.reason === reason)))
    .map(({ node, reason, refusals }) => ({
      node,
      reason,
      why: [...new Set(refusals.map(({ message }) => message))].join('; '),
      refusals,
    }));
}

function describeConfidence({ settings, at }: ClusterSnapshot, runs: readonly ForecastRun[]): string[] {
  const ends = runs.map(({ endedAt }) => endedAt);
  const latest = asInstant(Math.max(...ends));
  const spread = latest - Math.min(...ends);
  const length = Math.max(minute, latest - at);
  const agree = spread < length / 10 ? 'agree closely' : spread < length / 3 ? 'agree roughly' : 'differ widely';
  return [
    runs.length === 1 ? 'One simulated run so far: a first estimate.' : `${runs.length} simulated runs ${agree}.`,
    'Assumes that nothing is changed, that load stays as it is, and that new nodes come up as fast as the last ones.',
    'Nodes and pods that have been unhealthy for minutes are assumed to stay so.',
    ...(settings.role === 'observe' ? ['Observe mode: this is what would happen in guide mode.'] : []),
    ...(runs[0]?.ended === 'rounds'
      ? [
          `The simulation stopped at ${formatInstant(latest)}, because to go on would take too long: what comes later is not known.`,
        ]
      : []),
  ];
}

/** Long enough to include weekly windows. Large clusters get fewer runs and fewer rounds. */
export const forecastFor = (nodes: number): ForecastOptions => ({
  runs: nodes > 500 ? 3 : 5,
  for: asDuration(9 * day),
  mostRounds: Math.max(40, Math.min(4000, Math.round(1_000_000 / Math.max(1, nodes)))),
});
