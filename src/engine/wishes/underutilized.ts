// Underutilized: its pods might fit elsewhere. Whether they do is asked last, of placement; here only whether to ask (A6).
import { createdAt } from '../../cluster/nodeView.ts';
import { consolidates } from '../gates/policyOff.ts';
import type { WishRule } from './rule.ts';

export const underutilized: WishRule = (view, pool) => {
  if (!pool || view.reschedulable.length === 0 || !consolidates(pool, 'Underutilized')) return undefined;
  return { wish: { view, pool, reason: 'Underutilized', kind: 'graceful', since: createdAt(view), memory: [] } };
};
