// What does a search bring back? Nodes that could leave together: a hint, which the round judges again like any other wish.

export interface Proposal {
  /** What it was searched on (`Search.version`). A stale one is judged like any other. */
  readonly version: string;
  /** By name. */
  readonly nodes: readonly string[];
  /** Whether one new, cheaper node has to come in their place. */
  readonly isReplaced: boolean;
  /** What the search thinks it saves, an hour. */
  readonly savings: number;
  readonly podsMoved: number;
}
