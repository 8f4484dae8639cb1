// What must be healthy before the next topology domain or the next wave begins (C13, P3, O4).
import type { Settlement } from '../../cluster/ledger.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { countRunning } from '../../cluster/workload.ts';
import { after, type Duration, formatInstant, type Instant } from '../../time/instant.ts';
import { gateRefusals } from '../gates/healthGates.ts';
import type { InFlight, PoolTally, Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';

/** A domain or wave that is done but not healthy yet, or not for long enough. */
export interface Settling {
  /** What is not healthy, as sentences. Empty = healthy, and `settle` is running. */
  readonly unwell: readonly string[];
  /** Absent until it is recorded since when it has been healthy: before that, the next round starts counting again. */
  readonly until?: Instant;
}

/** The nodes that must be healthy, and those of them that are replacements. */
export interface SettlingNodes {
  readonly nodes: readonly NodeView[];
  /** Nodes created since then are replacements, whichever actor created them. */
  readonly since: Instant;
  readonly situation: Situation;
}

/** Nothing of it is in flight. `settling` is undefined once it has been healthy for `settle`. */
export function settle(
  record: Settlement,
  time: Duration,
  asked: SettlingNodes,
): { readonly wellSince?: Instant; readonly settling?: Settling; readonly changesAt?: Instant } {
  const { now } = asked.situation;
  const unwell = findUnwell(record, asked);
  if (unwell.length > 0) return { settling: { unwell } };
  const wellSince = record.wellSince ?? now;
  const until = after(wellSince, time);
  if (now >= until) return { wellSince };
  const settling = { unwell, ...(record.wellSince !== undefined && { until }) };
  return { wellSince, settling, changesAt: until };
}

/** `zone a is healthy and settles until …` */
export function describeSettling(what: string, settling: Settling | undefined): string {
  if (settling?.until !== undefined) return `${what} is healthy and settles until ${formatInstant(settling.until)}`;
  if (settling?.unwell.length === 0) return `${what} is healthy and begins to settle`;
  return `${what} is not healthy (SettleStuck): ${settling?.unwell.slice(0, 5).join('; ')}`;
}

/** What is not healthy, as sentences that an on-call engineer can act on. */
const findUnwell = (record: Settlement, asked: SettlingNodes): readonly string[] => [
  ...unwellNodes(record, asked),
  ...missingReplacements(record, asked.situation),
  ...missingPods(record, asked.situation),
  ...closedGates(asked.nodes, asked.situation.now),
];

/** The gates that hold one of the nodes for drift: a failing check may be the first sign of what the roll does (O4). One sentence each. */
export const closedGates = (nodes: readonly NodeView[], now: Instant): readonly string[] => [
  ...new Set(nodes.flatMap((view) => gateRefusals(view, 'Drifted', now).map(({ message }) => message))),
];

function unwellNodes({ unreadyAtStart }: Settlement, { nodes, since, situation }: SettlingNodes): string[] {
  return nodes.flatMap((view) => {
    const { name, createdAt } = view.node;
    const isNew = createdAt > since;
    // Nodes being disrupted need not be healthy, except new ones: if a new node is removed again, its successor may be no better.
    if (situation.inFlight.has(name) && !isNew) return [];
    if (isNew && !view.state.initialized) return [`node ${name} is not initialized`];
    return view.state.ready || unreadyAtStart.includes(name) ? [] : [`node ${name} is not Ready`];
  });
}

function missingReplacements({ replacements }: Settlement, { cluster }: Situation): string[] {
  return replacements.flatMap((name) => {
    const claim = cluster.claim(name);
    if (!claim) return [`replacement ${name} is missing`];
    return claim.conditions.Initialized?.status === 'True' ? [] : [`replacement ${name} is not Initialized`];
  });
}

/** Counted per workload: an evicted pod comes back under another name. */
function missingPods({ expected }: Settlement, { cluster }: Situation): string[] {
  return expected.flatMap(({ owner, name, running, pdb }) => {
    // A workload that was scaled down since then is not waited for.
    const wanted = Math.min(running, (pdb ? cluster.pdb(pdb)?.expectedPods : undefined) ?? running);
    const have = countRunning(owner, cluster.nodes);
    return have >= wanted ? [] : [`${wanted - have} of ${wanted} pods of ${name} are not running again yet`];
  });
}

/** A drifted node in flight: disrupted for drift, or drifted and being deleted. Other reasons only use units (C11). */
export interface DriftFlight extends InFlight {
  readonly name: string;
  /** Absent = the node is gone, and its command is not. */
  readonly view?: NodeView;
}

export function findDriftFlights(
  { pool, nodes }: PoolTally,
  drifted: readonly Wish[],
  { inFlight, ledger }: Situation,
): readonly DriftFlight[] {
  const flights: DriftFlight[] = [];
  const isDrifted = new Set(drifted.map(({ view }) => view.node.name));
  for (const view of nodes) {
    const { name } = view.node;
    const leaving = inFlight.get(name);
    if (leaving && (leaving.reason ? leaving.reason === 'Drifted' : isDrifted.has(name)))
      flights.push({ ...leaving, name, view });
  }
  const present = new Set(nodes.map(({ node }) => node.name));
  for (const command of ledger.commands) {
    if (command.reason !== 'Drifted' || command.pool !== pool.name) continue;
    for (const { name } of command.nodes)
      if (!present.has(name)) flights.push({ since: command.startedAt, command, name });
  }
  return flights;
}
