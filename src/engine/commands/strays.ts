// Is there anything of Lull's in the cluster that no command of the ledger knows (G2)? A taint whose answer was lost, the
// marks of a ledger that is gone. It is taken up as a command again, which undoes it, or waits where the node is leaving.
import { type Command, maxCommands, type Replacement } from '../../cluster/ledger.ts';
import { openSlot } from '../../cluster/memory.ts';
import type { Claim, Taint } from '../../cluster/model.ts';
import { annotation, label } from '../../cluster/names.ts';
import type { NodeGroup } from '../../cluster/nodeGroups.ts';
import { byName } from '../../cluster/nodeList.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import { reasons } from '../../cluster/reason.ts';
import type { Cluster } from '../../cluster/store.ts';
import { asInstant, earliest, type Instant } from '../../time/instant.ts';
import { domainOf } from '../limits/domains.ts';
import type { Facts } from '../situation.ts';
import { markedAt, markOf } from './disruptedTaint.ts';

/** The same facts where nothing is astray. */
export function withStrays(facts: Facts): Facts {
  const marked = markedNodes(facts.cluster);
  if (marked.length === 0) return facts;
  const known = new Set(facts.ledger.commands.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  const strays = marked.filter(({ node }) => !known.has(node.name));
  if (strays.length === 0) return facts;
  const commands = [...facts.ledger.commands, ...commandsOver(strays, facts.cluster)].slice(0, maxCommands);
  return { ...facts, ledger: { ...facts.ledger, commands } };
}

/** Every node that carries a mark of Lull's, by name. */
export const markedNodes = ({ groups }: Cluster): readonly NodeView[] => groups.flatMap(markedIn).sort(byName);

const remembered = openSlot<readonly NodeView[]>();

const markedIn = (group: NodeGroup): readonly NodeView[] =>
  remembered.recall(group) ??
  remembered.keep(
    group,
    group.nodes.filter(({ node }) => markOf(node)),
  );

/** One command for all nodes that carry its mark. */
export function commandsOver(marked: readonly NodeView[], cluster: Cluster): readonly Command[] {
  const made = claimsByCommand(cluster);
  const byMark = Map.groupBy(marked, ({ node }) => (markOf(node) as Taint).value ?? '');
  return [...byMark]
    .sort(([a], [b]) => compareText(a, b))
    .map(([id, views]) => {
      const replacements = (made.get(id) ?? []).map(asReplacement);
      return { ...revived(id, replacements), ...ofNodes(views, cluster) };
    });
}

/** A command of which nothing is known but its name and what it made. It is undone. */
export const revived = (id: string, replacements: readonly Replacement[]): Command => ({
  id,
  reason: reasons.find((reason) => id.startsWith(`${reason.toLowerCase()}-`)) ?? 'Drifted',
  pool: replacements[0]?.pool ?? '',
  hands: 'lull',
  nodes: [],
  replacements,
  promisedTo: [],
  step: 'released',
  startedAt: longAgo,
  stepAt: longAgo,
  why: 'the ledger does not know it',
});

const longAgo = asInstant(0);

export function ofNodes(views: readonly NodeView[], cluster: Cluster): Partial<Command> {
  const isLeaving = views.every(({ claim, node }) => (claim?.deletingSince ?? node.deletingSince) !== undefined);
  const startedAt = views.map(({ node }) => markedAt(node)).reduce<Instant | undefined>(earliest, undefined) ?? longAgo;
  return {
    pool: views[0]?.poolName ?? '',
    nodes: views.map((view) => ({
      name: view.node.name,
      ...(view.claim && { claim: view.claim.name }),
      ...domainMark(view, cluster),
    })),
    startedAt,
    stepAt: startedAt,
    ...(isLeaving && { step: 'terminating' as const }),
  };
}

function domainMark(view: NodeView, { pools }: Cluster): { domain?: string } {
  const budget = pools.get(view.poolName ?? '')?.budgets.find(({ sequential }) => sequential);
  const domain = budget?.topologyKey === undefined ? undefined : domainOf(view, budget.topologyKey);
  return domain === undefined ? {} : { domain };
}

export function claimsByCommand({ claims }: Cluster): ReadonlyMap<string, readonly Claim[]> {
  const annotated = [...claims].filter((claim) => claim.annotations[annotation.command] !== undefined);
  const sorted = annotated.sort((a, b) => compareText(a.name, b.name));
  return Map.groupBy(sorted, ({ annotations }) => annotations[annotation.command] as string);
}

export const asReplacement = ({ name, labels }: Claim): Replacement => ({
  name,
  pool: labels[label.pool] ?? '',
  state: 'made',
});
