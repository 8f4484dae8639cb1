// What the plans of one round share: the board, promised nodes, pool capacity, and removals as judged before anything moved.
import type { Pod } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { Board } from './board.ts';
import type { BoardLease } from './boardLease.ts';
import type { ClusterBoard } from './clusterBoard.ts';
import { nameOfPod } from './misfit.ts';
import type { PlacementResult } from './placement.ts';
import { PoolCapacity } from './poolCapacity.ts';
import type { Removal } from './removals.ts';
import type { PodClass, RowId } from './tables.ts';

export interface ContextParts {
  readonly boards: BoardLease;
  /** Leaving nodes whose pods are about to be placed again, so that their earlier assignments are left out. */
  readonly judgedAgain?: ReadonlySet<string>;
  /** All candidates of the round. Their removals are judged before anything moves and kept for later rounds. */
  readonly candidates?: readonly Wish[];
}

export class PlanningContext {
  readonly situation: Situation;
  readonly facts: ClusterBoard;
  readonly board: Board;
  readonly capacity: PoolCapacity;
  readonly #candidates: readonly Wish[];
  /** Removals as of the opening of the board; undefined = nothing has been tried since. */
  #removals: Map<RowId, Removal> | undefined;
  readonly #promised = new Set<string>();
  /** Nodes that are still starting. Pods that will fit there wait instead of starting another node. */
  #starting: readonly RowId[] | undefined;

  constructor(situation: Situation, { boards, judgedAgain, candidates = [] }: ContextParts) {
    this.situation = situation;
    this.facts = boards.open(situation, judgedAgain);
    this.board = this.facts.board;
    this.capacity = new PoolCapacity(situation);
    this.#candidates = candidates;
  }

  rowOf({ node }: NodeView): RowId {
    return this.board.rows.of(node.name) ?? -1;
  }

  /** Whether pods of leaving nodes are promised to it, in this round or by a command under way. */
  isNeeded({ node }: NodeView): boolean {
    return this.facts.promised.has(node.name) || this.#promised.has(node.name);
  }

  /** Marks the targets of the moves as promised. */
  keep(placed: PlacementResult): PlacementResult {
    if ('placement' in placed) for (const { target } of placed.placement.moves) this.#promised.add(target);
    return placed;
  }

  /** Call before the first trial: judges the removals of all candidates while the board is as it was opened. */
  leaveBase(): void {
    if (this.#removals) return;
    this.#removals = new Map();
    for (const { reason, view } of this.#candidates) {
      const row = this.rowOf(view);
      if (reason === 'Underutilized') this.#removals.set(row, this.facts.removals.of(row));
    }
  }

  /** The removal as of the opening of the board. Undefined = it was not judged then. */
  removalOf(row: RowId): Removal | undefined {
    return this.isAtBase() ? this.facts.removals.of(row) : this.#removals?.get(row);
  }

  /** Whether nothing has been tried since the board was opened. */
  isAtBase(): boolean {
    return this.facts.removals.isAtBase();
  }

  /** The first pod that will fit on a node that is still starting. */
  findStarting(pods: readonly PodClass[]): { readonly index: number; readonly row: RowId } | undefined {
    const { board } = this;
    for (const [index, pod] of pods.entries()) {
      const row = this.#startingRows().find((it) => !board.rows.isRemoved(it) && board.fits(pod, it));
      if (row !== undefined) return { index, row };
    }
    return undefined;
  }

  /** Sorted by name, without replacements: those are meant for the pods of the nodes they replace. */
  #startingRows(): readonly RowId[] {
    const { cluster, inFlight, replacements } = this.situation;
    this.#starting ??= cluster.nodes
      .filter(({ managed, state, node }) => managed && !state.initialized && !inFlight.has(node.name))
      .filter(({ node }) => !replacements.has(node.name))
      .map((view) => this.rowOf(view));
    return this.#starting;
  }
}

export const awaitsStart = (pod: Pod, node: string): Refusal =>
  noPlacement(`${nameOfPod(pod)} will fit on ${node}, which is still starting`);

export const noPlacement = (message: string): Refusal => refuse('NoPlacement', message);
