// The situation of a round, which every rule reads: the facts, the instant, the settings, and the nodes in flight.
import type { Command, Ledger } from '../cluster/ledger.ts';
import { memo } from '../cluster/memo.ts';
import type { Pool } from '../cluster/model.ts';
import { byName, type NodeGroup } from '../cluster/nodeGroups.ts';
import { isCounted, type NodeView } from '../cluster/nodeView.ts';
import type { Reason } from '../cluster/reason.ts';
import { matches } from '../cluster/selector.ts';
import type { InstanceType, Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import type { Instant } from '../time/instant.ts';
import type { Proposal } from './consolidation/proposal.ts';
import { findSlow, type SlowClaims } from './slowClaims.ts';

export interface Facts {
  readonly cluster: Cluster;
  readonly ledger: Ledger;
  /** Groups that background searches found, in the order in which to try them. Only hints; absent = no search runs. */
  readonly proposals?: readonly Proposal[];
  /** The pod watch lags behind the node watch: a pod bound before the node's taint may not be visible yet (G5). */
  readonly podsBehind?: boolean;
  /** Instance types from Karpenter's metrics; absent = not read, or not readable (F5). */
  readonly instanceTypes?: readonly InstanceType[];
  /** The metrics have been requested and have not arrived yet: no trial offers are made meanwhile. */
  readonly typesAwaited?: boolean;
}

/** The input of every rule besides the facts. */
export interface EvaluationContext {
  readonly now: Instant;
  readonly settings: Settings;
}

export interface Situation extends Facts, EvaluationContext {
  /** By node name: first every node being removed by any actor, in order of name, then the ledger's nodes. */
  readonly inFlight: ReadonlyMap<string, InFlight>;
  /** By pool name: every governed pool, with or without nodes. */
  readonly tallies: ReadonlyMap<string, PoolTally>;
  /** Nodes nominated by pending pods, or that commands under way have planned their pods for (N0). */
  readonly nominated: ReadonlySet<string>;
  /** Replacement nodes of commands under way. */
  readonly replacements: ReadonlySet<string>;
  /** NodeClaims that are not ready in time (F7). */
  readonly slow: SlowClaims;
}

export interface InFlight {
  readonly since: Instant;
  /** Absent if the reason is unknown. */
  readonly reason?: Reason;
  readonly command?: Command;
}

/** A pool's nodes, counted at the start of the round (C3, C4). */
export interface PoolTally {
  readonly pool: Pool;
  /** Its managed nodes, by name. */
  readonly nodes: readonly NodeView[];
  readonly counted: number;
  /** Not Ready, in flight or rebooting: each once. */
  readonly consumed: number;
  /** For Unhealthy, nodes that are merely not Ready do not count (C4). */
  readonly consumedForRepair: number;
  /** Not Ready, except those whose machine is ending. */
  readonly unready: number;
  /** Counted and consumed only because their machine is still ending, oldest first: Karpenter counts them no longer (C3). */
  readonly ending: readonly NodeView[];
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

/** The nodes of its replacements that have registered. */
const replacementNodes = ({ replacements }: Command, cluster: Cluster): readonly string[] =>
  replacements.flatMap(({ name }) => cluster.claim(name)?.nodeName ?? []);

/** Where a command's pods are to run: the planned target nodes and its replacements (N0). */
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
): ReadonlyMap<string, PoolTally> {
  const commanded = Map.groupBy(commandedNodes(cluster, inFlight), ({ poolName }) => poolName);
  const tallies = new Map<string, PoolTally>();
  for (const pool of cluster.pools.values()) {
    if (!isGoverned(pool, settings)) continue;
    tallies.set(
      pool.name,
      tally(pool, cluster.nodesOf(pool.name), { commanded: commanded.get(pool.name) ?? [], settings }),
    );
  }
  return tallies;
}

/** Nodes in flight that only the ledger shows to be leaving. */
const commandedNodes = (cluster: Cluster, inFlight: ReadonlyMap<string, InFlight>): readonly NodeView[] =>
  [...inFlight].flatMap(([name, { command }]) => {
    const view = command && cluster.node(name);
    return view?.managed && !view.state.leaving ? [view] : [];
  });

function tally(
  pool: Pool,
  group: NodeGroup,
  { commanded, settings }: { readonly commanded: readonly NodeView[]; readonly settings: Settings },
): PoolTally {
  const { counted, unready, consumed, consumedForRepair, ending } = countOf(group);
  const more = commanded.filter(({ state }) => state.counted && !state.rebooting);
  const still = ending.filter((view) => isCounted(view, settings));
  return {
    pool,
    nodes: group.nodes,
    counted: counted + still.length,
    consumed: consumed + still.length + more.filter(({ state }) => state.ready).length,
    consumedForRepair: consumedForRepair + still.length + more.length,
    unready,
    ending: still,
  };
}

/** The numbers as Karpenter counts: without the nodes whose machine is ending (N4). */
export const asKarpenterCounts = ({
  counted,
  consumed,
  ending,
}: PoolTally): Pick<PoolTally, 'counted' | 'consumed'> => ({
  counted: counted - ending.length,
  consumed: consumed - ending.length,
});

/** Counts from the nodes of a group alone, without the ledger and without the machines that are ending. */
interface GroupCount extends Omit<PoolTally, 'pool' | 'nodes'> {
  readonly leaving: readonly NodeView[];
}

export const countOf = memo(({ nodes }: NodeGroup): GroupCount => {
  const counted = nodes.filter(({ state }) => state.counted);
  const all = counted.filter(({ state }) => !state.ending);
  const going = all.filter(({ state }) => state.rebooting || state.leaving);
  const unready = all.filter(({ state }) => !state.ready);
  return {
    leaving: nodes.filter(({ state }) => state.leaving),
    counted: all.length,
    unready: unready.length,
    consumed: new Set([...going, ...unready]).size,
    consumedForRepair: going.length,
    ending: counted.filter(({ state }) => state.ending).sort(byEnding),
  };
});

/** The one that has been ending longest first; those of unknown age last. */
const byEnding = (a: NodeView, b: NodeView): number =>
  (a.state.ending?.since ?? Infinity) - (b.state.ending?.since ?? Infinity) || byName(a, b);

/** Whether this node already uses a unit at the start of the round (C4). */
export function isConsumed({ node, state }: NodeView, reason: Reason, { inFlight }: Situation): boolean {
  return state.rebooting || (reason !== 'Unhealthy' && !state.ready) || inFlight.has(node.name);
}
