// Where does everything stand, and where could a pod go? Columns of numbers, one row a node; what is tried is undone as easily.
// Rows and classes are numbers, so that the same code runs in a worker, on a copy.
import type { Pod } from '../../cluster/model.ts';
import type { Obstacle } from './obstacle.ts';
import type { Shape } from './shapes.ts';
import type { RowFacts, Tables } from './tables.ts';

/** A node's place in the columns. Says nothing about order. */
export type Row = number;
/** Pods of one class schedule alike: the same requests, the same rules, the same labels as far as anybody's rules ask. */
export type PodClass = number;

/** first: in the order of the targets, fast. likely: where the scheduler would most likely put it, preferences honoured; slower. */
export type Choice = 'first' | 'likely';

/** all: every node that takes pods. settled: not those inside their own consolidateAfter, which consolidation leaves alone. */
export type Targets = 'all' | 'settled';

/** A point to go back to. */
export type Mark = number;

export interface Board {
  rowOf(node: string): Row | undefined;
  nameOf(row: Row): string;
  /** The reschedulable pods that stand on it: priority, then largest first; then those that were put there. */
  podsOn(row: Row): ArrayLike<PodClass>;
  mark(): Mark;
  /** Everything since the mark is as it was. */
  undo(mark: Mark): void;
  /** The node leaves: it is no target, and nothing that runs on it counts any more. Its pods are the caller's to place. */
  lift(row: Row): void;
  /** A node that is not there yet, empty but for its daemons; no target of `find` unless asked for by name. */
  add(shape: Shape): Row;
  fits(pod: PodClass, row: Row): boolean;
  /** The target it would go to (of those settled, unless told otherwise); undefined = it fits on none. Nothing is taken yet. */
  find(pod: PodClass, choice?: Choice, targets?: Targets): Row | undefined;
  /** It stands there from now on, whether it fits or not. */
  take(pod: PodClass, row: Row): void;
  /** Why it fits on no target: counted by what keeps it off, with the nearest miss. */
  misfit(pod: PodClass, targets?: Targets): Misfit;
  /** A copy that can be sent to a worker. */
  copy(): BoardCopy;
}

/** Only where the facts are: gives a pod its class. */
export interface BoardOfFacts extends Board {
  classOf(pod: Pod): PodClass;
}

export interface Misfit {
  /** How many targets were looked at. */
  readonly nodes: number;
  /** How many of them each thing keeps it off; the first that does counts. Most telling first. */
  readonly counts: readonly { readonly by: Obstacle; readonly nodes: number }[];
  /** Of the nodes that lack nothing but room, the one that comes nearest, and the resource it lacks most. */
  readonly hole?: { readonly resource: string; readonly needed: number; readonly free: number; readonly node: string };
}

/** Plain data, for a structured clone. Whoever works on it adds to its tables, never changes what is there. */
export interface BoardCopy {
  readonly version: 1;
  readonly tables: Tables;
  readonly rows: readonly RowFacts[];
}
