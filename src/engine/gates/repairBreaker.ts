// A5: when many nodes of a pool are not Ready, the nodes are not what is ill.

import { amountOf } from '../limits/budgets.ts';
import { none, refuse } from '../refusal.ts';
import type { Gate } from './gate.ts';

export const repairBreaker: Gate = ({ pool, reason }, { tallies, settings }) => {
  const tally = reason === 'Unhealthy' && pool ? tallies.get(pool.name) : undefined;
  if (!tally) return none;
  const most = amountOf(settings.repairBreaker, tally.counted);
  if (tally.unready <= most) return none;
  const message = `${tally.unready} of ${tally.counted} nodes of the pool are not Ready; repair stops above ${most}`;
  return [refuse('RepairBreaker', message, { owner: { kind: 'NodePool', name: tally.pool.name } })];
};
