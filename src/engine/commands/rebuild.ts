// Rebuilds commands from marks in the cluster that the ledger has no record of (G2): a taint whose response was lost, or all commands if
// the ledger is lost. The rebuilt commands undo what was started, or wait if the node is already being removed.
import { type Command, emptyLedger, type Ledger, maxCommands, type Replacement } from '../../cluster/ledger.ts';
import { memo } from '../../cluster/memo.ts';
import type { Claim } from '../../cluster/model.ts';
import { annotation, fingerprint, label } from '../../cluster/names.ts';
import { byName, type NodeGroup } from '../../cluster/nodeGroups.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import { reasons } from '../../cluster/reason.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Cluster } from '../../cluster/store.ts';
import { asInstant, earliest, type Instant } from '../../time/instant.ts';
import { domainOf } from '../limits/domains.ts';
import { type Facts, isGoverned } from '../situation.ts';
import { isBornParked, isMarked, isNudged, isParked, isUsersOwn, markedAt, markOf, parkedPods } from './marks.ts';

/** The same facts if the ledger knows every marked node. */
export function withStrays(facts: Facts): Facts {
  const marked = markedNodes(facts.cluster);
  if (marked.length === 0) return facts;
  const known = new Set(facts.ledger.commands.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  const strays = marked.filter(({ node }) => !known.has(node.name));
  if (strays.length === 0) return facts;
  const commands = [...facts.ledger.commands, ...commandsOver(strays, facts.cluster)].slice(0, maxCommands);
  return { ...facts, ledger: { ...facts.ledger, commands } };
}

/** Every node with Lull's taint, by name. */
const markedNodes = ({ groups }: Cluster): readonly NodeView[] =>
  groups.flatMap((group) => markedIn(group)).sort(byName);

const markedIn = memo(({ nodes }: NodeGroup): readonly NodeView[] => nodes.filter(({ node }) => markOf(node)));

/** One command for all nodes with the same mark. */
function commandsOver(marked: readonly NodeView[], cluster: Cluster): readonly Command[] {
  const made = claimsByCommand(cluster);
  const byMark = Map.groupBy(marked, ({ node }) => markOf(node)?.value ?? '');
  return [...byMark]
    .sort(([a], [b]) => compareText(a, b))
    .map(([id, views]) => {
      const replacements = (made.get(id) ?? []).map(asReplacement);
      return { ...revived(id, replacements), ...ofNodes(views, cluster) };
    });
}

/** A command of which only the ID and the replacements are known. It is released. */
const revived = (id: string, replacements: readonly Replacement[]): Command => ({
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
  why: 'the ledger has no record of it',
});

const longAgo = asInstant(0);

function ofNodes(views: readonly NodeView[], cluster: Cluster): Partial<Command> {
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

function claimsByCommand({ claims }: Cluster): ReadonlyMap<string, readonly Claim[]> {
  const annotated = [...claims].filter((claim) => claim.annotations[annotation.command] !== undefined);
  const sorted = annotated.sort((a, b) => compareText(a.name, b.name));
  return Map.groupBy(sorted, ({ annotations }) => annotations[annotation.command] ?? '');
}

const asReplacement = ({ name, labels }: Claim): Replacement => ({
  name,
  pool: labels[label.pool] ?? '',
  state: 'made',
});

/** Turns and back-offs start over; commands are released, or waited for if they cannot be. */
export function rebuildLedger(cluster: Cluster, settings: Settings): Ledger {
  if (settings.role === 'guide') return rebuildGuided(cluster, settings);
  const overNodes = commandsOver(markedNodes(cluster), cluster);
  const commands = [...overNodes, ...withoutNodes(overNodes, cluster)].slice(0, maxCommands);
  return commands.length === 0 ? emptyLedger : { ...emptyLedger, commands };
}

/** Replacements for nodes that are no longer marked: those without pods are deleted. */
function withoutNodes(known: readonly Command[], cluster: Cluster): readonly Command[] {
  const ids = new Set(known.map(({ id }) => id));
  return [...claimsByCommand(cluster)]
    .filter(([id]) => !ids.has(id))
    .map(([id, claims]) => revived(id, claims.filter((claim) => isUnused(claim, cluster)).map(asReplacement)))
    .filter(({ replacements }) => replacements.length > 0)
    .sort((a, b) => compareText(a.id, b.id));
}

const isUnused = ({ nodeName, deletingSince }: Claim, cluster: Cluster): boolean =>
  deletingSince === undefined && (nodeName === undefined || cluster.node(nodeName)?.reschedulable.length === 0);

/**
 * The ledger is written before the first node is parked, so marks without a ledger mean that it was lost. Nodes that are not parked
 * were offered or are new: all of them are withdrawn, and count as in flight meanwhile.
 */
function rebuildGuided(cluster: Cluster, settings: Settings): Ledger {
  const nodes = cluster.nodes.filter(({ managed, poolName }) => {
    const pool = poolName === undefined ? undefined : cluster.pools.get(poolName);
    return managed && pool && isGoverned(pool, settings);
  });
  if (!nodes.some(bearsMarks)) return emptyLedger;
  const loose = nodes.filter(({ node, state }) => state.initialized && !isParked(node) && !isUsersOwn(node));
  const commands = loose.map((view) => withdrawnAgain(view, cluster)).slice(0, maxCommands);
  return commands.length === 0 ? emptyLedger : { ...emptyLedger, commands };
}

/**
 * Nudged claims and parked pods also show a lost ledger, in case all nodes were offered. A node whose claim was parked at creation by
 * the admission policy has not been handled by Lull yet and does not show one.
 */
const bearsMarks = (view: NodeView): boolean =>
  (isMarked(view.node) && !(view.claim && isBornParked(view.claim))) ||
  (view.claim !== undefined && isNudged(view.claim)) ||
  parkedPods(view).length > 0;

/** If Karpenter has already taken the node, the next round detects it. */
function withdrawnAgain(view: NodeView, cluster: Cluster): Command {
  const { name, uid } = view.node;
  return {
    ...revived(`drifted-${fingerprint(`${uid} ${name}`)}`, []),
    ...ofNodes([view], cluster),
    hands: 'karpenter',
    reason: view.state.leaving?.reason ?? 'Drifted',
    step: 'withdrawn',
  };
}
