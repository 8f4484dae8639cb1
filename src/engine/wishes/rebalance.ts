// Rebalance: someone recommends moving off it: an annotation, a taint or a condition (A).

import { taint } from '../../cluster/names.ts';
import { conditionIsTrue, createdAt, type NodeView } from '../../cluster/nodeView.ts';
import type { WishRule } from './rule.ts';

export const rebalance: WishRule = (view, pool) => {
  const recommended =
    view.node.rules.rebalance === true ||
    hasTaint(view, taint.rebalance) ||
    conditionIsTrue(view, 'RebalanceRecommended');
  if (!recommended) return undefined;
  return {
    wish: { view, ...(pool && { pool }), reason: 'Rebalance', kind: 'graceful', since: createdAt(view), memory: [] },
  };
};

export const hasTaint = ({ node }: NodeView, keys: readonly string[]): boolean =>
  node.taints.some(({ key }) => keys.includes(key));
