// The name, meaning and sign of each node state. The sign repeats the colour for readers who cannot see it; every font has it.
import type { NodeRowState } from '../../src/engine/picture/nodeRow.ts';
import { about } from '../live/live.ts';

export interface StateLabel {
  readonly name: string;
  readonly means: string;
  readonly sign: string;
}

const stateLabels: Readonly<Record<NodeRowState, StateLabel>> = {
  steady: { name: 'steady', means: 'has no reason to be disrupted', sign: '' },
  wants: { name: 'waiting', means: 'is to be disrupted; others come first', sign: '·' },
  held: {
    name: 'held',
    means: 'is to be disrupted; a rule holds it',
    sign: '×',
  },
  turn: { name: 'next', means: 'its zone has the turn', sign: '›' },
  offered: { name: 'chosen', means: 'takes no new pods', sign: '»' },
  replacing: { name: 'replacing', means: 'waits for its replacement', sign: '±' },
  draining: {
    name: 'draining',
    means: 'its pods move away, then it is deleted',
    sign: '–',
  },
  new: { name: 'new', means: 'was created recently', sign: '+' },
  lost: { name: 'not ready', means: 'is not Ready', sign: '!' },
};

/** In guide mode the same colours are Karpenter's steps (N1). */
const besideKarpenter: Partial<Record<NodeRowState, StateLabel>> = {
  offered: { name: 'offered', means: 'Karpenter may disrupt it now', sign: '»' },
  draining: { name: 'taken', means: 'Karpenter is replacing it', sign: '–' },
};

export const labelOfState = (state: NodeRowState): StateLabel =>
  (about.value.role === 'guide' ? besideKarpenter[state] : undefined) ?? stateLabels[state];

/** In guide mode Lull does not replace nodes itself. */
export const isShown = (state: NodeRowState): boolean => !(about.value.role === 'guide' && state === 'replacing');
