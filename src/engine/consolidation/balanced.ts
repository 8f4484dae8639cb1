// Is a move worth what it costs a Balanced pool? Its share of the pool's price against its share of the pool's disruption.

/** A move is approved from here on: half as much gained as is disturbed, each as a share of the pool. */
export const balancedThreshold = 0.5;

/** Prices are no exact numbers: what is just enough must not fail by the last digit. */
export const isApproved = (score: number): boolean => score >= balancedThreshold - 1e-9;

/** What a pool costs an hour, and what it would cost to move all that runs on it. */
export interface PoolTotals {
  readonly price: number;
  readonly cost: number;
}

/** What a move takes from one pool. */
export interface PoolMove {
  readonly savings: number;
  /** F3, of the nodes that leave. */
  readonly cost: number;
}

export function balancedScore({ savings, cost }: PoolMove, totals: PoolTotals | undefined): number {
  if (!totals || !(savings > 0) || !(totals.price > 0) || !(totals.cost > 0)) return 0;
  return cost > 0 ? savings / totals.price / (cost / totals.cost) : Number.POSITIVE_INFINITY;
}

/** Prices that nobody knows do not count; every node's disruption does. */
export function totalsOf(nodes: Iterable<{ readonly price: number | undefined; readonly cost: number }>): PoolTotals {
  let price = 0;
  let cost = 0;
  for (const node of nodes) {
    price += node.price ?? 0;
    cost += node.cost;
  }
  return { price, cost };
}

/** One node that leaves. */
export interface Source {
  readonly pool: string;
  readonly price: number | undefined;
  readonly cost: number;
}

/** The least approving of the Balanced pools that lose nodes; what is saved is split by what each of them cost. Undefined = nobody scores. */
export function leastScore(
  sources: readonly Source[],
  savings: number,
  totals: ReadonlyMap<string, PoolTotals>,
): { readonly pool: string; readonly score: number } | undefined {
  const all = totalsOf(sources).price;
  let least: { pool: string; score: number } | undefined;
  for (const [pool, mine] of Map.groupBy(sources, (source) => source.pool)) {
    const known = totals.get(pool);
    if (!known) continue;
    const { price, cost } = totalsOf(mine);
    const score = balancedScore({ savings: all > 0 ? savings * (price / all) : 0, cost }, known);
    if (!least || score < least.score) least = { pool, score };
  }
  return least;
}
