// What has a search decided so far? Moves on a board, one on top of the other, each of which can be taken back and done again.
import type { Mark, PodClass, Row } from '../placement/board.ts';
import type { BoardState } from '../placement/boardState.ts';
import type { Shape } from '../placement/shapes.ts';
import { Allowances } from './allowances.ts';
import { podsOfAll, priceOfAll } from './leaver.ts';
import { isMoreThan } from './money.ts';
import type { SearchCandidate, SearchTask } from './searchTask.ts';
import { replay, seat, seatAll } from './seating.ts';
import { type Ground, objectionToRemoval, replacementFor } from './thrift.ts';

/** Nodes that leave together, with one new node in their place or none. */
export interface TrialMove {
  readonly nodes: readonly Standing[];
  readonly seats: readonly number[];
  /** What has to be launched, and who goes there. */
  readonly launched?: { readonly shape: Shape; readonly pods: readonly PodClass[] };
  /** 0 where no price is known. */
  readonly savings: number;
  /** What the search is after: savings less what the moves cost. */
  readonly gain: number;
}

/** A candidate, its row, and what its pods request. */
export interface Standing extends SearchCandidate {
  readonly row: Row;
  readonly size: Float64Array;
}

/** Of two plans that save alike the one that moves fewer pods is better: what one pod counts, as a share of what it costs to run. */
const leastMoveCost = 0.01;

export class TrialPlan {
  readonly board: BoardState;
  readonly ground: Ground;
  /** What moving one pod takes from the gain. */
  readonly moveCost: number;
  readonly #allowances: Allowances;
  readonly #moves: { readonly move: TrialMove; readonly mark: Mark }[] = [];
  readonly #taken = new Set<Row>();
  /** By row: how many pods were promised to it. */
  readonly #promised = new Map<Row, number>();
  #gain = 0;
  /** Pods for which a place was looked for: what a search costs. */
  steps = 0;

  constructor(board: BoardState, task: SearchTask, ground: Ground) {
    this.board = board;
    this.ground = ground;
    this.#allowances = new Allowances(task);
    const pods = Math.max(1, podsOfAll(task.candidates));
    const price = task.candidates.reduce((sum, it) => sum + (it.price ?? 0), 0);
    this.moveCost = Math.max(task.rules.podMoveCost, (leastMoveCost * price) / pods);
  }

  get moves(): readonly TrialMove[] {
    return this.#moves.map(({ move }) => move);
  }

  get length(): number {
    return this.#moves.length;
  }

  get gain(): number {
    return this.#gain;
  }

  isOpen(node: Standing): boolean {
    return !this.#taken.has(node.row) && !this.#promised.has(node.row) && this.#allowances.admits(node);
  }

  /** Those of them, in order, that may leave together. */
  admitted(nodes: readonly Standing[]): readonly Standing[] {
    const spent: Standing[] = [];
    for (const node of nodes) {
      if (!this.isOpen(node)) continue;
      this.#allowances.spend(node, 1);
      spent.push(node);
    }
    for (const node of spent) this.#allowances.spend(node, -1);
    return spent;
  }

  /** Takes the last move back. */
  pop(): TrialMove | undefined {
    const last = this.#moves.pop();
    if (!last) return undefined;
    this.board.undo(last.mark);
    this.#count(last.move, -1);
    return last.move;
  }

  /** Does again what was taken back. */
  push(move: TrialMove): void {
    const mark = this.board.mark();
    // Nothing is looked for, but it takes its time.
    this.steps += move.seats.length / 8;
    replay(this.board, rowsOf(move.nodes), move.seats);
    this.#keep(move, mark);
  }

  /** It leaves, and all its pods find room. */
  remove(node: Standing): boolean {
    if (!this.isOpen(node) || objectionToRemoval([node], this.ground)) return false;
    const mark = this.board.mark();
    const seats = seatAll(this.board, node.row);
    this.steps += node.pods;
    if (!seats) {
      this.board.undo(mark);
      return false;
    }
    const savings = node.price ?? 0;
    this.#keep({ nodes: [node], seats, savings, gain: savings - node.pods * this.moveCost }, mark);
    return true;
  }

  /** They leave together and one new node comes, where that is worth it; judged as the round will. */
  replace(nodes: readonly Standing[]): boolean {
    if (nodes.length === 0 || this.admitted(nodes).length < nodes.length) return false;
    const { board } = this;
    const mark = board.mark();
    const { seats, homeless } = seat(board, rowsOf(nodes));
    const pods = podsOfAll(nodes);
    this.steps += pods;
    const isWorthIt = homeless.length > 0 && !this.#settlesSoon(homeless);
    const launched = isWorthIt ? replacementFor(nodes, homeless, this.ground) : undefined;
    const savings = launched && 'plan' in launched ? (priceOfAll(nodes) ?? 0) - launched.plan.price : 0;
    const gain = savings - pods * this.moveCost;
    if (!launched || !('plan' in launched) || !isMoreThan(gain, 0)) {
      board.undo(mark);
      return false;
    }
    const { shape } = launched.plan;
    this.#keep({ nodes, seats, launched: { shape, pods: homeless }, savings, gain }, mark);
    return true;
  }

  /** T187: they would fit on nodes that have only to come to rest. */
  #settlesSoon(homeless: readonly PodClass[]): boolean {
    const { board } = this;
    const mark = board.mark();
    const fits = homeless.every((pod) => {
      const target = board.find(pod, 'first', 'all');
      if (target !== undefined) board.take(pod, target);
      return target !== undefined;
    });
    board.undo(mark);
    return fits;
  }

  #keep(move: TrialMove, mark: Mark): void {
    if (move.launched) {
      const row = this.board.add(move.launched.shape);
      for (const pod of move.launched.pods) this.board.take(pod, row);
    }
    this.#moves.push({ move, mark });
    this.#count(move, 1);
  }

  #count({ nodes, seats, gain }: TrialMove, change: 1 | -1): void {
    this.#gain += change * gain;
    for (const node of nodes) {
      this.#allowances.spend(node, change);
      if (change === 1) this.#taken.add(node.row);
      else this.#taken.delete(node.row);
    }
    for (let index = 1; index < seats.length; index += 2) {
      const row = seats[index] as Row;
      const promised = (this.#promised.get(row) ?? 0) + change;
      if (promised === 0) this.#promised.delete(row);
      else this.#promised.set(row, promised);
    }
  }
}

const rowsOf = (nodes: readonly Standing[]): readonly Row[] => nodes.map(({ row }) => row);
