// Proposals of a search: nodes that could be removed together. They are hints; the round judges them like any other wish.
import type { Wish } from '../wish.ts';

export interface Proposal {
  /** The state it was searched on (`SearchRequest.version`). Stale proposals are judged too. */
  readonly version: string;
  /** Node names. */
  readonly nodes: readonly string[];
  /** Whether one new, cheaper node replaces them. */
  readonly isReplaced: boolean;
  /** The expected savings per hour. */
  readonly savings: number;
  readonly podsMoved: number;
}

/** The candidates of each proposal, in order. A proposal with a node that is no longer a candidate is dropped. `candidates`: wishes that no gate refuses. */
export function proposedGroups<Candidate extends { readonly wish: Wish }>(
  proposals: readonly Proposal[],
  candidates: readonly Candidate[],
): readonly (readonly Candidate[])[] {
  if (proposals.length === 0) return [];
  const byNode = new Map(candidates.map((candidate) => [candidate.wish.view.node.name, candidate]));
  return proposals.flatMap(({ nodes }) => {
    const group = [...new Set(nodes)].flatMap((node) => byNode.get(node) ?? []);
    return group.length > 0 && group.length === nodes.length ? [group] : [];
  });
}
