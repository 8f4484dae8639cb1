// G2: the ledger is lost. What do the facts show of what was under way?
import { type Command, emptyLedger, type Ledger, maxCommands } from '../../cluster/ledger.ts';
import type { Claim } from '../../cluster/model.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Cluster } from '../../cluster/store.ts';
import { isGoverned } from '../situation.ts';
import { fingerprint } from './fingerprint.ts';
import { isMarked, isParked, isUsersOwn } from './parking.ts';
import { asReplacement, claimsByCommand, commandsOver, markedNodes, ofNodes, revived } from './strays.ts';

/** Turns and back-offs begin anew; what was begun is undone, or waited for where it cannot be. */
export function rebuildLedger(cluster: Cluster, settings: Settings): Ledger {
  if (settings.role === 'guide') return rebuildGuided(cluster, settings);
  const overNodes = commandsOver(markedNodes(cluster), cluster);
  const commands = [...overNodes, ...withoutNodes(overNodes, cluster)].slice(0, maxCommands);
  return commands.length === 0 ? emptyLedger : { ...emptyLedger, commands };
}

/** Replacements that came for nodes which nothing marks any more: those that nobody uses go again. */
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

/** Where some nodes are parked, those that are not were offered, or have just come: all are withdrawn, and counted meanwhile. */
function rebuildGuided(cluster: Cluster, settings: Settings): Ledger {
  const nodes = cluster.nodes.filter(({ managed, poolName }) => {
    const pool = poolName === undefined ? undefined : cluster.pools.get(poolName);
    return managed && pool && isGoverned(pool, settings);
  });
  if (!nodes.some(({ node }) => isMarked(node))) return emptyLedger;
  const loose = nodes.filter(({ node, state }) => state.initialized && !isParked(node) && !isUsersOwn(node));
  const commands = loose.map((view) => withdrawnAgain(view, cluster)).slice(0, maxCommands);
  return commands.length === 0 ? emptyLedger : { ...emptyLedger, commands };
}

/** Where Karpenter has taken it already, the next look will see so. */
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
