// The figures of consolidation on one cluster, measured in its own process.

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
  /** Laying out the board from the facts. */
  readonly openMs: number;
  readonly allMs: number;
  readonly candidates: number;
  /** How many of them could be removed. */
  readonly fitting: number;
  /** All of them again after one pod has changed, opening the board included. Median. */
  readonly afterChangeMs: number;
}

/** A whole round with empty caches: views, gates, limits, placement. */
export interface RoundFigures {
  readonly firstMs: number;
  readonly commands: number;
  /** What its single-node pass saves an hour, and how many pods it moves for it. */
  readonly savings: number;
  readonly podsMoved: number;
  readonly afterChangeMs: number;
}

export interface SearchFigures {
  /** Preparing the task for the worker. */
  readonly taskMs: number;
  readonly firstMs: number;
  readonly allMs: number;
  readonly proposals: number;
  /** What the round saves that was given the proposals. */
  readonly commands: number;
  readonly savings: number;
  readonly podsMoved: number;
}

/** Karpenter 1.15's measured time for one simulated candidate, by the number of nodes (15 pods each), in milliseconds. */
export const karpenter: readonly { readonly nodes: number; readonly fastest: number; readonly slowest: number }[] = [
  { nodes: 1_000, fastest: 92, slowest: 241 },
  { nodes: 2_000, fastest: 193, slowest: 512 },
];

/** Microseconds for one candidate. */
export const perCandidate = ({ judging: { openMs, allMs, candidates } }: Figures): number =>
  ((openMs + allMs) * 1000) / Math.max(1, candidates);
