// What does a search for groups need? Plain data, so that it can go to a worker; what comes back are proposals.
import type { BoardCopy } from '../placement/board.ts';
import type { PoolTotals } from './balanced.ts';
import type { Thrift } from './launch.ts';
import type { Leaver } from './leaver.ts';
import type { Market } from './market.ts';

/** Worth searching. Cheap until somebody asks for the task. */
export interface Search {
  /** The same text as before: nothing has changed that a search hangs on, and it would find what it found. */
  readonly version: string;
  /** Looks at the facts, which go on changing: whoever wants it asks at once. */
  task(): SearchTask;
}

export interface SearchTask {
  readonly version: string;
  readonly board: BoardCopy;
  /** Those that nothing refuses so far, most worth removing first. */
  readonly candidates: readonly SearchCandidate[];
  /** By pool: how many more its budgets let go. A pool that is not there has no limit. */
  readonly left: ReadonlyMap<string, number>;
  /** E10: by PDB. */
  readonly guards: readonly SearchGuard[];
  /** How many commands the ledger still has room for. */
  readonly commands: number;
  readonly market: Market;
  readonly rules: Thrift;
  /** Of Balanced pools. */
  readonly totals: ReadonlyMap<string, PoolTotals>;
}

export interface SearchCandidate extends Leaver {
  readonly node: string;
  /** Pairs: place in `guards`, and how many of its pods are here. */
  readonly guarded: readonly number[];
}

export interface SearchGuard {
  readonly allowed: number;
  /** Pods of it that wait on nodes that leave already. */
  readonly waiting: number;
}
