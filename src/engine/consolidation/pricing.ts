// Whether a consolidation saves enough: price of the removed nodes, price of the replacement, and what pools and settings require.
import type { Pod } from '../../cluster/model.ts';
import { add } from '../../cluster/nodeView.ts';
import type { PlannedReplacement } from '../placement/placement.ts';
import { formatPrice, isMoreThan, priceOf } from '../placement/price.ts';
import type { PodClass } from '../placement/tables.ts';
import type { RefusalCode } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import { type CandidateNode, podsOfAll, priceOfAll } from './candidateNode.ts';
import { chooseLaunch, type LaunchPlan, type SavingsRules } from './launch.ts';
import type { LaunchOfferings } from './launchOfferings.ts';

export interface Pricing {
  readonly offerings: LaunchOfferings;
  /** False if only the types of existing nodes are known. Messages about the cheapest type then say so. */
  readonly hasAllTypes: boolean;
  readonly rules: SavingsRules;
  /** By pool, for pools with the policy Balanced. */
  readonly totals: ReadonlyMap<string, PoolTotals>;
}

export interface Objection {
  readonly code: RefusalCode & ('NotCheaper' | 'NoPriceKnown' | 'NoPlacement');
  readonly why: string;
  /** It depends on the known instance types, and more types may exist (F5). */
  readonly typesSeenOnly?: boolean;
}

export interface Launched {
  readonly pool: string;
  readonly plan: LaunchPlan;
}

/** The objection to removing nodes without a replacement. */
export function objectionToRemoval(nodes: readonly CandidateNode[], { rules, totals }: Pricing): Objection | undefined {
  const savings = priceOfAll(nodes);
  const isScored = nodes.some(({ pool }) => totals.has(pool));
  if (savings === undefined) {
    if (!isScored && rules.podMoveCost === 0) return undefined;
    const who = isScored ? 'Balanced' : 'podMoveCost';
    return { code: 'NoPriceKnown', why: `its price is not known, and ${who} requires it` };
  }
  const moved = podsOfAll(nodes);
  const cost = moved * rules.podMoveCost;
  if (cost > 0 && !isMoreThan(savings, cost))
    return {
      code: 'NotCheaper',
      why: `that ${saves(savings, moved)}; podMoveCost requires more than ${formatPrice(cost)}`,
    };
  return objectionOfPools(nodes, savings, { totals, what: 'that' });
}

/** What to launch for pods that fit nowhere else, if that saves enough. */
export function replacementFor(
  nodes: readonly CandidateNode[],
  unplaced: readonly PodClass[],
  { offerings, rules, totals, hasAllTypes }: Pricing,
): Launched | Objection {
  const typesSeenOnly = !hasAllTypes;
  const leaving = nodes.flatMap(({ price, instanceType, capacityType }) =>
    price === undefined ? [] : [{ price, instanceType, capacityType }],
  );
  if (leaving.length < nodes.length) return { ...priceUnknown, typesSeenOnly };
  const old = leaving.reduce((sum, { price }) => sum + price, 0);
  const offered = offerings.offers(unplaced, old);
  if (!offered) return { code: 'NoPlacement', why: 'no replacement would hold them', typesSeenOnly };
  const { pool, types } = offered;
  const podsMoved = podsOfAll(nodes);
  const plan = chooseLaunch({ types, minValues: pool.minValues, leaving, podsMoved, rules });
  if ('why' in plan) {
    if (hasAllTypes || plan.isSetting) return { code: 'NotCheaper', why: plan.why };
    return { code: 'NotCheaper', why: `of the types seen, ${plan.why}`, typesSeenOnly };
  }
  return objectionOfPools(nodes, old - plan.price, { totals }) ?? { pool: pool.name, plan };
}

/** The objection by size alone, which settles most cases: most nodes are full. Undefined = needs a closer look. */
export function objectionToSize(
  nodes: readonly CandidateNode[],
  size: Float64Array,
  { offerings, hasAllTypes }: Pricing,
): Objection | undefined {
  const typesSeenOnly = !hasAllTypes;
  const old = priceOfAll(nodes);
  if (old === undefined) return { ...priceUnknown, typesSeenOnly };
  const item = offerings.cheapest(size);
  if (!item) return { code: 'NoPlacement', why: 'no replacement is large enough', typesSeenOnly };
  if (isMoreThan(old, item.price)) return undefined;
  return {
    code: 'NotCheaper',
    typesSeenOnly,
    why: `${hasAllTypes ? '' : 'of the types seen, '}the cheapest replacement that is large enough, ${item.instanceType}, costs ${formatPrice(item.price)} per hour (now ${formatPrice(old)})`,
  };
}

const priceUnknown: Objection = {
  code: 'NoPriceKnown',
  why: 'its price is not known, so no replacement can be shown to be cheaper',
};

/** The objection of a pool with the policy Balanced. */
export function objectionOfPools(
  nodes: readonly CandidateNode[],
  savings: number,
  { totals, what = 'a replacement' }: { readonly totals: Pricing['totals']; readonly what?: string },
): Objection | undefined {
  const least = leastScore(nodes, savings, totals);
  if (!least || isApproved(least.score)) return undefined;
  const [score, wanted] = [least.score.toFixed(2), balancedThreshold];
  const why = `${what} ${saves(savings, podsOfAll(nodes))}; Balanced requires a score of ${wanted} in pool ${least.pool}, this is ${score}`;
  return { code: 'NotCheaper', why };
}

const saves = (savings: number, moved: number): string =>
  `saves ${formatPrice(savings)} per hour for ${moved} moved ${moved === 1 ? 'pod' : 'pods'}`;

/** The totals of each pool with the policy Balanced, over all its nodes. */
export function balancedTotals({ tallies, settings }: Situation): ReadonlyMap<string, PoolTotals> {
  const totals = new Map<string, PoolTotals>();
  for (const [name, { pool, nodes }] of tallies) {
    if (pool.consolidationPolicy !== 'Balanced') continue;
    totals.set(name, totalsOf(nodes.map((view) => ({ price: priceOf(view, settings), cost: view.cost }))));
  }
  return totals;
}

/** The replacement with its launch requirements, so that it costs what was planned. */
export function replacementOf({ pool, plan }: Launched, pods: readonly Pod[]): PlannedReplacement {
  const requests: Record<string, number> = {};
  for (const pod of pods) add(requests, pod.requests);
  const { instanceTypes, capacityTypes, zones, price } = plan;
  const [instanceType] = instanceTypes;
  return {
    pool,
    ...(instanceType !== undefined && { instanceType }),
    launch: { instanceTypes, capacityTypes, zones, requests },
    price,
  };
}

/** A Balanced pool approves a move if its share of savings is at least half its share of disruption cost. */
const balancedThreshold = 0.5;

/** With a tolerance: prices are floating-point numbers. */
export const isApproved = (score: number): boolean => score >= balancedThreshold - 1e-9;

/** The hourly price of a pool, and the disruption cost of all its nodes. */
export interface PoolTotals {
  readonly price: number;
  readonly cost: number;
}

/** What a move changes in one pool. */
export interface PoolMove {
  readonly savings: number;
  /** Disruption cost of the removed nodes (F3). */
  readonly cost: number;
}

export function balancedScore({ savings, cost }: PoolMove, totals: PoolTotals | undefined): number {
  if (!totals || !(savings > 0) || !(totals.price > 0) || !(totals.cost > 0)) return 0;
  return cost > 0 ? savings / totals.price / (cost / totals.cost) : Number.POSITIVE_INFINITY;
}

/** Unknown prices count as 0; the disruption cost of every node counts. */
export function totalsOf(nodes: Iterable<{ readonly price: number | undefined; readonly cost: number }>): PoolTotals {
  let price = 0;
  let cost = 0;
  for (const node of nodes) {
    price += node.price ?? 0;
    cost += node.cost;
  }
  return { price, cost };
}

/** A node that is removed. */
export interface RemovedNode {
  readonly pool: string;
  readonly price: number | undefined;
  readonly cost: number;
}

/** The lowest score among the Balanced pools that lose nodes. Savings are split by the price of the removed nodes. Undefined = no pool is Balanced. */
export function leastScore(
  sources: readonly RemovedNode[],
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
