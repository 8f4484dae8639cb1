// Nodes that a forecast still sees held when its time ends.

import type { Reason } from '../cluster/reason.ts';
import type { Refusal } from '../engine/refusal.ts';

export interface Held {
  readonly node: string;
  readonly reason: Reason;
  /** Every rule that holds it, as sentences. */
  readonly why: string;
  readonly refusals: readonly Refusal[];
}

/** One line a node, whatever the reasons for which it would go. */
export function byNode(never: readonly Held[]): readonly Pick<Held, 'node' | 'why'>[] {
  const rules = new Map<string, Set<string>>();
  for (const { node, refusals } of never) {
    const known = rules.get(node) ?? new Set();
    rules.set(node, known);
    for (const { message } of refusals) known.add(message);
  }
  return [...rules].map(([node, why]) => ({ node, why: [...why].join('; ') }));
}
