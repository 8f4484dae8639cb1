// What does every rule of a round look at? The facts, the instant, the settings, and what is on its way out already.
import type { Command, Ledger } from '../cluster/ledger.ts';
import { openSlot } from '../cluster/memory.ts';
import type { Pool } from '../cluster/model.ts';
import type { NodeGroup } from '../cluster/nodeGroups.ts';
import { byName } from '../cluster/nodeList.ts';
import type { NodeView } from '../cluster/nodeView.ts';
import type { Reason } from '../cluster/reason.ts';
import { matches } from '../cluster/selector.ts';
import type { InstanceType, Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import type { Instant } from '../time/instant.ts';
import type { Proposal } from './consolidation/proposal.ts';
import { findSlow, type Slow } from './slowClaims.ts';

export interface Facts {
  readonly cluster: Cluster;
  readonly ledger: Ledger;
  /** What long searches found, in the order in which they are to be tried. Only hints; absent = nobody searches. */
  readonly proposals?: readonly Proposal[];
  /** Pods are seen less far than nodes: one may have been bound to a node before it was tainted that is not seen yet (G5). */
  readonly podsBehind?: boolean;
  /** F5: what Karpenter's own metrics say of instance types; absent = they are not read, or cannot be. */
  readonly instanceTypes?: readonly InstanceType[];
  /** They have been asked for and the first answer is not here yet: nothing is offered for Karpenter to judge meanwhile. */
  readonly typesAwaited?: boolean;
}

export interface Situation extends Facts {
  readonly now: Instant;
  readonly settings: Settings;
  /** By node name, and in its order: everything that is being taken away, by whomever; then the ledger's. */
  readonly inFlight: ReadonlyMap<string, InFlight>;
  /** By pool name: every governed pool, with or without nodes. */
  readonly tallies: ReadonlyMap<string, Tally>;
  /** N0: nodes that pending pods were given to, or that commands under way promised their pods to. */
  readonly nominated: ReadonlySet<string>;
  /** Nodes that replace others, as long as their commands are under way. */
  readonly replacements: ReadonlySet<string>;
  /** F7: claims that take too long to become nodes. */
  readonly slow: Slow;
}

export interface InFlight {
  readonly since: Instant;
  /** Absent where nobody said why. */
  readonly reason?: Reason;
  readonly command?: Command;
}

/** C3, C4: a pool's nodes, counted as the round begins. */
export interface Tally {
  readonly pool: Pool;
  /** Its managed nodes, by name. */
  readonly nodes: readonly NodeView[];
  readonly counted: number;
  /** Not Ready, in flight or rebooting: each once. */
  readonly consumed: number;
  /** C4: for Unhealthy, nodes that are merely not Ready do not count. */
  readonly consumedForRepair: number;
  readonly unready: number;
}

export function observe(facts: Facts, now: Instant, settings: Settings): Situation {
  const inFlight = findInFlight(facts, now);
  const nominated = new Set<string>();
  for (const { nominatedNode } of facts.cluster.pendingPods) if (nominatedNode) nominated.add(nominatedNode);
  const replacements = new Set(facts.ledger.commands.flatMap((command) => replacementNodes(command, facts.cluster)));
  for (const command of facts.ledger.commands) for (const node of command.promisedTo) nominated.add(node);
  for (const node of replacements) nominated.add(node);
  const tallies = tallyPools(facts.cluster, inFlight, settings);
  const slow = findSlow({ cluster: facts.cluster, governed: tallies }, now, settings);
  return { ...facts, now, settings, inFlight, nominated, replacements, tallies, slow };
}

/** The nodes of its replacements, as far as they have registered. */
const replacementNodes = ({ replacements }: Command, cluster: Cluster): readonly string[] =>
  replacements.flatMap(({ name }) => cluster.claim(name)?.nodeName ?? []);

/** N0: where the pods of a command are to go: the nodes that were promised, and its replacements. */
export const targetsOf = (command: Command, cluster: Cluster): readonly string[] => [
  ...command.promisedTo,
  ...replacementNodes(command, cluster),
];

export const isGoverned = (pool: Pool, settings: Settings): boolean =>
  !settings.pools || matches(settings.pools, pool.labels);

function findInFlight({ cluster, ledger }: Facts, now: Instant): ReadonlyMap<string, InFlight> {
  const inFlight = new Map<string, InFlight>();
  const leaving = cluster.groups.flatMap((group) => countOf(group).leaving);
  for (const { node, state } of leaving.sort(byName)) inFlight.set(node.name, { since: now, ...state.leaving });
  for (const command of ledger.commands) {
    for (const { name } of command.nodes) {
      inFlight.set(name, { since: command.startedAt, reason: command.reason, command });
    }
  }
  return inFlight;
}

function tallyPools(
  cluster: Cluster,
  inFlight: ReadonlyMap<string, InFlight>,
  settings: Settings,
): ReadonlyMap<string, Tally> {
  const commanded = Map.groupBy(commandedNodes(cluster, inFlight), ({ poolName }) => poolName);
  const tallies = new Map<string, Tally>();
  for (const pool of cluster.pools.values()) {
    if (!isGoverned(pool, settings)) continue;
    tallies.set(pool.name, tally(pool, cluster.nodesOf(pool.name), commanded.get(pool.name)));
  }
  return tallies;
}

/** Of the nodes in flight those that only the ledger shows to be leaving. */
const commandedNodes = (cluster: Cluster, inFlight: ReadonlyMap<string, InFlight>): readonly NodeView[] =>
  [...inFlight].flatMap(([name, { command }]) => {
    const view = command && cluster.node(name);
    return view?.managed && !view.state.leaving ? [view] : [];
  });

function tally(pool: Pool, group: NodeGroup, commanded: readonly NodeView[] = []): Tally {
  const { counted, unready, consumed, consumedForRepair } = countOf(group);
  const more = commanded.filter(({ state }) => state.counted && !state.rebooting);
  return {
    pool,
    nodes: group.nodes,
    counted,
    consumed: consumed + more.filter(({ state }) => state.ready).length,
    consumedForRepair: consumedForRepair + more.length,
    unready,
  };
}

/** What the nodes of a group show by themselves, whatever the ledger says. */
interface Count extends Omit<Tally, 'pool' | 'nodes'> {
  readonly leaving: readonly NodeView[];
}

const remembered = openSlot<Count>();

const countOf = (group: NodeGroup): Count => remembered.recall(group) ?? remembered.keep(group, count(group));

function count({ nodes }: NodeGroup): Count {
  const all = nodes.filter(({ state }) => state.counted);
  const going = all.filter(({ state }) => state.rebooting || state.leaving);
  const unready = all.filter(({ state }) => !state.ready);
  return {
    leaving: nodes.filter(({ state }) => state.leaving),
    counted: all.length,
    unready: unready.length,
    consumed: new Set([...going, ...unready]).size,
    consumedForRepair: going.length,
  };
}

/** C4: whether this node uses a unit already as the round begins. */
export function isConsumed({ node, state }: NodeView, reason: Reason, { inFlight }: Situation): boolean {
  return state.rebooting || (reason !== 'Unhealthy' && !state.ready) || inFlight.has(node.name);
}
