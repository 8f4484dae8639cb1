// Aggregates simulated runs (J3): when each node is disrupted, within which range, in which window, which nodes stay held, and
// whether nodes are replaced before they expire.
import { defined } from '../cluster/defined.ts';
import { compareText } from '../cluster/nodeView.ts';
import type { Reason } from '../cluster/reason.ts';
import type { Refusal } from '../engine/refusal.ts';
import { asInstant, formatInstant, type Instant } from '../time/instant.ts';
import type { ForecastDisruption, ForecastExpiry, ForecastRun } from './forecastRun.ts';
import type { DisruptionOpening } from './openings.ts';

export interface InstantRange {
  readonly early: Instant;
  readonly likely: Instant;
  readonly late: Instant;
}

/** Undefined if it did not happen in every run. */
export function rangeOf(seen: readonly (Instant | undefined)[]): InstantRange | undefined {
  const known = seen.filter((at) => at !== undefined).sort((a, b) => a - b);
  if (known.length < seen.length) return undefined;
  const [early, likely, late] = [known[0], middle(known), known.at(-1)];
  if (early === undefined || likely === undefined || late === undefined) return undefined;
  return { early, likely, late };
}

/** The run with the median end. */
export const middleOf = (runs: readonly ForecastRun[]): ForecastRun | undefined =>
  middle([...runs].sort((a, b) => a.endedAt - b.endedAt));

const middle = <T>(sorted: readonly T[]): T | undefined => sorted[Math.floor(sorted.length / 2)];

export interface NodeForecast {
  readonly node: string;
  readonly pool: string;
  readonly domain?: string;
  readonly reason: Reason;
  /** When it is likely to be chosen and, in `at`, to be gone. */
  readonly begunAt: Instant;
  readonly at: Instant;
  readonly late: Instant;
  /** In how many runs it is disrupted for that reason. */
  readonly runs: number;
}

/** Disruptions in at least half of the runs. Rarer ones are chance: another node may be chosen instead. */
export function nodesOf(runs: readonly ForecastRun[]): readonly NodeForecast[] {
  const all = Map.groupBy(
    runs.flatMap(({ goings }) => goings),
    ({ node, reason }) => `${node} ${reason}`,
  );
  return [...all.values()]
    .filter((goings) => goings.length * 2 >= runs.length)
    .flatMap(gather)
    .sort((a, b) => a.at - b.at || compareText(a.node, b.node));
}

function gather(goings: readonly ForecastDisruption[]): NodeForecast[] {
  const sorted = [...goings].sort((a, b) => a.at - b.at);
  const [likely, last] = [middle(sorted), sorted.at(-1)];
  if (!likely || !last) return [];
  const { through: _, ...going } = likely;
  return [{ ...going, late: last.at, runs: goings.length }];
}

export interface HeldNode {
  readonly node: string;
  readonly reason: Reason;
  /** The messages of all rules that hold it. */
  readonly why: string;
  readonly refusals: readonly Refusal[];
}

/** One entry per node, with the messages for all its reasons. */
export function byNode(never: readonly HeldNode[]): readonly Pick<HeldNode, 'node' | 'why'>[] {
  const rules = new Map<string, Set<string>>();
  for (const { node, refusals } of never) {
    const known = rules.get(node) ?? new Set();
    rules.set(node, known);
    for (const { message } of refusals) known.add(message);
  }
  return [...rules].map(([node, why]) => ({ node, why: [...why].join('; ') }));
}

export interface OpeningUse extends DisruptionOpening {
  readonly nodes: number;
}

/** In the order in which they open. Nodes that needed no opening are not counted. */
export function takenOf(pool: string, { goings }: Pick<ForecastRun, 'goings'>): readonly OpeningUse[] {
  const passages = goings.filter((it) => it.pool === pool && it.reason === 'Drifted').flatMap(({ through }) => through);
  const opened = Map.groupBy(passages, ({ kind, name, index, from }) =>
    [kind, name, index, formatOpening(from)].join(' '),
  );
  return [...opened.values()]
    .flatMap(([first, ...others]) => (first ? [{ ...first, nodes: others.length + 1 }] : []))
    .sort((a, b) => (a.from ?? 0) - (b.from ?? 0));
}

const formatOpening = (from: DisruptionOpening['from']): string =>
  from === undefined ? 'always' : formatInstant(from);

/** A node that expires before it is replaced for another reason. */
interface ExpiresFirst extends ForecastExpiry {
  /** When it would have been replaced; absent = not within the simulated time. */
  readonly goesAt?: Instant;
}

export interface Fit {
  /** When the first of the drifted nodes expires. */
  readonly firstExpiry: Instant;
  readonly overtaken: readonly ExpiresFirst[];
}

/** Whether a pool's drifted nodes are replaced before they expire. Undefined = none of them ever expires. */
export function fitOf(pool: string, runs: readonly ForecastRun[]): Fit | undefined {
  const mine = expiriesIn(pool, runs).filter(({ isDrifted }) => isDrifted);
  const [first] = mine;
  if (!first) return undefined;
  return { firstExpiry: first.at, overtaken: mine.flatMap((expiry) => overtakenIn(expiry, runs)) };
}

/** A pool's nodes that expire within the simulated time. */
export interface PoolExpiries {
  readonly nodes: number;
  /** When the last of them is gone; absent if that does not happen in every run. */
  readonly finishes?: InstantRange;
  /** Nodes that Karpenter deletes when they expire, in at least half of the runs. */
  readonly forced: readonly ForecastExpiry[];
}

/** Undefined = no node expires. */
export function expiringOf(pool: string, runs: readonly ForecastRun[]): PoolExpiries | undefined {
  const horizon = horizonOf(runs);
  const mine = expiriesIn(pool, runs).filter(({ at }) => at <= horizon);
  if (mine.length === 0) return undefined;
  const ends = runs.map((run) => lastOf(mine.map(({ node }) => run.goings.findLast((it) => it.node === node)?.at)));
  const forced = mine.filter(({ node }) => runs.filter((run) => run.forced.has(node)).length * 2 >= runs.length);
  return defined({ nodes: mine.length, finishes: rangeOf(ends), forced });
}

/** The earliest horizon of all runs. */
export const horizonOf = (runs: readonly ForecastRun[]): Instant =>
  asInstant(Math.min(...runs.map((it) => it.horizon)));

const expiriesIn = (pool: string, runs: readonly ForecastRun[]): readonly ForecastExpiry[] =>
  (runs[0]?.expiries ?? []).filter((it) => it.pool === pool).sort((a, b) => a.at - b.at);

export function lastOf(instants: readonly (Instant | undefined)[]): Instant | undefined {
  let last: Instant | undefined;
  for (const at of instants) {
    if (at === undefined) return undefined;
    if (last === undefined || at > last) last = at;
  }
  return last;
}

/** Reported if it happens in at least half of the runs. */
function overtakenIn(expiry: ForecastExpiry, runs: readonly ForecastRun[]): ExpiresFirst[] {
  const late = runs.filter((run) => isLate(expiry, run));
  if (late.length * 2 < runs.length) return [];
  const goesAt = late.map((run) => goingOf(expiry, run)).find((at) => at !== undefined);
  return [defined({ ...expiry, goesAt })];
}

/** Replacement for Expired does not count: the node expired first. */
const goingOf = ({ node }: ForecastExpiry, { goings }: ForecastRun): Instant | undefined =>
  goings.find((it) => it.node === node && it.reason !== 'Expired')?.at;

function isLate(expiry: ForecastExpiry, run: ForecastRun): boolean {
  const going = goingOf(expiry, run);
  // An expiry after the simulated time proves nothing.
  return going === undefined ? run.horizon >= expiry.at : going > expiry.at;
}
