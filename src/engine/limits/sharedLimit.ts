// The interface of a limit, which many wishes share and spend one after another.
import type { Placement } from '../placement/placement.ts';
import type { Refusal } from '../refusal.ts';
import type { Wish } from '../wish.ts';

export interface SharedLimit {
  refuse(wish: Wish): readonly Refusal[];
  /** The wish goes and uses units that later wishes cannot use. */
  spend(wish: Wish, placement: Placement): void;
  /** Undoes `spend`, which was a test whether others may go with it. */
  takeBack(wish: Wish): void;
}
