// What do the colours mean? Each state with its name, what it says, and a sign, so that nobody needs the colour alone. The signs are in every font.
import type { NodeState } from '../../src/engine/picture/nodeRow.ts';
import { about } from '../live/live.ts';

export interface StateSaying {
  readonly name: string;
  readonly means: string;
  readonly sign: string;
}

const sayings: Readonly<Record<NodeState, StateSaying>> = {
  steady: { name: 'steady', means: 'nothing is asked of it', sign: '' },
  wants: { name: 'waiting', means: 'wants to go; others come first', sign: '·' },
  held: {
    name: 'held',
    means: 'wants to go; a rule holds it',
    sign: '×',
  },
  turn: { name: 'next', means: 'its zone has the turn', sign: '›' },
  offered: { name: 'chosen', means: 'takes no new pods any more', sign: '»' },
  replacing: { name: 'replacing', means: 'waits for its replacement', sign: '±' },
  draining: {
    name: 'draining',
    means: 'its pods move away, then it goes',
    sign: '–',
  },
  new: { name: 'new', means: 'came a short while ago', sign: '+' },
  lost: { name: 'not ready', means: 'does not answer', sign: '!' },
};

/** N1: where Karpenter's hands take the nodes, the same colours are its steps. */
const besideKarpenter: Partial<Record<NodeState, StateSaying>> = {
  offered: { name: 'offered', means: 'Karpenter may take it now', sign: '»' },
  draining: { name: 'taken', means: 'Karpenter replaces it, then it goes', sign: '–' },
};

export const sayingOf = (state: NodeState): StateSaying =>
  (about.value.role === 'guide' ? besideKarpenter[state] : undefined) ?? sayings[state];

/** In guide nobody waits for a replacement by Lull's hands. */
export const isShown = (state: NodeState): boolean => !(about.value.role === 'guide' && state === 'replacing');
