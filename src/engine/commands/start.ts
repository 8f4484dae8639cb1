// Starts commands: the ledger record, and the requests to send once the ledger is committed (G1, G2).
import type { Command, CommandNode, Replacement } from '../../cluster/ledger.ts';
import { fingerprint } from '../../cluster/names.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { isConsolidation } from '../../cluster/reason.ts';
import { activeTopologyBudgets, domainOf } from '../limits/domains.ts';
import { nothingToMove, type Placement, type PlannedReplacement } from '../placement/placement.ts';
import { priceOf } from '../placement/price.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { StartedCommand } from '../wishOutcome.ts';
import type { Action } from './action.ts';
import { offerings } from './guideSteps.ts';
import { addTaint } from './marks.ts';

/**
 * One command for nodes that share a replacement, else one per node, so that none waits for another. Karpenter is offered every node
 * separately.
 */
export function startCommands(
  wishes: readonly Wish[],
  placement: Placement,
  situation: Situation,
): readonly StartedCommand[] {
  const isShared = placement.replacements.length > 0 && situation.settings.role !== 'guide';
  if (wishes.length === 1 || isShared) return [startCommand(wishes, placement, situation)];
  return wishes.map((wish, index) => {
    const pods = new Set(wish.view.reschedulable.map(({ namespace, name }) => `${namespace}/${name}`));
    const moves = placement.moves.filter(({ pod }) => pods.has(pod));
    const started = startCommand([wish], { moves, replacements: index === 0 ? placement.replacements : [] }, situation);
    return { ...started, command: { ...started.command, ...shareOf(wish, wishes, { placement, situation }) } };
  });
}

/** A node's share of the group's savings, in proportion to its price. */
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

function startCommand(wishes: readonly Wish[], placement: Placement, situation: Situation): StartedCommand {
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

/** Names derive from the command, so that the API server rejects a repeated create. */
export const replacementsOf = (id: string, planned: readonly PlannedReplacement[]): readonly Replacement[] =>
  planned.map(({ price: _, ...rest }, index) => ({ name: `${id}-${index}`, ...rest }));

export const promisedTo = ({ moves }: Placement): readonly string[] =>
  [...new Set(moves.map(({ target }) => target))].sort();

/** Consolidation starts with a pause, after which it is checked again before anything is changed (G1). */
const firstStep = (reason: Wish['reason']): Command['step'] => (isConsolidation(reason) ? 'chosen' : 'tainted');

/** The command records the node's domain, since the node may be gone before the command ends. */
function domainMark({ view, pool }: Wish, { now }: Situation): { domain?: string } {
  const budget = pool && activeTopologyBudgets(pool, now).find(({ sequential }) => sequential);
  const domain = budget && domainOf(view, budget.topologyKey);
  return domain === undefined ? {} : { domain };
}

function firstActions(nodes: readonly NodeView[], command: Command, situation: Situation): readonly Action[] {
  const { settings, now } = situation;
  if (settings.role === 'guide') return offerings(command, situation);
  const isTainted = settings.role === 'drive' && command.step === 'tainted';
  return isTainted ? nodes.map(({ node }) => addTaint(node, command.id, now)) : [];
}

export interface Worth {
  /** The nodes' price per hour; absent if one has no price. */
  readonly price?: number;
  /** The price minus that of the replacements; absent if one has no price, or if replacements were not planned. */
  readonly savings?: number;
  readonly podsMoved: number;
}

export function worthOf(nodes: readonly NodeView[], placement: Placement, { settings }: Situation): Worth {
  const podsMoved = nodes.reduce((sum, { reschedulable }) => sum + reschedulable.length, 0);
  const price = sumOf(nodes.map((view) => priceOf(view, settings)));
  if (price === undefined) return { podsMoved };
  // Placement was not planned: a new node may be created for these pods.
  const isOpen = placement === nothingToMove && podsMoved > 0;
  const coming = isOpen ? undefined : sumOf(placement.replacements.map((it) => it.price));
  return { price, podsMoved, ...(coming !== undefined && { savings: rounded(price - coming) }) };
}

function sumOf(prices: readonly (number | undefined)[]): number | undefined {
  return prices.reduce<number | undefined>(
    (sum, price) => (sum === undefined || price === undefined ? undefined : sum + price),
    0,
  );
}

/** Rounded: sums of floating-point numbers have meaningless digits. */
const rounded = (amount: number): number => Number(amount.toFixed(6)) + 0;
