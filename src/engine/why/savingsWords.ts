// What does a command save, and what does it cost its pods? In the same words wherever a command is told.
import type { Command } from '../../cluster/ledger.ts';
import { price } from '../consolidation/money.ts';

type Figures = Pick<Command, 'savings' | 'podsMoved'>;

/** F5: why a node is offered that Lull itself cannot call worth removing. */
export const trialWords = 'so that Karpenter can judge it: Lull does not know all instance types';

/** With why it is offered, where that is all that can be said for it. */
export function sayWorth(command: Figures & Pick<Command, 'trial'>): string {
  const figures = saySavings(command);
  return command.trial ? [trialWords, figures].filter(Boolean).join('; ') : figures;
}

/** `saves 0.192 an hour, moves 3 pods`; empty where neither is known, or there is neither. */
export function saySavings({ savings, podsMoved }: Figures): string {
  const parts = [
    ...(savings === undefined ? [] : [saved(savings)]),
    ...(podsMoved === undefined || podsMoved === 0 ? [] : [`moves ${podsMoved} pod${podsMoved === 1 ? '' : 's'}`]),
  ];
  return parts.join(', ');
}

function saved(savings: number): string {
  const amount = price(Math.abs(savings));
  if (amount === '0') return 'saves nothing';
  return savings > 0 ? `saves ${amount} an hour` : `costs ${amount} more an hour`;
}
