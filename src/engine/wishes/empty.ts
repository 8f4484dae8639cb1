// Empty: nothing on it would have to move. Until it has been so for consolidateAfter the gate NotStable holds it (A6).

import { createdAt } from '../../cluster/nodeView.ts';
import type { WishRule } from './rule.ts';

export const empty: WishRule = (view, pool) => {
  if (view.reschedulable.length > 0) return undefined;
  return {
    wish: { view, ...(pool && { pool }), reason: 'Empty', kind: 'graceful', since: createdAt(view), memory: [] },
  };
};
