// G2: the ledger is lost. What do the facts show of what was under way?
import { type Command, emptyLedger, type Ledger, maxCommands } from '../../cluster/ledger.ts';
import type { Claim } from '../../cluster/model.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Cluster } from '../../cluster/store.ts';
import { isGoverned } from '../situation.ts';
import { fingerprint } from './fingerprint.ts';
import { isNudged } from './nudge.ts';
import { isBornParked, isMarked, isParked, isUsersOwn } from './parking.ts';
import { parkedPods } from './podParking.ts';
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

/**
 * A ledger is written before the first node is parked: marks without one mean that it is lost. Then nodes that are not parked were
 * offered, or have just come: all are withdrawn, and counted meanwhile.
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
 * Also where all nodes were offered: what was nudged, or pods that are kept, show it. A node whose claim still has the marks of its birth
 * was parked by the admission policy and not seen by any Lull yet: it is no sign of a lost ledger.
 */
const bearsMarks = (view: NodeView): boolean =>
  (isMarked(view.node) && !(view.claim && isBornParked(view.claim))) ||
  (view.claim !== undefined && isNudged(view.claim)) ||
  parkedPods(view).length > 0;

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
