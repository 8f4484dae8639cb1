// Checks that PodDisruptionBudgets permit what starts, for each node and for all together (E10).
import type { Round } from '../../../src/engine/verdict.ts';
import type { PlainPdb } from '../plain.ts';
import { type Host, isLeaving, type Seen, startsOf } from './cluster.ts';
import { isEvicted, pdbsOver } from './pods.ts';
import { isBadSelector } from './reading.ts';

export function againstPdbs(round: Round, seen: Seen): string[] {
  const waiting = leavingPods(seen);
  const leave = (host: Host): void => addPods(host, waiting, seen);
  return startsOf(round, seen).flatMap(({ host, reason, forced, podsWaived }) => {
    const isWaived = forced || podsWaived || reason === 'Unhealthy';
    const wrong = isWaived ? [] : [...overlaps(host, seen), ...overspent(host, waiting, seen)];
    leave(host);
    return wrong;
  });
}

/** Whether the PDBs allow the pods of the node besides those of nodes already being disrupted at the start of the round (E10). */
export function hasRoom(node: string, seen: Seen): boolean {
  const host = seen.hosts.get(node);
  return host !== undefined && overspent(host, leavingPods(seen), seen).length === 0;
}

/** By PDB, the pods still to be evicted from nodes that are being disrupted. */
function leavingPods(seen: Seen): Map<PlainPdb, number> {
  const waiting = new Map<PlainPdb, number>();
  for (const host of seen.hosts.values()) if (isLeaving(host, seen)) addPods(host, waiting, seen);
  return waiting;
}

function addPods(host: Host, waiting: Map<PlainPdb, number>, seen: Seen): void {
  for (const [pdb, count] of podsByPdb(host, seen)) waiting.set(pdb, (waiting.get(pdb) ?? 0) + count);
}

function overlaps(host: Host, seen: Seen): string[] {
  const twice = host.pods.filter((pod) => isEvicted(pod) && pdbsOver(pod, seen).length > 1);
  return twice.map(({ metadata }) => `E10: ${host.name} goes with ${metadata.name}, which two budgets mean`);
}

function overspent(host: Host, waiting: ReadonlyMap<PlainPdb, number>, seen: Seen): string[] {
  return [...podsByPdb(host, seen)].flatMap(([pdb, count]) => {
    const { name } = pdb.metadata;
    const allowed = Math.max(pdb.status?.disruptionsAllowed ?? 0, 0);
    const others = waiting.get(pdb) ?? 0;
    if (isBroken(pdb)) return [`E10: ${host.name} goes, though ${name} cannot be read`];
    if (allowed < 1) return [`E10: ${host.name} goes, though ${name} allows nothing`];
    if (others === 0 || others + count <= allowed) return [];
    return [`E10: ${host.name} goes with ${count} pods of ${name} beside ${others}, where ${allowed} are allowed`];
  });
}

const isBroken = ({ spec }: PlainPdb): boolean => spec.selector !== undefined && isBadSelector(spec.selector);

function podsByPdb(host: Host, seen: Seen): Map<PlainPdb, number> {
  const counts = new Map<PlainPdb, number>();
  for (const pod of host.pods) {
    const [pdb, ...others] = isEvicted(pod) ? pdbsOver(pod, seen) : [];
    if (!pdb || others.length > 0) continue;
    const unready = pod.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'False');
    const isFree = pdb.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' && unready && !isBroken(pdb);
    if (!isFree) counts.set(pdb, (counts.get(pdb) ?? 0) + 1);
  }
  return counts;
}
