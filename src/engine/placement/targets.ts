// Which nodes take pods (F6)? Those that are up and stay; for consolidation moreover those that have come to rest.
import type { NodeView } from '../../cluster/nodeView.ts';
import { after } from '../../time/instant.ts';
import { stableSince } from '../gates/notStable.ts';
import type { Situation } from '../situation.ts';

/** In two bits, since it is asked of every node in every round: whether it is a target, and whether it is settled. */
export const isTargetBit = 1;
export const isSettledBit = 2;

export function targetBits(view: NodeView, situation: Situation): number {
  const { state, managed, node } = view;
  if (!state.ready || (managed && !state.initialized) || situation.inFlight.has(node.name)) return 0;
  return isSettled(view, situation) ? isTargetBit | isSettledBit : isTargetBit;
}

/** Not inside its own consolidateAfter: `0s` and Never are no such time. */
function isSettled(view: NodeView, { cluster, now }: Situation): boolean {
  const pool = view.managed && view.poolName !== undefined ? cluster.pools.get(view.poolName) : undefined;
  if (!pool || pool.consolidateAfter === 'Never' || pool.consolidateAfter === 0) return true;
  const since = stableSince(view);
  return since !== undefined && now >= after(since, pool.consolidateAfter);
}
