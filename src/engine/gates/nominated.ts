// N0: a node that pods are on their way to does not go.
import { none, refuse } from '../refusal.ts';
import type { Gate } from './gate.ts';

export const nominated: Gate = ({ view }, situation) => {
  if (!situation.nominated.has(view.node.name)) return none;
  return [refuse('Nominated', 'pods are about to be placed on it')];
};
