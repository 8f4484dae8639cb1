// Names the nodes that use units of a budget because their machine is still ending (C3). A machine that the cloud never ends would
// hold its pool for ever, so every such refusal says which one it is and since when.
import type { NodeView } from '../../cluster/nodeView.ts';
import { formatInstant } from '../../time/instant.ts';
import { count } from '../../time/lists.ts';

/** `; the machine of n1 has been ending since 2026-11-16T21:04:00Z`. Empty if there are none. */
export function describeEnding([oldest, ...others]: readonly NodeView[]): string {
  if (!oldest) return '';
  const { since } = oldest.state.ending ?? {};
  const { name } = oldest.node;
  if (others.length > 0) {
    const more = `the machines of ${name} and ${count(others.length, 'more node')} are still ending`;
    return `; ${more}${since === undefined ? '' : `, the first since ${formatInstant(since)}`}`;
  }
  return since === undefined
    ? `; the machine of ${name} is still ending`
    : `; the machine of ${name} has been ending since ${formatInstant(since)}`;
}

/** What to do where these nodes alone hold others back. */
export function helpForEnding([oldest]: readonly NodeView[]): string | undefined {
  const claim = oldest?.claim?.name;
  return claim === undefined
    ? undefined
    : `Wait until the machine is gone; then its node disappears by itself. If it does not end, the cloud does not delete it: the events of NodeClaim ${claim} say why (kubectl describe nodeclaim ${claim}). The setting endingMachines: ignore no longer counts such nodes.`;
}
