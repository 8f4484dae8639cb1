// What is rolled, and how far is it? The facts of one pool's drift under its sequential budget.
import type { Budget } from '../../cluster/model.ts';
import type { Situation, Tally } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { Domain } from './domains.ts';

/** The roll of one pool, as the round begins. */
export interface Roll {
  readonly tally: Tally;
  readonly budget: Budget;
  readonly domains: readonly Domain[];
  /** Every drifted node of the pool, on its way out or not. */
  readonly drifted: readonly Wish[];
  /** Those of them that no gate refuses. */
  readonly candidates: readonly Wish[];
  readonly situation: Situation;
}
