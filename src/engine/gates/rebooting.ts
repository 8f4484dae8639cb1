// A node that is rebooting comes back by itself.
import { none, refuse } from '../refusal.ts';
import type { Gate } from './gate.ts';

export const rebooting: Gate = ({ view }) =>
  view.state.rebooting ? [refuse('Rebooting', 'the node is rebooting')] : none;
