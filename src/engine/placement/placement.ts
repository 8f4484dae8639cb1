// Where would the pods of a node go? This is the seam: whoever answers the question hides behind `Placer`.
import type { Refusal } from '../refusal.ts';
import type { Wish } from '../wish.ts';

export interface Placement {
  readonly moves: readonly Move[];
  readonly replacements: readonly PlannedReplacement[];
}

/** A pod (`namespace/name`) and the node that has room for it. */
export interface Move {
  readonly pod: string;
  readonly target: string;
}

export interface PlannedReplacement {
  readonly pool: string;
  readonly instanceType?: string;
  /** F5: no known shape fits today's requirements; one that does is assumed. */
  readonly assumed?: boolean;
}

export type Placed = { readonly placement: Placement } | { readonly refusals: readonly Refusal[] };

export interface Placer {
  /** Answers for one wish, and keeps the room it gives away: those after it find it taken. */
  place(wish: Wish): Placed;
}

export const nothingToMove: Placement = { moves: [], replacements: [] };
