// When each node was disrupted, and whether its successor was ready before it was drained, from the observer's timeline.
import type { Of } from './checks.ts';
import { type ClaimLine, flightsOf, type NodeLine, type Timeline } from './timeline.ts';

/** Each node once, as it was when it was first disrupted; `at` is the time. */
export function takesOf(timeline: Timeline, { pool }: Of = {}): readonly NodeLine[] {
  const seen = new Map<string, NodeLine>();
  for (const { at, nodes } of flightsOf(timeline)) {
    for (const node of nodes) {
      if (pool !== undefined && node.pool !== pool) continue;
      if (!seen.has(node.uid)) seen.set(node.uid, { ...node, at });
    }
  }
  return [...seen.values()];
}

/** G1: a claim is deleted only when another one is Initialized in its place. Violations as sentences. */
export function emptiedTooEarly(timeline: Timeline, of: Of = {}): string[] {
  const [first] = takesOf(timeline, of);
  const launched = new Set<string>();
  const ready = new Set<string>();
  const deleted = new Map<string, ClaimLine>();
  const wrong: string[] = [];
  for (const line of timeline.lines) {
    if (line.kind !== 'NodeClaim' || (of.pool !== undefined && line.pool !== of.pool)) continue;
    if (line.what === 'appeared' && first && line.at >= first.at) launched.add(line.uid);
    if (launched.has(line.uid) && line.initialized === 'True') ready.add(line.uid);
    if (!line.deleting || deleted.has(line.uid)) continue;
    deleted.set(line.uid, line);
    if (ready.size < deleted.size)
      wrong.push(`claim ${line.name} is deleted as number ${deleted.size}, but only ${ready.size} new ones are ready`);
  }
  return wrong;
}
