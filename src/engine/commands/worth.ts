// What does a command save, and what does it move? As far as prices are known.
import type { NodeView } from '../../cluster/nodeView.ts';
import { nothingToMove, type Placement } from '../placement/placement.ts';
import { priceOf } from '../placement/price.ts';
import type { Situation } from '../situation.ts';

export interface Worth {
  /** What the nodes cost an hour; absent where one has no price. */
  readonly price?: number;
  /** That, less what their replacements cost; absent where one has no price, or nobody has planned any. */
  readonly savings?: number;
  readonly podsMoved: number;
}

export function worthOf(nodes: readonly NodeView[], placement: Placement, { settings }: Situation): Worth {
  const podsMoved = nodes.reduce((sum, { reschedulable }) => sum + reschedulable.length, 0);
  const price = sumOf(nodes.map((view) => priceOf(view, settings)));
  if (price === undefined) return { podsMoved };
  // Nobody asked where its pods would go: somebody may make another node for them.
  const isOpen = placement === nothingToMove && podsMoved > 0;
  const coming = isOpen ? undefined : sumOf(placement.replacements.map((it) => it.price));
  return { price, podsMoved, ...(coming !== undefined && { savings: rounded(price - coming) }) };
}

function sumOf(prices: readonly (number | undefined)[]): number | undefined {
  return prices.reduce<number | undefined>(
    (sum, price) => (sum === undefined || price === undefined ? undefined : sum + price),
    0,
  );
}

/** Sums of fractions have digits that mean nothing. */
const rounded = (amount: number): number => Number(amount.toFixed(6)) + 0;
