// How does a command begin? Its record for the ledger, and the requests that follow once the ledger is committed (G1, G2).
import type { Command } from '../../cluster/ledger.ts';
import type { Node } from '../../cluster/model.ts';
import { activeTopologyBudgets, domainOf } from '../limits/domains.ts';
import type { Placement } from '../placement/placement.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { Action } from './action.ts';
import { addTaint } from './disruptedTaint.ts';
import { fingerprint } from './fingerprint.ts';
import { offerings } from './offered.ts';

export interface Started {
  readonly wish: Wish;
  readonly command: Command;
  readonly actions: readonly Action[];
}

export function startCommand(wish: Wish, placement: Placement, situation: Situation): Started {
  const { view, reason } = wish;
  const { now, settings } = situation;
  const id = `${reason.toLowerCase()}-${fingerprint(`${view.node.uid} ${view.node.name} ${reason} ${now}`)}`;
  const hands = settings.role === 'guide' ? 'karpenter' : 'lull';
  const command: Command = {
    id,
    reason,
    pool: view.poolName ?? '',
    hands,
    nodes: [{ name: view.node.name, ...(view.claim && { claim: view.claim.name }), ...domainMark(wish, situation) }],
    replacements: placement.replacements.map((planned, index) => ({ name: `${id}-${index}`, ...planned })),
    promisedTo: [...new Set(placement.moves.map(({ target }) => target))].sort(),
    step: hands === 'karpenter' ? 'offered' : firstStep(wish),
    startedAt: now,
    stepAt: now,
  };
  return { wish, command, actions: firstActions(view.node, command, situation) };
}

/** G1: graceful consolidation is looked at again after a pause, before anything is touched. */
const firstStep = ({ reason }: Wish): Command['step'] =>
  reason === 'Empty' || reason === 'Underutilized' ? 'chosen' : 'tainted';

/** The domain is remembered with the node, which may be gone before the command is. */
function domainMark({ view, pool }: Wish, { now }: Situation): { domain?: string } {
  const budget = pool && activeTopologyBudgets(pool, now).find(({ sequential }) => sequential);
  const domain = budget && domainOf(view, budget.topologyKey as string);
  return domain === undefined ? {} : { domain };
}

function firstActions(node: Node, command: Command, situation: Situation): readonly Action[] {
  const { settings, now } = situation;
  if (settings.role === 'guide') return offerings(command, situation);
  return settings.role === 'drive' && command.step === 'tainted' ? [addTaint(node, command.id, now)] : [];
}
