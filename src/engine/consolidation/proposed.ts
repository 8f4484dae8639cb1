// Which nodes were proposed to leave together, and may still? A proposal that does not hold any more is dropped without a word.
import type { Wish } from '../wish.ts';
import type { Proposal } from './proposal.ts';

/** The wishes of each proposal, in the order of the proposals; every node once. `candidates`: what no gate refuses. */
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
