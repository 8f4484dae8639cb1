// Which proposals was a round given (J4)? They are facts of it: recorded with it, so that it comes out the same without a search.
import type { Proposal } from '../engine/consolidation/proposal.ts';
import { isMap, type Json } from '../kinds/reader.ts';

/** Undefined = that is no list of them. */
export function readProposals(value: unknown): readonly Proposal[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const proposals = value.flatMap((it) => (isMap(it) ? (readProposal(it) ?? []) : []));
  return proposals.length === value.length ? proposals : undefined;
}

function readProposal({ nodes, isReplaced, savings, podsMoved }: Json): Proposal | undefined {
  const areNames = Array.isArray(nodes) && nodes.every((name) => typeof name === 'string');
  const areFigures = typeof savings === 'number' && typeof podsMoved === 'number';
  return areNames && typeof isReplaced === 'boolean' && areFigures
    ? { version: recorded, nodes, isReplaced, savings, podsMoved }
    : undefined;
}

/** What it was searched on is known only to who searched, and is another in every process. No round asks for it. */
const recorded = 'recorded';

export const writeProposals = (proposals: readonly Proposal[]): string =>
  JSON.stringify(proposals.map(({ version: _, ...rest }) => rest));
