// The totals of all trials, printed so that a reader can judge how much was tried.
import { knownAs } from './known.ts';
import type { Ending, Outcome } from './trial.ts';
import type { Tried } from './trySeed.ts';

export interface Tally {
  readonly seeds: number;
  readonly bound: number;
  readonly pending: number;
  readonly late: number;
  readonly removals: Readonly<Record<Ending, number>>;
  /** Pods that were bound after a removal that fits by the plan. */
  readonly moved: number;
  /** By feature: how many clusters had it. */
  readonly features: ReadonlyMap<string, number>;
  /** By feature: how many offered pods had it. */
  readonly offered: ReadonlyMap<string, number>;
  /** By name: how often the answers differ intentionally. */
  readonly known: ReadonlyMap<string, number>;
  /** By the scheduler's reason: how many pods were left pending. */
  readonly reasons: ReadonlyMap<string, number>;
}

export function tallyOf(trials: readonly Tried[]): Tally {
  const removals = trials.flatMap((trial) => trial.removals);
  const ended = (ending: Ending): number => removals.filter((removal) => removal.ending === ending).length;
  const bound = trials.flatMap((trial) => trial.bound);
  const pending = trials.flatMap((trial) => trial.pending);
  const ofPods = (outcomes: readonly Outcome[]): string[] => outcomes.flatMap(({ features }) => features);
  return {
    seeds: trials.length,
    bound: bound.length,
    pending: pending.length,
    late: trials.reduce((sum, { late }) => sum + late, 0),
    removals: { fits: ended('fits'), stuck: ended('stuck'), stranded: ended('stranded'), luck: ended('luck') },
    moved: removals.reduce((sum, { pods, ending }) => sum + (ending === 'fits' ? pods : 0), 0),
    features: countEach(trials.flatMap(({ features }) => features)),
    offered: countEach([...ofPods(bound), ...ofPods(pending)]),
    known: countEach(trials.flatMap(({ disagreements }) => disagreements.flatMap((it) => knownAs(it) ?? []))),
    reasons: countEach(pending.flatMap(({ reasons }) => reasons)),
  };
}

function countEach(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names.toSorted()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

export function printTally(tally: Tally): string {
  const list = (counts: ReadonlyMap<string, number>): string =>
    [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
  const { seeds, bound, pending, late, moved } = tally;
  const { fits, stuck, stranded, luck } = tally.removals;
  return [
    `${seeds} clusters; ${bound + pending} times a pod was offered to the scheduler: ${bound} bound, ${pending} left pending.`,
    `${fits + stuck + stranded + luck} nodes taken away: ${fits} as planned with ${moved} pods, ${stuck} that Lull would not take and rightly so, ` +
      `${stranded} where the scheduler's own choices stranded a pod (${(strandedShare(tally) * 100).toFixed(1)} % of the plans), ` +
      `${luck} that Lull would not take and that would have gone.`,
    `${late} answers asked for again, since the scheduler had not seen everything yet.`,
    `Known differences: ${list(tally.known) || 'none'}.`,
    `Pods left pending, by reason: ${list(tally.reasons)}.`,
    `Clusters, by feature: ${list(tally.features)}.`,
    `Pods offered, by feature: ${list(tally.offered)}.`,
  ].join('\n');
}

/** Of the removals that fit by the plan, how many stranded a pod. */
export const strandedShare = ({ removals }: Tally): number =>
  removals.stranded / Math.max(1, removals.stranded + removals.fits);
