// Unhealthy: it has not been Ready for repairAfter (A, A5).
import { unreadySince } from '../../cluster/nodeView.ts';
import { after } from '../../time/instant.ts';
import type { WishRule } from './rule.ts';

export const unhealthy: WishRule = (view, pool, { now, settings }) => {
  const repairAfter = pool?.repairAfter ?? settings.repairAfter;
  if (view.state.ready || repairAfter === 'Never') return undefined;
  const since = unreadySince(view);
  const arisesAt = after(since, repairAfter);
  if (now < arisesAt) return { arisesAt };
  return { wish: { view, ...(pool && { pool }), reason: 'Unhealthy', kind: 'eventual', since, memory: [] } };
};
