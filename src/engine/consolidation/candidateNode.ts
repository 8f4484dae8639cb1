// A node that consolidation considers for removal: price, pods, and disruption cost.
import { label } from '../../cluster/names.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Settings } from '../../cluster/settings.ts';
import { priceOf } from '../placement/price.ts';

export interface CandidateNode {
  readonly pool: string;
  /** Undefined = not known. */
  readonly price: number | undefined;
  /** Disruption cost (F3). */
  readonly cost: number;
  /** The number of pods to move. */
  readonly pods: number;
  readonly instanceType: string | undefined;
  readonly capacityType: string | undefined;
}

/** The total price per hour; undefined if one price is not known. */
export function priceOfAll(nodes: readonly CandidateNode[]): number | undefined {
  let sum = 0;
  for (const { price } of nodes) {
    if (price === undefined) return undefined;
    sum += price;
  }
  return sum;
}

export const podsOfAll = (nodes: readonly CandidateNode[]): number => nodes.reduce((sum, { pods }) => sum + pods, 0);

export function candidateNode(view: NodeView, settings: Settings): CandidateNode {
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
