// The figures of consolidation on one cluster, measured in a process of its own.

export interface Figures {
  readonly nodes: number;
  readonly pods: number;
  readonly utilisation: number;
  readonly judging: Judging;
  readonly round: RoundFigures;
  readonly search: SearchFigures;
  readonly peakMb: number;
}

/** Every node's removal. */
export interface Judging {
  /** Laying the board out from the facts. */
  readonly openMs: number;
  readonly allMs: number;
  readonly candidates: number;
  /** How many of them could go. */
  readonly fitting: number;
  /** All of them again, once one pod has changed: opening included. Median. */
  readonly afterChangeMs: number;
}

/** A whole round, with nothing remembered: views, gates, limits, placement. */
export interface RoundFigures {
  readonly firstMs: number;
  readonly commands: number;
  /** What its single-node pass saves an hour, and how many pods it moves for that. */
  readonly savings: number;
  readonly podsMoved: number;
  readonly afterChangeMs: number;
}

export interface SearchFigures {
  /** Making the task that goes to the worker. */
  readonly taskMs: number;
  readonly firstMs: number;
  readonly allMs: number;
  readonly proposals: number;
  /** What the round that was given them saves. */
  readonly commands: number;
  readonly savings: number;
  readonly podsMoved: number;
}

/** What Karpenter 1.15 was measured at for one simulated candidate, by the number of nodes (15 pods each), in milliseconds. */
export const karpenter: readonly { readonly nodes: number; readonly fastest: number; readonly slowest: number }[] = [
  { nodes: 1_000, fastest: 92, slowest: 241 },
  { nodes: 2_000, fastest: 193, slowest: 512 },
];

/** Microseconds for one candidate. */
export const perCandidate = ({ judging: { openMs, allMs, candidates } }: Figures): number =>
  ((openMs + allMs) * 1000) / Math.max(1, candidates);
