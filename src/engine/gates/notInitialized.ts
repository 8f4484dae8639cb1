// A node that has not finished starting goes for nothing but repair, and for that only once it has registered.
import { label } from '../../cluster/names.ts';
import { none, refuse } from '../refusal.ts';
import type { Gate } from './gate.ts';

export const notInitialized: Gate = ({ view, reason }) => {
  if (view.state.initialized || view.state.rebooting) return none;
  if (reason === 'Unhealthy' && view.node.labels[label.registered] === 'true') return none;
  return [refuse('NotInitialized', 'the node has not finished starting (no label karpenter.sh/initialized)')];
};
