// How does a command begin? Its record for the ledger, and the requests that follow once the ledger is committed (G1, G2).
import type { Command, CommandNode, Replacement } from '../../cluster/ledger.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { activeTopologyBudgets, domainOf } from '../limits/domains.ts';
import { nothingToMove, type Placement, type PlannedReplacement } from '../placement/placement.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { Action } from './action.ts';
import { addTaint } from './disruptedTaint.ts';
import { fingerprint } from './fingerprint.ts';
import { offerings } from './offered.ts';
import { worthOf } from './worth.ts';

export interface Started {
  /** Of its nodes, in the same order. */
  readonly wishes: readonly Wish[];
  readonly command: Command;
  readonly actions: readonly Action[];
}

/**
 * One command for nodes that share a replacement; else one for each, so that none waits for another. Karpenter is offered every node by
 * itself.
 */
export function startCommands(wishes: readonly Wish[], placement: Placement, situation: Situation): readonly Started[] {
  const isShared = placement.replacements.length > 0 && situation.settings.role !== 'guide';
  if (wishes.length === 1 || isShared) return [startCommand(wishes, placement, situation)];
  return wishes.map((wish, index) => {
    const pods = new Set(wish.view.reschedulable.map(({ namespace, name }) => `${namespace}/${name}`));
    const moves = placement.moves.filter(({ pod }) => pods.has(pod));
    const started = startCommand([wish], { moves, replacements: index === 0 ? placement.replacements : [] }, situation);
    return { ...started, command: { ...started.command, ...shareOf(wish, wishes, { placement, situation }) } };
  });
}

/** What a node brings of what all of them bring together: as much as it costs of what they cost. */
function shareOf(
  { view }: Wish,
  wishes: readonly Wish[],
  { placement, situation }: { placement: Placement; situation: Situation },
): Pick<Command, 'savings'> {
  const all = wishes.map((wish) => wish.view);
  const { savings } = worthOf(all, placement, situation);
  const [own, whole] = [worthOf([view], nothingToMove, situation), worthOf(all, nothingToMove, situation)];
  if (savings === undefined || !own.price || !whole.price) return {};
  return { savings: Number(((savings * own.price) / whole.price).toFixed(6)) };
}

function startCommand(wishes: readonly Wish[], placement: Placement, situation: Situation): Started {
  const [{ reason, view }] = wishes as [Wish];
  const { now, settings } = situation;
  const nodes = wishes.map((wish) => wish.view);
  const id = `${reason.toLowerCase()}-${fingerprint(`${nodes.map(nameOf).join(' ')} ${reason} ${now}`)}`;
  const hands = settings.role === 'guide' ? 'karpenter' : 'lull';
  const { savings, podsMoved } = worthOf(nodes, placement, situation);
  const command: Command = {
    id,
    reason,
    pool: view.poolName ?? '',
    hands,
    nodes: wishes.map((wish) => recordOf(wish, situation)),
    replacements: replacementsOf(id, placement.replacements),
    promisedTo: promisedTo(placement),
    step: hands === 'karpenter' ? 'offered' : firstStep(reason),
    startedAt: now,
    stepAt: now,
    ...(savings !== undefined && reason !== 'Interrupted' && { savings }),
    podsMoved,
  };
  return { wishes, command, actions: firstActions(nodes, command, situation) };
}

const nameOf = ({ node }: NodeView): string => `${node.uid} ${node.name}`;

const recordOf = (wish: Wish, situation: Situation): CommandNode => ({
  name: wish.view.node.name,
  ...(wish.view.claim && { claim: wish.view.claim.name }),
  ...domainMark(wish, situation),
});

/** Their names are the command's, so that a repeated create is recognised. */
export const replacementsOf = (id: string, planned: readonly PlannedReplacement[]): readonly Replacement[] =>
  planned.map(({ price: _, ...rest }, index) => ({ name: `${id}-${index}`, ...rest }));

export const promisedTo = ({ moves }: Placement): readonly string[] =>
  [...new Set(moves.map(({ target }) => target))].sort();

/** G1: graceful consolidation is looked at again after a pause, before anything is touched. */
const firstStep = (reason: Wish['reason']): Command['step'] =>
  reason === 'Empty' || reason === 'Underutilized' ? 'chosen' : 'tainted';

/** The domain is remembered with the node, which may be gone before the command is. */
function domainMark({ view, pool }: Wish, { now }: Situation): { domain?: string } {
  const budget = pool && activeTopologyBudgets(pool, now).find(({ sequential }) => sequential);
  const domain = budget && domainOf(view, budget.topologyKey as string);
  return domain === undefined ? {} : { domain };
}

function firstActions(nodes: readonly NodeView[], command: Command, situation: Situation): readonly Action[] {
  const { settings, now } = situation;
  if (settings.role === 'guide') return offerings(command, situation);
  const isTainted = settings.role === 'drive' && command.step === 'tainted';
  return isTainted ? nodes.map(({ node }) => addTaint(node, command.id, now)) : [];
}
