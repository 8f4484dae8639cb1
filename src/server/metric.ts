// A Prometheus metric, and the inputs its samples are computed from.
import { defined } from '../cluster/defined.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import type { Round } from '../engine/verdict.ts';
import { LabeledCounter, type Labels, type Meter } from './meter.ts';

export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
  /** For histograms: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
}

/** What metrics are computed from. */
export interface MetricInputs {
  /** Absent before the first round, and if another process is the leader. */
  readonly round?: Round;
  /** The role the round was decided in. */
  readonly role?: Settings['role'];
  /** The cluster the round was decided for. */
  readonly cluster?: Cluster;
  readonly meter: Meter;
  /** How many clients follow live. */
  readonly viewers: number;
  /** The responses being sent; absent without a server. */
  readonly answers?: { readonly waiting: number; readonly dropped: number };
}

export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  samples(inputs: MetricInputs): readonly Sample[];
}

/** The last round, with its role and cluster. */
export type OfRound = Pick<MetricInputs, 'role' | 'cluster'> & { readonly round: Round };

/** A gauge of the last round; without a round it has no samples. */
export const gaugeOfRound = (
  name: string,
  help: string,
  labels: readonly string[],
  of: (last: OfRound) => readonly Sample[],
): Metric => ({
  name,
  type: 'gauge',
  help,
  labels,
  samples: ({ round, role, cluster }) => (round ? of(defined({ round, role, cluster })) : []),
});

/** Counts items by their labels. */
export function tally<It>(items: readonly It[], labelsOf: (item: It) => Labels): Required<Omit<Sample, 'suffix'>>[] {
  const counts = new LabeledCounter();
  for (const item of items) counts.add(labelsOf(item));
  return [...counts.samples];
}

/** Limits the cardinality of labels whose values users choose. */
const mostValues = 100;

/** The largest samples; the rest are summed under `_other` in the last label, separately for the other labels. */
export function capped(samples: ReturnType<typeof tally>, last: string): Sample[] {
  const all = samples.toSorted((a, b) => b.value - a.value);
  const others = new LabeledCounter();
  for (const { labels, value } of all.slice(mostValues)) others.add({ ...labels, [last]: '_other' }, value);
  return [...all.slice(0, mostValues), ...others.samples];
}
