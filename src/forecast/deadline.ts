// Checks a forecast against a deadline and finds the smallest budget that would meet it, by simulating larger budgets (J3).
import { defined } from '../cluster/defined.ts';
import { steering } from '../kinds/read/knownKeys.ts';
import { isMap, type Json } from '../kinds/read/reader.ts';
import { parseText } from '../kinds/text/documents.ts';
import type { Instant } from '../time/instant.ts';
import type { InstantRange } from './aggregateRuns.ts';
import type { ForecastExpiry } from './forecastRun.ts';
import { type Forecast, type ForecastOptions, forecastRuns, type PoolForecast } from './poolForecasts.ts';
import type { ClusterSnapshot } from './restore.ts';

export interface Deadline {
  readonly by: Instant;
  readonly pools: readonly PoolDeadline[];
}

export interface PoolDeadline {
  readonly pool: string;
  /** In every run. */
  readonly fits: boolean;
  readonly finishes?: InstantRange;
  /** Nodes that Karpenter deletes before then because they expire. */
  readonly forced?: readonly ForecastExpiry[];
  /** The smallest `nodes` in its budgets that meets the deadline; absent if none does or none is needed. */
  readonly remedy?: BudgetRemedy;
}

interface BudgetRemedy {
  readonly nodes: number;
  /** Absent if no node is drifted. */
  readonly finishes?: InstantRange;
}

/** A generator that yields progress texts, because each trial is a simulation of its own. */
export function* answerBy(
  by: Instant,
  snapshot: ClusterSnapshot,
  forecast: Forecast,
  options: ForecastOptions,
): Generator<string, Deadline> {
  const pools: PoolDeadline[] = [];
  for (const poolForecast of forecast.pools) {
    const { pool, finishes, expiring } = poolForecast;
    const fits = isMet(poolForecast, by);
    const early = (expiring?.forced ?? []).filter(({ at }) => at <= by);
    const forced = early.length > 0 ? early : undefined;
    const remedy =
      fits || poolForecast.never.length > 0 ? undefined : yield* findRemedy(poolForecast, { by, snapshot, options });
    pools.push(defined({ pool, fits, finishes, forced, remedy }));
  }
  return { by, pools };
}

/** All drifted nodes are replaced by then, and no node is deleted before because it expires. */
function isMet({ domains, finishes, expiring }: PoolForecast, by: Instant): boolean {
  const isRolled = domains.length === 0 || (finishes !== undefined && finishes.late <= by);
  return isRolled && (expiring?.forced ?? []).every(({ at }) => at > by);
}

interface DeadlineTrial {
  readonly by: Instant;
  readonly snapshot: ClusterSnapshot;
  readonly options: ForecastOptions;
}

/** Binary search: a larger budget is never slower, apart from chance. */
function* findRemedy(
  { pool }: PoolForecast,
  { by, snapshot, options }: DeadlineTrial,
): Generator<string, BudgetRemedy | undefined> {
  const most = snapshot.objects.filter((object) => isNodeOf(object, pool)).length;
  let [low, high] = [1, most];
  let best: BudgetRemedy | undefined;
  while (low <= high) {
    // Try the maximum first: if that is not enough, nothing is.
    const nodes = best ? Math.floor((low + high) / 2) : most;
    yield `${pool}: trying ${nodes} at a time`;
    const poolForecast = forecastWith(nodes, pool, { by, snapshot, options });
    if (poolForecast && isMet(poolForecast, by)) {
      best = defined({ nodes, finishes: poolForecast.finishes });
      high = nodes - 1;
    } else if (best) low = nodes + 1;
    else return undefined;
  }
  return best;
}

function forecastWith(nodes: number, pool: string, { snapshot, options }: DeadlineTrial): PoolForecast | undefined {
  const objects = snapshot.objects.map((object) => (isPool(object, pool) ? withNodes(object, nodes) : object));
  const forecast = [...forecastRuns({ ...snapshot, objects }, options)].at(-1);
  return forecast?.pools.find((it) => it.pool === pool);
}

const mapOf = (value: unknown): Json => (isMap(value) ? value : {});

const metadataOf = (object: Json): Json => mapOf(object.metadata);

const isPool = (object: Json, pool: string): boolean => object.kind === 'NodePool' && metadataOf(object).name === pool;

const isNodeOf = (object: Json, pool: string): boolean =>
  object.kind === 'Node' && mapOf(metadataOf(object).labels)['karpenter.sh/nodepool'] === pool;

/** Sets `nodes` in every budget that allows drift, in the annotation and in the spec, because the smaller of both applies (C17). Budgets of 0 stay. */
export function withNodes(pool: Json, nodes: number): Json {
  const metadata = metadataOf(pool);
  const annotations = mapOf(metadata.annotations);
  const text = annotations[steering.budgets];
  const list = typeof text === 'string' ? parseText(text).values[0]?.value : undefined;
  const spec = mapOf(pool.spec);
  const disruption = mapOf(spec.disruption);
  const inSpec: readonly Json[] = Array.isArray(disruption.budgets) ? disruption.budgets : [{}];
  const budgets = inSpec.map((budget) => widened(budget, nodes));
  const widenedSpec = { ...pool, spec: { ...spec, disruption: { ...disruption, budgets } } };
  if (!Array.isArray(list)) return widenedSpec;
  const annotated = JSON.stringify(list.map((budget: Json) => widened(budget, nodes)));
  return {
    ...widenedSpec,
    metadata: { ...metadata, annotations: { ...annotations, [steering.budgets]: annotated } },
  };
}

const frozen = /^0+%?$/;

function widened(budget: Json, nodes: number): Json {
  const { maxUnavailable, ...rest } = budget;
  const before = budget.nodes ?? maxUnavailable;
  if (before !== undefined && frozen.test(String(before))) return budget;
  const reasons = [budget.reasons ?? budget.reason ?? []].flat().map((it) => String(it).toLowerCase());
  const isForDrift = reasons.length === 0 || reasons.some((it) => it.startsWith('drift'));
  return isForDrift ? { ...rest, nodes: String(nodes) } : budget;
}
