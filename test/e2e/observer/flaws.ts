// All checks of a roll at once: one node at a time, zone by zone.
import {
  brokenPdbs,
  exchanged,
  moreThan,
  type Of,
  replacedMoreThanOnce,
  zonesAtOnce,
  zonesRevisited,
} from './checks.ts';
import { emptiedTooEarly } from './takes.ts';
import type { Timeline } from './timeline.ts';

/** Sentences; none = each of this many nodes was taken once, in its zone's turn, after its successor was created. */
export function flawsOf(timeline: Timeline, nodes: number, of: Of = {}): string[] {
  const { taken } = exchanged(timeline, of);
  return [
    ...zonesAtOnce(timeline, of),
    ...zonesRevisited(timeline, of),
    ...moreThan(1, timeline, of),
    ...brokenPdbs(timeline),
    ...replacedMoreThanOnce(timeline, of),
    ...emptiedTooEarly(timeline, of),
    ...(taken.length === nodes ? [] : [`${taken.length} nodes were taken instead of ${nodes}`]),
  ];
}
