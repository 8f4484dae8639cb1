// What do a round and a search weigh consolidation by? Prices, the market, the settings, and what Balanced pools come to.
import { label } from '../../cluster/names.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { BoardState } from '../placement/boardState.ts';
import { priceOf } from '../placement/price.ts';
import type { Situation } from '../situation.ts';
import { type PoolTotals, totalsOf } from './balanced.ts';
import type { Leaver } from './leaver.ts';
import type { Market } from './market.ts';
import { Shelf } from './shelf.ts';
import type { Ground } from './thrift.ts';

export const groundOf = (situation: Situation, board: BoardState, market: Market): Ground => ({
  shelf: new Shelf(board, market),
  hasAllTypes: market.hasAllTypes,
  rules: situation.settings,
  totals: balancedTotals(situation),
});

export function leaverOf(view: NodeView, settings: Settings): Leaver {
  const { labels } = view.node;
  return {
    pool: view.poolName ?? '',
    price: priceOf(view, settings),
    cost: view.cost,
    pods: view.reschedulable.length,
    instanceType: labels[label.instanceType],
    capacityType: labels[label.capacityType],
  };
}

/** By pool, where its policy is Balanced: all its nodes count, those that stay as those that leave. */
export function balancedTotals({ tallies, settings }: Situation): ReadonlyMap<string, PoolTotals> {
  const totals = new Map<string, PoolTotals>();
  for (const [name, { pool, nodes }] of tallies) {
    if (pool.consolidationPolicy !== 'Balanced') continue;
    totals.set(name, totalsOf(nodes.map((view) => ({ price: priceOf(view, settings), cost: view.cost }))));
  }
  return totals;
}
