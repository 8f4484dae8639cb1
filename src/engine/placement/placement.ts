// Where would the pods of a node go? This is the seam: whoever answers the question hides behind `Placer`.
import type { Launch } from '../../cluster/ledger.ts';
import type { Refusal } from '../refusal.ts';
import type { Wish } from '../wish.ts';
import type { FactsBoard } from './factsBoard.ts';

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
  /** What it is to be asked for as, where consolidation planned it. */
  readonly launch?: Launch;
  /** An hour; absent = not known. */
  readonly price?: number;
  /** F5: no known shape fits today's requirements; one that does is assumed. */
  readonly assumed?: boolean;
}

export type Placed = { readonly placement: Placement } | { readonly refusals: readonly Refusal[] };

export interface Placer {
  /** Answers for one wish, and keeps the room it gives away: those after it find it taken. */
  place(wish: Wish): Placed;
  /** The same for nodes that leave together for Underutilized: all of them or none, with one replacement at most. */
  placeTogether(wishes: readonly Wish[]): Placed;
  /**
   * What it would save if they left together, in order and as tight as it gets; undefined = they cannot. It stands until `begin`, so that
   * others find the room taken.
   */
  plan(wishes: readonly Wish[]): number | undefined;
  /** It goes without a place for its pods being looked for, and is no target for others. */
  letGo(wish: Wish): Placement;
  /** Every plan is undone. Nobody is seated where these stand, who are about to leave as well. */
  begin(leaving: readonly Wish[]): void;
  /** They stay after all: others may be seated there. */
  stay(wishes: readonly Wish[]): void;
  /** Everything as it stands now, with all that was given away. */
  board(): FactsBoard;
}

export const nothingToMove: Placement = { moves: [], replacements: [] };
