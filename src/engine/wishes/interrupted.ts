// Interrupted: the cloud takes it away whatever anyone says (A). Nothing refuses it; it is still counted.

import { taint } from '../../cluster/names.ts';
import { conditionIsTrue, createdAt } from '../../cluster/nodeView.ts';
import { hasTaint } from './rebalance.ts';
import type { WishRule } from './rule.ts';

export const interrupted: WishRule = (view, pool) => {
  if (!hasTaint(view, taint.interruption) && !conditionIsTrue(view, 'Interrupted')) return undefined;
  return {
    wish: { view, ...(pool && { pool }), reason: 'Interrupted', kind: 'forced', since: createdAt(view), memory: [] },
  };
};
