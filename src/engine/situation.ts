// What does every rule of a round look at? The facts, the instant, the settings, and what is on its way out already.
import type { Command, Ledger } from '../cluster/ledger.ts';
import type { Pool } from '../cluster/model.ts';
import type { NodeView } from '../cluster/nodeView.ts';
import type { Reason } from '../cluster/reason.ts';
import { matches } from '../cluster/selector.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import type { Instant } from '../time/instant.ts';

export interface Facts {
  readonly cluster: Cluster;
  readonly ledger: Ledger;
}

export interface Situation extends Facts {
  readonly now: Instant;
  readonly settings: Settings;
  /** By node name: everything that is being taken away, by whomever. */
  readonly inFlight: ReadonlyMap<string, InFlight>;
  /** By pool name: every governed pool, with or without nodes. */
  readonly tallies: ReadonlyMap<string, Tally>;
  /** N0: nodes that pending pods were given to, or that commands under way promised their pods to. */
  readonly nominated: ReadonlySet<string>;
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
  for (const command of facts.ledger.commands) for (const node of command.promisedTo) nominated.add(node);
  return { ...facts, now, settings, inFlight, nominated, tallies: tallyPools(facts.cluster, inFlight, settings) };
}

export const isGoverned = (pool: Pool, settings: Settings): boolean =>
  !settings.pools || matches(settings.pools, pool.labels);

function findInFlight({ cluster, ledger }: Facts, now: Instant): ReadonlyMap<string, InFlight> {
  const inFlight = new Map<string, InFlight>();
  for (const { node, state } of cluster.nodes) {
    if (state.leaving) inFlight.set(node.name, { since: now, ...state.leaving });
  }
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
  const nodes = new Map<string, NodeView[]>();
  for (const pool of cluster.pools.values()) if (isGoverned(pool, settings)) nodes.set(pool.name, []);
  for (const view of cluster.nodes) {
    if (view.managed && view.poolName !== undefined) nodes.get(view.poolName)?.push(view);
  }
  const tallies = new Map<string, Tally>();
  for (const [name, views] of nodes) tallies.set(name, tally(cluster.pools.get(name) as Pool, views, inFlight));
  return tallies;
}

function tally(pool: Pool, nodes: readonly NodeView[], inFlight: ReadonlyMap<string, InFlight>): Tally {
  let counted = 0;
  let consumed = 0;
  let consumedForRepair = 0;
  let unready = 0;
  for (const { node, state } of nodes) {
    if (!state.counted) continue;
    const leaving = state.rebooting || inFlight.has(node.name);
    counted++;
    if (!state.ready) unready++;
    if (leaving || !state.ready) consumed++;
    if (leaving) consumedForRepair++;
  }
  return { pool, nodes, counted, consumed, consumedForRepair, unready };
}

/** C4: whether this node uses a unit already as the round begins. */
export function isConsumed({ node, state }: NodeView, reason: Reason, { inFlight }: Situation): boolean {
  return state.rebooting || (reason !== 'Unhealthy' && !state.ready) || inFlight.has(node.name);
}
