// What is a figure that Prometheus reads, and what is it taken from?
import type { Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import type { Round } from '../engine/verdict.ts';
import type { Meter } from './meter.ts';

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
  /** Of a histogram: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
}

/** What the figures are taken from. */
export interface Figures {
  /** Absent before the first round, and where another leads. */
  readonly round?: Round;
  /** In which it was decided. */
  readonly role?: Settings['role'];
  /** What it was decided about. */
  readonly cluster?: Cluster;
  readonly meter: Meter;
  /** Who is following live. */
  readonly viewers: number;
  /** What the server sends at present; absent where none serves. */
  readonly answers?: { readonly waiting: number; readonly dropped: number };
}

export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  samples(figures: Figures): readonly Sample[];
}
