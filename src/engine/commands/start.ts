// How does a command begin? Its record for the ledger, and the requests that follow once the ledger is committed (G1, G2).
import type { Command } from '../../cluster/ledger.ts';
import type { Node } from '../../cluster/model.ts';
import { annotation, taint } from '../../cluster/names.ts';
import { formatInstant } from '../../time/instant.ts';
import { activeTopologyBudgets, domainOf } from '../limits/domains.ts';
import type { Placement } from '../placement/placement.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { Action } from './action.ts';
import { fingerprint } from './fingerprint.ts';

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

function firstActions(node: Node, command: Command, { settings, now }: Situation): readonly Action[] {
  if (settings.role === 'guide') return node.rules.parked ? [offer(node)] : [];
  return settings.role === 'drive' && command.step === 'tainted'
    ? [addTaint(node, command.id, formatInstant(now))]
    : [];
}

/** Lists cannot be patched by key: the whole list is tested, so that a taint set meanwhile by another is not lost. */
function addTaint({ name, taints }: Node, command: string, timeAdded: string): Action {
  const ours = { key: taint.lullDisrupted, value: command, effect: 'NoSchedule', timeAdded };
  const path = '/spec/taints';
  const test = { op: 'test', path, value: taints.length === 0 ? null : taints } as const;
  const add = { op: 'add', path, value: [...taints, ours] } as const;
  return { verb: 'patch', kind: 'Node', name, patch: [test, add] };
}

/** N2: parking is taken off only where it is still Lull's own. */
function offer({ name, annotations }: Node): Action {
  const at = (key: string): string => `/metadata/annotations/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return {
    verb: 'patch',
    kind: 'Node',
    name,
    patch: [
      { op: 'test', path: at(annotation.parked), value: annotations[annotation.parked] },
      { op: 'remove', path: at(annotation.parked) },
      { op: 'remove', path: at(annotation.doNotDisrupt) },
    ],
  };
}
