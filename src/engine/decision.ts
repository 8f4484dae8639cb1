// A decided round: the ledger to write, the requests to send, when to decide again, and the input of the report.
import type { Ledger } from '../cluster/ledger.ts';
import type { Instant } from '../time/instant.ts';
import type { Action } from './commands/action.ts';
import type { AdvancedCommands } from './commands/advance.ts';
import type { SearchBasis } from './consolidation/searchTask.ts';
import type { Limits } from './limits/limits.ts';
import type { Situation } from './situation.ts';
import type { StartedCommand, WishOutcome } from './wishOutcome.ts';

/** The outcomes of the wishes and of the commands under way. */
export interface Judgement {
  readonly situation: Situation;
  readonly limits: Limits;
  readonly advanced: AdvancedCommands;
  readonly started: readonly StartedCommand[];
  readonly judged: readonly WishOutcome[];
  /** To be committed before any action (G2). The same object as before where nothing was started or advanced. */
  readonly ledger: Ledger;
  /** When time alone gives a node another wish. */
  readonly arisesAt: Instant | undefined;
}

/** A decided round that is not reported yet. It refers to live facts, so it must be reported and searched at once. */
export interface Decision extends Judgement {
  readonly actions: readonly Action[];
  /** Before this instant time alone changes nothing (B7). */
  readonly wakeAt: Instant | undefined;
  /** The basis of a search (`searchRequest`). Absent = no candidate for Underutilized is left. */
  readonly search?: SearchBasis;
}
