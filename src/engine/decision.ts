// What does the loop need of a round? The ledger to write, the requests to send, when to look again; and what the rest is told from.
import type { Ledger } from '../cluster/ledger.ts';
import type { Instant } from '../time/instant.ts';
import type { Action } from './commands/action.ts';
import type { Advanced } from './commands/advance.ts';
import type { Started } from './commands/start.ts';
import type { Search } from './consolidation/searchTask.ts';
import type { Judged } from './judged.ts';
import type { Limits } from './limits/limits.ts';
import type { Situation } from './situation.ts';

/** What came of the wishes and of the commands under way. */
export interface Judgement {
  readonly situation: Situation;
  readonly limits: Limits;
  readonly advanced: Advanced;
  readonly started: readonly Started[];
  readonly judged: readonly Judged[];
  /** To be committed before any action (G2). The same object as before where nothing was started or advanced. */
  readonly ledger: Ledger;
  /** When time alone gives some node another wish. */
  readonly arisesAt: Instant | undefined;
}

/** A round that is decided, and not told yet. It looks at the facts, which go on changing: whoever wants it told does so at once. */
export interface Decision extends Judgement {
  readonly actions: readonly Action[];
  /** B7: before it, time alone changes nothing. */
  readonly wakeAt: Instant | undefined;
  /** A search that is worth its time. Absent = no pool consolidates, or none may let another node go. */
  readonly search?: Search;
}
