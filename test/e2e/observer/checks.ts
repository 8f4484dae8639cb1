// Checks on the observer's timeline alone; each returns its violations as sentences, or nothing.
import { type ClaimLine, flightsOf, type NodeLine, type PdbLine, type PodLine, type Timeline } from './timeline.ts';

/** Only this pool's nodes; absent = each pool by itself. */
export interface Of {
  readonly pool?: string;
}

const clock = (at: number): string => new Date(at).toISOString().slice(11, 23);
const names = (nodes: readonly NodeLine[]): string =>
  nodes.map(({ name, zone }) => `${name} (${zone ?? 'no zone'})`).join(', ');

function* byPool(timeline: Timeline, { pool }: Of): Generator<{ at: number; pool: string; nodes: NodeLine[] }> {
  for (const { at, nodes } of flightsOf(timeline)) {
    const groups = Map.groupBy(nodes, (node) => node.pool ?? '');
    for (const [name, group] of groups) if (pool === undefined || pool === name) yield { at, pool: name, nodes: group };
  }
}

/** C: a sequential budget disrupts one zone after another. */
export function zonesAtOnce(timeline: Timeline, of: Of = {}): string[] {
  return [...byPool(timeline, of)]
    .filter(({ nodes }) => new Set(nodes.map(({ zone }) => zone)).size > 1)
    .map(({ at, pool, nodes }) => `${clock(at)} pool ${pool}: nodes of two zones are in flight: ${names(nodes)}`);
}

/** Zone after zone, each only once: a zone that was left is not revisited. */
export function zonesRevisited(timeline: Timeline, of: Of = {}): string[] {
  const left = new Map<string, { now: string; before: Set<string> }>();
  const wrong: string[] = [];
  for (const { at, pool, nodes } of byPool(timeline, of)) {
    for (const { zone = '', name } of nodes) {
      const turns = left.get(pool) ?? { now: zone, before: new Set<string>() };
      left.set(pool, turns);
      if (turns.before.has(zone)) wrong.push(`${clock(at)} pool ${pool}: ${name} is taken in ${zone}, which was left`);
      if (turns.now !== zone) turns.before.add(turns.now);
      turns.now = zone;
    }
  }
  return [...new Set(wrong)];
}

export function moreThan(
  limit: number,
  timeline: Timeline,
  { by = 'pool', ...of }: Of & { by?: 'pool' | 'zone' } = {},
): string[] {
  return [...byPool(timeline, of)].flatMap(({ at, pool, nodes }) => {
    const groups = by === 'pool' ? [nodes] : [...Map.groupBy(nodes, ({ zone }) => zone).values()];
    return groups
      .filter((group) => group.length > limit)
      .map((group) => `${clock(at)} pool ${pool}: ${group.length} in flight, ${limit} allowed: ${names(group)}`);
  });
}

/**
 * E10: no healthy pod was removed that its PDB still needed. Counted from the pods themselves, which are recorded in
 * order; the PDB only gives the number it requires.
 */
export function brokenPdbs({ lines }: Timeline): string[] {
  const pdbs = new Map<string, PdbLine>();
  const pods = new Map<string, PodLine>();
  const wrong: string[] = [];
  for (const line of lines) {
    if (line.kind === 'PodDisruptionBudget') {
      if (line.what === 'gone') pdbs.delete(line.uid);
      else pdbs.set(line.uid, line);
    }
    if (line.kind !== 'Pod') continue;
    const before = pods.get(line.uid);
    if (line.what === 'gone') pods.delete(line.uid);
    else pods.set(line.uid, line);
    if (!before || !isHealthy(before) || (line.what !== 'gone' && isHealthy(line))) continue;
    for (const pdb of pdbs.values()) {
      if (!covers(pdb, line)) continue;
      const healthy = [...pods.values()].filter((pod) => isHealthy(pod) && covers(pdb, pod)).length;
      const { name, desired = 0 } = pdb;
      if (healthy < desired) {
        wrong.push(
          `${clock(line.at)} PDB ${name}: pod ${line.name} is removed, ${healthy} are healthy, ${desired} required`,
        );
      }
    }
  }
  return wrong;
}

const isHealthy = ({ ready, deleting }: PodLine): boolean => ready === 'True' && !deleting;

function covers({ name, selector = {} }: PdbLine, pod: PodLine): boolean {
  const namespace = (key: string): string | undefined => key.split('/')[0];
  if (namespace(name) !== namespace(pod.name)) return false;
  return Object.entries(selector).every(([key, value]) => pod.labels[key] === value);
}

export interface Exchanged {
  /** Nodes that were in flight and are gone. */
  readonly taken: readonly NodeLine[];
  /** Claims that appeared after the first node was in flight. */
  readonly launched: readonly ClaimLine[];
}

export function exchanged(timeline: Timeline, { pool }: Of = {}): Exchanged {
  const flights = flightsOf(timeline);
  const first = flights.find(({ nodes }) => nodes.some((node) => pool === undefined || node.pool === pool))?.at;
  const flown = new Set(flights.flatMap(({ nodes }) => nodes.map(({ uid }) => uid)));
  const taken: NodeLine[] = [];
  const launched: ClaimLine[] = [];
  for (const line of timeline.lines) {
    if (line.kind === 'PodDisruptionBudget' || line.kind === 'Pod' || (pool && line.pool !== pool)) continue;
    if (line.kind === 'Node' && line.what === 'gone' && flown.has(line.uid)) taken.push(line);
    if (line.kind === 'NodeClaim' && line.what === 'appeared' && first !== undefined && line.at >= first)
      launched.push(line);
  }
  return { taken, launched };
}

/** G2: for each node that was removed one was created, no more. */
export function replacedMoreThanOnce(timeline: Timeline, of: Of = {}): string[] {
  const { taken, launched } = exchanged(timeline, of);
  if (launched.length === taken.length) return [];
  return [`${taken.length} nodes were taken, but ${launched.length} claims were created for them`];
}

/** C5: no more nodes at a time than a budget for this reason allows, by Karpenter's reason for each claim. */
export function tookForReason({ lines }: Timeline, reason: string, limit: number): string[] {
  const taken = new Map<string, ClaimLine>();
  const wrong: string[] = [];
  for (const line of lines) {
    if (line.kind !== 'NodeClaim') continue;
    const before = taken.size;
    if (line.what === 'gone' || line.reason !== reason) taken.delete(line.uid);
    else taken.set(line.uid, line);
    if (taken.size > before && taken.size > limit)
      wrong.push(
        `${clock(line.at)} ${taken.size} are taken for ${reason}, ${limit} allowed: ${[...taken.values()].map(({ name }) => name).join(', ')}`,
      );
  }
  return wrong;
}
