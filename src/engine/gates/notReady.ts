// A5: in a partition a node's pods are deleted and it looks empty. What is not Ready goes for Unhealthy or Interrupted alone.
import { unreadySince } from '../../cluster/nodeView.ts';
import { formatInstant } from '../../time/instant.ts';
import { none, refuse } from '../refusal.ts';
import type { Gate } from './gate.ts';

export const notReady: Gate = ({ view, reason }) => {
  if (view.state.ready || reason === 'Unhealthy') return none;
  return [
    refuse('NotReady', `the node has not been Ready since ${formatInstant(unreadySince(view))}; it is left to repair`),
  ];
};
