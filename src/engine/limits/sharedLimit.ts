// The form of a limit: something many wishes share, asked and then spent, one wish after another.
import type { Placement } from '../placement/placement.ts';
import type { Refusal } from '../refusal.ts';
import type { Wish } from '../wish.ts';

export interface SharedLimit {
  refuse(wish: Wish): readonly Refusal[];
  /** The wish goes: what it uses up is gone for those after it. */
  spend(wish: Wish, placement: Placement): void;
  /** It was spent to see whether others may go with it: all is as it was before. */
  takeBack(wish: Wish): void;
}
