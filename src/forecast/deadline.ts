// Would it be done by then, and if not, what budget would make it so (J3)? Tried out: the same cluster played forward with more at once.
import { steering } from '../kinds/annotationName.ts';
import type { Json } from '../kinds/reader.ts';
import { parseText } from '../kinds/text.ts';
import type { Instant } from '../time/instant.ts';
import type { Expiry } from './expiry.ts';
import { type Forecast, type ForecastOptions, forecastRuns, type PoolForecast } from './forecast.ts';
import type { Range } from './range.ts';
import type { Snapshot } from './snapshot.ts';

export interface Deadline {
  readonly by: Instant;
  readonly pools: readonly PoolDeadline[];
}

export interface PoolDeadline {
  readonly pool: string;
  /** Even in the worst of the runs. */
  readonly fits: boolean;
  readonly finishes?: Range;
  /** Nodes that Karpenter deletes before then because they expire. */
  readonly forced?: readonly Expiry[];
  /** The least `nodes` in its budgets with which it would fit; absent where none would, or none is needed. */
  readonly remedy?: Remedy;
}

export interface Remedy {
  readonly nodes: number;
  /** Absent where nothing is drifted. */
  readonly finishes?: Range;
}

/** A generator, since each trial is a run of its own: whoever waits can say how far it is. */
export function* answerBy(
  by: Instant,
  snapshot: Snapshot,
  forecast: Forecast,
  options: ForecastOptions,
): Generator<string, Deadline> {
  const pools: PoolDeadline[] = [];
  for (const told of forecast.pools) {
    const { pool, finishes, expiring } = told;
    const fits = isMet(told, by);
    const forced = (expiring?.forced ?? []).filter(({ at }) => at <= by);
    const remedy = fits || told.never.length > 0 ? undefined : yield* seek(told, { by, snapshot, options });
    pools.push({
      pool,
      fits,
      ...(finishes && { finishes }),
      ...(forced.length > 0 && { forced }),
      ...(remedy && { remedy }),
    });
  }
  return { by, pools };
}

/** Drifted nodes are all replaced by then, and no node is deleted at the end of its life before. */
function isMet({ domains, finishes, expiring }: PoolForecast, by: Instant): boolean {
  const isRolled = domains.length === 0 || (finishes !== undefined && finishes.late <= by);
  return isRolled && (expiring?.forced ?? []).every(({ at }) => at > by);
}

interface Trial {
  readonly by: Instant;
  readonly snapshot: Snapshot;
  readonly options: ForecastOptions;
}

/** More at once is never slower but for chance, so that halving finds the least. */
function* seek({ pool }: PoolForecast, { by, snapshot, options }: Trial): Generator<string, Remedy | undefined> {
  const most = snapshot.objects.filter((object) => isNodeOf(object, pool)).length;
  let [low, high] = [1, most];
  let best: Remedy | undefined;
  while (low <= high) {
    // The most first: where that is not enough nothing is.
    const nodes = best ? Math.floor((low + high) / 2) : most;
    yield `${pool}: trying ${nodes} at once`;
    const told = forecastWith(nodes, pool, { by, snapshot, options });
    if (told && isMet(told, by)) {
      best = { nodes, ...(told.finishes && { finishes: told.finishes }) };
      high = nodes - 1;
    } else if (best) low = nodes + 1;
    else return undefined;
  }
  return best;
}

function forecastWith(nodes: number, pool: string, { snapshot, options }: Trial): PoolForecast | undefined {
  const objects = snapshot.objects.map((object) => (isPool(object, pool) ? withNodes(object, nodes) : object));
  const forecast = [...forecastRuns({ ...snapshot, objects }, options)].at(-1);
  return forecast?.pools.find((it) => it.pool === pool);
}

const metadataOf = (object: Json): Json => (object.metadata ?? {}) as Json;

const isPool = (object: Json, pool: string): boolean => object.kind === 'NodePool' && metadataOf(object).name === pool;

const isNodeOf = (object: Json, pool: string): boolean =>
  object.kind === 'Node' && ((metadataOf(object).labels ?? {}) as Json)['karpenter.sh/nodepool'] === pool;

/** Every budget that allows drift allows that many, in the annotation and in the spec: the smaller of both holds (C17). A freeze stays. */
export function withNodes(pool: Json, nodes: number): Json {
  const metadata = metadataOf(pool);
  const annotations = (metadata.annotations ?? {}) as Readonly<Record<string, string>>;
  const text = annotations[steering.budgets];
  const list = text === undefined ? undefined : parseText(text).values[0]?.value;
  const spec = (pool.spec ?? {}) as Json;
  const disruption = (spec.disruption ?? {}) as Json;
  const inSpec = Array.isArray(disruption.budgets) ? (disruption.budgets as Json[]) : [{}];
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
