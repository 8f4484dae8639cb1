// When will it be done (J3)? The simulator run forward from now, several times with other chance: between the runs lies how sure it is.
import type { Reason } from '../cluster/reason.ts';
import { asDuration, asInstant, day, formatInstant, type Instant, minute } from '../time/instant.ts';
import { type Expiring, expiringOf, type Fit, fitOf, horizonOf } from './fit.ts';
import type { Held } from './held.ts';
import { type NodeForecast, nodesOf } from './nodeForecast.ts';
import { middleOf, type Range, rangeOf } from './range.ts';
import { type Going, type Left, type Run, type RunOptions, runForward } from './run.ts';
import type { Snapshot } from './snapshot.ts';
import { type Taken, takenOf } from './taken.ts';

export type { Range } from './range.ts';

export interface PoolForecast {
  readonly pool: string;
  /** When the first of its nodes is chosen; absent where some run did not see that. */
  readonly starts?: Range;
  /** Absent where some run did not see its end. */
  readonly finishes?: Range;
  readonly domains: readonly DomainForecast[];
  /** Nodes that are still held in every run when the simulated time ends. */
  readonly never: readonly Held[];
  /** Absent where none of its drifted nodes ever expires. */
  readonly fit?: Fit;
  /** Absent where none of its nodes expires within the simulated time. */
  readonly expiring?: Expiring;
  /** Which window takes how many of its nodes. */
  readonly taken: readonly Taken[];
}

export interface DomainForecast {
  readonly domain?: string;
  readonly starts?: Range;
  readonly finishes?: Range;
}

export interface Forecast {
  readonly at: Instant;
  /** When the middle run ended. */
  readonly until: Instant;
  /** How far ahead was looked. */
  readonly horizon: Instant;
  readonly runs: number;
  readonly pools: readonly PoolForecast[];
  /** Each disruption, by when it is likely to be over. */
  readonly goings: readonly NodeForecast[];
  /** Of the middle run: how many drifted nodes are left, as they become fewer. */
  readonly left: readonly Left[];
  /** What it rests on, in sentences. */
  readonly sure: readonly string[];
}

export interface ForecastOptions extends Omit<RunOptions, 'seed'> {
  readonly runs: number;
}

export function* forecastRuns(snapshot: Snapshot, options: ForecastOptions): Generator<Forecast, void> {
  const runs: Run[] = [];
  for (let seed = 1; seed <= options.runs; seed++) {
    runs.push(runForward(snapshot, { seed, for: options.for, mostRounds: options.mostRounds }));
    yield gather(snapshot, runs);
  }
}

function gather(snapshot: Snapshot, runs: readonly Run[]): Forecast {
  const middle = middleOf(runs);
  const rolled = runs.flatMap(({ left }) => left.map(({ pool }) => pool));
  const horizon = horizonOf(runs);
  const expiring = runs.flatMap(({ expiries }) => expiries.filter(({ at }) => at <= horizon).map(({ pool }) => pool));
  const pools = [...new Set([...rolled, ...expiring])].sort();
  return {
    at: snapshot.at,
    until: middle.endedAt,
    horizon,
    runs: runs.length,
    pools: pools.map((pool) => gatherPool(pool, runs)),
    goings: nodesOf(runs),
    left: middle.left,
    sure: saySure(snapshot, runs),
  };
}

function gatherPool(pool: string, runs: readonly Run[]): PoolForecast {
  const domains = [
    ...new Set(runs.flatMap(({ left }) => left.filter((it) => it.pool === pool).map((it) => it.domain))),
  ];
  const told = domains.sort().map((domain): DomainForecast => {
    const isMeant = (it: { pool: string; domain?: string }): boolean => it.pool === pool && it.domain === domain;
    const starts = rangeOf(runs.map((run) => startOf(run, isMeant)));
    const finishes = rangeOf(runs.map((run) => finishOf(run, isMeant)));
    return { ...(domain !== undefined && { domain }), ...(starts && { starts }), ...(finishes && { finishes }) };
  });
  const starts = rangeOf(runs.map((run) => startOf(run, (it) => it.pool === pool)));
  const expiring = expiringOf(pool, runs);
  const finishes =
    domains.length === 0
      ? undefined
      : rangeOf(
          runs.map((run) => {
            const ends = domains.map((domain) => finishOf(run, (it) => it.pool === pool && it.domain === domain));
            return ends.some((end) => end === undefined) ? undefined : (Math.max(...(ends as number[])) as Instant);
          }),
        );
  const fit = fitOf(pool, runs);
  return {
    pool,
    ...(starts && { starts }),
    ...(finishes && { finishes }),
    domains: told,
    never: neverOf(pool, runs),
    ...(fit && { fit }),
    ...(expiring && { expiring }),
    taken: takenOf(pool, middleOf(runs)),
  };
}

/** When the first of them is chosen for drift, be it gone later or not; undefined = none is. */
function startOf({ goings }: Run, isMeant: (going: Going) => boolean): Instant | undefined {
  const begun = goings.filter((it) => it.reason === 'Drifted' && isMeant(it)).map(({ begunAt }) => begunAt);
  return begun.sort((a, b) => a - b)[0];
}

/** When the last of them is no longer drifted; undefined = some are at the end. */
function finishOf({ left }: Run, isMeant: (left: Left) => boolean): Instant | undefined {
  const last = left.filter(isMeant).at(-1);
  return last?.count === 0 ? last.at : undefined;
}

/** Drifted nodes, and those that should be replaced before they expire. */
const renewals: ReadonlySet<Reason> = new Set(['Drifted', 'Expired']);

function neverOf(pool: string, runs: readonly Run[]): readonly Held[] {
  const [first, ...others] = runs.filter(({ ended }) => ended === 'time').map(({ stuck }) => stuck);
  const mine = (first ?? []).filter((it) => it.pool === pool && renewals.has(it.reason));
  return mine
    .filter(({ node, reason }) => others.every((stuck) => stuck.some((it) => it.node === node && it.reason === reason)))
    .map(({ node, reason, refusals }) => ({
      node,
      reason,
      why: [...new Set(refusals.map(({ message }) => message))].join('; '),
      refusals,
    }));
}

function saySure({ settings, at }: Snapshot, runs: readonly Run[]): string[] {
  const ends = runs.map(({ endedAt }) => endedAt);
  const latest = asInstant(Math.max(...ends));
  const spread = latest - Math.min(...ends);
  const length = Math.max(minute, latest - at);
  const agree = spread < length / 10 ? 'agree closely' : spread < length / 3 ? 'agree roughly' : 'differ widely';
  const { ended } = runs[0] as Run;
  return [
    runs.length === 1 ? 'One simulated run so far: a first estimate.' : `${runs.length} simulated runs ${agree}.`,
    'Assumes that nothing is changed, that load stays as it is, and that new nodes come up as fast as the last ones.',
    'Nodes and pods that have been unhealthy for minutes are assumed to stay so.',
    ...(settings.role === 'observe' ? ['Observe mode: this is what would happen in guide mode.'] : []),
    ...(ended === 'rounds'
      ? [
          `The simulation stopped at ${formatInstant(latest)}, because to go on would take too long: what comes later is not known.`,
        ]
      : []),
  ];
}

/** So far that what opens once a week is seen to open; of a large cluster fewer runs, and not as far. */
export const forecastFor = (nodes: number): ForecastOptions => ({
  runs: nodes > 500 ? 3 : 5,
  for: asDuration(9 * day),
  mostRounds: Math.max(40, Math.min(4000, Math.round(1_000_000 / Math.max(1, nodes)))),
});
