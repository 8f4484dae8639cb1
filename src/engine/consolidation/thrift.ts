// Is it worth it? What leaves, what comes instead, and what the pools and settings ask of the difference.

import type { PodClass } from '../placement/board.ts';
import type { RefusalCode } from '../refusal.ts';
import { balancedThreshold, isApproved, leastScore, type PoolTotals } from './balanced.ts';
import { chooseLaunch, type LaunchPlan, type Thrift } from './launch.ts';
import { type Leaver, podsOfAll, priceOfAll } from './leaver.ts';
import { isMoreThan, price as say } from './money.ts';
import type { Shelf } from './shelf.ts';

export interface Ground {
  readonly shelf: Shelf;
  /** False: only the types seen on nodes are known, and sentences about the cheapest say so. */
  readonly hasAllTypes: boolean;
  readonly rules: Thrift;
  /** Of the pools whose policy is Balanced. */
  readonly totals: ReadonlyMap<string, PoolTotals>;
}

export interface Objection {
  readonly code: RefusalCode & ('NotCheaper' | 'NoPriceKnown' | 'NoPlacement');
  readonly why: string;
  /** It rests on the types that are known, and those are not all (F5). */
  readonly typesSeenOnly?: boolean;
}

export interface Launched {
  readonly pool: string;
  readonly plan: LaunchPlan;
}

/** Against taking them away with nothing in their place. */
export function objectionToRemoval(leavers: readonly Leaver[], { rules, totals }: Ground): Objection | undefined {
  const savings = priceOfAll(leavers);
  const isScored = leavers.some(({ pool }) => totals.has(pool));
  if (savings === undefined) {
    if (!isScored && rules.podMoveCost === 0) return undefined;
    const who = isScored ? 'Balanced' : 'podMoveCost';
    return { code: 'NoPriceKnown', why: `its price is not known, so that ${who} cannot weigh it` };
  }
  const moved = podsOfAll(leavers);
  const cost = moved * rules.podMoveCost;
  if (cost > 0 && !isMoreThan(savings, cost))
    return {
      code: 'NotCheaper',
      why: `that ${saves(savings, moved)}, and podMoveCost asks for more than ${say(cost)}`,
    };
  return objectionOfPools(leavers, savings, { totals, what: 'that' });
}

/** What may be launched for the pods that fit nowhere else, where that is worth it. */
export function replacementFor(
  leavers: readonly Leaver[],
  homeless: readonly PodClass[],
  { shelf, rules, totals, hasAllTypes }: Ground,
): Launched | Objection {
  const typesSeenOnly = !hasAllTypes;
  const leaving = leavers.flatMap(({ price, instanceType, capacityType }) =>
    price === undefined ? [] : [{ price, instanceType, capacityType }],
  );
  if (leaving.length < leavers.length) return { ...priceUnknown, typesSeenOnly };
  const old = leaving.reduce((sum, { price }) => sum + price, 0);
  const offered = shelf.offers(homeless, old);
  if (!offered) return { code: 'NoPlacement', why: 'no replacement would hold them', typesSeenOnly };
  const { pool, types } = offered;
  const podsMoved = podsOfAll(leavers);
  const plan = chooseLaunch({ types, minValues: pool.minValues, leaving, podsMoved, rules });
  if ('why' in plan) {
    if (hasAllTypes || plan.isSetting) return { code: 'NotCheaper', why: plan.why };
    return { code: 'NotCheaper', why: `of the types seen, ${plan.why}`, typesSeenOnly };
  }
  return objectionOfPools(leavers, old - plan.price, { totals }) ?? { pool: pool.name, plan };
}

/** By size alone: most nodes are full, and what would hold their pods costs as much. Undefined = a closer look is worth it. */
export function objectionToSize(
  leavers: readonly Leaver[],
  size: Float64Array,
  { shelf, hasAllTypes }: Ground,
): Objection | undefined {
  const typesSeenOnly = !hasAllTypes;
  const old = priceOfAll(leavers);
  if (old === undefined) return { ...priceUnknown, typesSeenOnly };
  const item = shelf.cheapest(size);
  if (!item) return { code: 'NoPlacement', why: 'no replacement is large enough', typesSeenOnly };
  if (isMoreThan(old, item.price)) return undefined;
  return {
    code: 'NotCheaper',
    typesSeenOnly,
    why: `${hasAllTypes ? '' : 'of the types seen, '}the cheapest replacement that is large enough, ${item.instanceType}, costs ${say(item.price)} an hour, and ${say(old)} would leave`,
  };
}

const priceUnknown: Objection = {
  code: 'NoPriceKnown',
  why: 'its price is not known, so that no replacement is known to be cheaper',
};

/** Against what a Balanced pool would pay for it. */
export function objectionOfPools(
  leavers: readonly Leaver[],
  savings: number,
  { totals, what = 'a replacement' }: { readonly totals: Ground['totals']; readonly what?: string },
): Objection | undefined {
  const least = leastScore(leavers, savings, totals);
  if (!least || isApproved(least.score)) return undefined;
  const [score, wanted] = [least.score.toFixed(2), balancedThreshold];
  const why = `${what} ${saves(savings, podsOfAll(leavers))}; Balanced wants a score of ${wanted} in ${least.pool}, this is ${score}`;
  return { code: 'NotCheaper', why };
}

const saves = (savings: number, moved: number): string =>
  `saves ${say(savings)} an hour for ${moved} ${moved === 1 ? 'pod' : 'pods'} moved`;
