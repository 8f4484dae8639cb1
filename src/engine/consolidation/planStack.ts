// A stack of planned moves that can be undone and redone, with the allowances they use.
import type { Mark } from '../placement/board.ts';
import { isMoreThan } from '../placement/price.ts';
import type { PodClass, RowId } from '../placement/tables.ts';
import { podsOfAll, priceOfAll } from './candidateNode.ts';
import { sizeOf } from './launchOfferings.ts';
import type { ConsolidationPlan, PlannedNode, Planner } from './planner.ts';
import { objectionToRemoval } from './pricing.ts';

/** How many more nodes may be removed. A round asks the limits, a search counts by itself. */
export interface Allowances<Node> {
  /** Whether this node may be removed too. */
  admits(node: Node): boolean;
  /** Counts a removal (1), or takes it back (-1). */
  spend(node: Node, change: 1 | -1): void;
}

/** The nodes, in order, that may be removed together. Spends nothing. */
export function admittedOf<Node>(
  nodes: readonly Node[],
  allowances: Allowances<Node>,
  isOpen = (node: Node): boolean => allowances.admits(node),
): readonly Node[] {
  const spent: Node[] = [];
  for (const node of nodes) {
    if (!isOpen(node)) continue;
    allowances.spend(node, 1);
    spent.push(node);
  }
  for (const node of spent) allowances.spend(node, -1);
  return spent;
}

/** Nodes that are removed together, with at most one new node in their place. */
export interface PlannedMove<Node> {
  readonly nodes: readonly Node[];
  readonly plan: ConsolidationPlan;
  /** 0 if a price is not known. */
  readonly savings: number;
  /** What a search maximizes: savings minus the cost of the moved pods. */
  readonly gain: number;
}

export class PlanStack<Node extends PlannedNode> {
  readonly planner: Planner;
  /** The cost of moving one pod. */
  readonly moveCost: number;
  readonly #allowances: Allowances<Node>;
  readonly #moves: { readonly move: PlannedMove<Node>; readonly mark: Mark }[] = [];
  readonly #taken = new Set<RowId>();
  /** By row: how many pods were assigned to it. */
  readonly #promised = new Map<RowId, number>();
  /** The sum of all gains. */
  gain = 0;
  /** How many pods were placed: the measure of a search's effort. */
  steps = 0;

  constructor(planner: Planner, allowances: Allowances<Node>, moveCost = 0) {
    this.planner = planner;
    this.#allowances = allowances;
    this.moveCost = moveCost;
  }

  moves(): readonly PlannedMove<Node>[] {
    return this.#moves.map(({ move }) => move);
  }

  get length(): number {
    return this.#moves.length;
  }

  isOpen(node: Node): boolean {
    return !this.#taken.has(node.row) && !this.#promised.has(node.row) && this.#allowances.admits(node);
  }

  /** The nodes, in order, that may be removed together. */
  admitted(nodes: readonly Node[]): readonly Node[] {
    return admittedOf(nodes, this.#allowances, (node) => this.isOpen(node));
  }

  /** Undoes the last move. */
  pop(): PlannedMove<Node> | undefined {
    const last = this.#moves.pop();
    if (!last) return undefined;
    this.planner.board.undo(last.mark);
    this.#count(last.move, -1);
    return last.move;
  }

  /** Applies a move that was planned or undone before. */
  push(move: PlannedMove<Node>): void {
    const mark = this.planner.board.mark();
    // Applying is cheaper than searching, but not free.
    this.steps += move.plan.assignments.length / 4;
    this.planner.apply(move.nodes, move.plan);
    this.#keep(move, mark);
  }

  /** Removes the node if all its pods fit elsewhere. */
  remove(node: Node): boolean {
    const { board, pricing } = this.planner;
    if (!this.isOpen(node) || objectionToRemoval([node], pricing)) return false;
    const mark = board.mark();
    const assignments = this.planner.moveAll(node.row);
    this.steps += node.pods;
    if (!assignments) {
      board.undo(mark);
      return false;
    }
    this.#keep(this.moveOf([node], { assignments, extraAssignments: [], unplacedAt: [], unplaced: [] }), mark);
    return true;
  }

  /** Replaces the nodes by one new node if the gain is positive, judged as a round does. */
  replace(nodes: readonly Node[]): boolean {
    if (nodes.length === 0 || this.admitted(nodes).length < nodes.length) return false;
    const { board } = this.planner;
    const mark = board.mark();
    const plan = this.planner.attempt({ nodes, pods: this.#podsOn(nodes), extraPods: [] });
    this.steps += podsOfAll(nodes);
    const move = 'launched' in plan ? this.moveOf(nodes, plan) : undefined;
    if (!move || !isMoreThan(move.gain, 0)) {
      board.undo(mark);
      return false;
    }
    this.#keep(move, mark);
    return true;
  }

  moveOf(nodes: readonly Node[], plan: ConsolidationPlan): PlannedMove<Node> {
    const savings = (priceOfAll(nodes) ?? 0) - (plan.launched?.plan.price ?? 0);
    return { nodes, plan, savings, gain: savings - podsOfAll(nodes) * this.moveCost };
  }

  /** Largest first: small pods fill the gaps. */
  #podsOn(nodes: readonly Node[]): readonly PodClass[] {
    const { rows, tables } = this.planner.board;
    const pods = nodes.flatMap(({ row }) => rows.podsOn(row));
    if (nodes.length === 1) return pods;
    // Class IDs depend on the order of arrival and must not influence the result.
    const sized = pods.map((pod) => ({ pod, size: sizeOf([pod], tables) }));
    const more = (a: Float64Array, b: Float64Array, column: number): number => (b[column] ?? 0) - (a[column] ?? 0);
    return sized.sort((a, b) => more(a.size, b.size, 0) || more(a.size, b.size, 1)).map(({ pod }) => pod);
  }

  #keep(move: PlannedMove<Node>, mark: Mark): void {
    this.planner.addLaunched(move.plan);
    this.#moves.push({ move, mark });
    this.#count(move, 1);
  }

  #count({ nodes, plan, gain }: PlannedMove<Node>, change: 1 | -1): void {
    this.gain += change * gain;
    for (const node of nodes) {
      this.#allowances.spend(node, change);
      if (change === 1) this.#taken.add(node.row);
      else this.#taken.delete(node.row);
    }
    for (const { row } of plan.assignments) {
      const promised = (this.#promised.get(row) ?? 0) + change;
      if (promised === 0) this.#promised.delete(row);
      else this.#promised.set(row, promised);
    }
  }
}
