// The consolidation planner, used by rounds and searches: moves the pods of removed nodes, with a new node for those that fit nowhere.
import type { Board } from '../placement/board.ts';
import type { Assignment, PodClass, RowId } from '../placement/tables.ts';
import type { CandidateNode } from './candidateNode.ts';
import { type Launched, type Objection, objectionToRemoval, type Pricing, replacementFor } from './pricing.ts';

/** A candidate with its row. */
export interface PlannedNode extends CandidateNode {
  readonly row: RowId;
}

/** Nodes that are removed together. */
export interface PlanGroup {
  readonly nodes: readonly PlannedNode[];
  /** Their pods, in the order in which they are placed. */
  readonly pods: readonly PodClass[];
  /** Pending pods and pods of other leaving nodes that are assigned to these nodes on the board. */
  readonly extraPods: readonly PodClass[];
}

export interface ConsolidationPlan {
  readonly assignments: readonly Assignment[];
  readonly extraAssignments: readonly Assignment[];
  /** The pods that fit on no other node, by index among the group's pods, and what is launched for them. */
  readonly unplacedAt: readonly number[];
  readonly unplaced: readonly PodClass[];
  readonly launched?: Launched;
}

/** Why there is no plan. `at`: the index of the first pod that fits on no other node, if there is one. */
export type PlanFailure =
  /** `moved`: where the other pods were when the objection was raised. */
  | { readonly objection: Objection; readonly at?: number; readonly moved?: PlanAssignments }
  /** An extra pod fits nowhere else. */
  | { readonly extraPod: PodClass }
  /** The pod will fit on a node that is still starting. */
  | { readonly starting: RowId; readonly at: number }
  /** All pods will fit on these nodes once they are past their consolidateAfter (T187). */
  | { readonly stabilizing: readonly RowId[]; readonly at: number }
  /** The new node would exceed its pool's limits. */
  | { readonly beyond: string; readonly at: number };

type PlanAssignments = Pick<ConsolidationPlan, 'assignments' | 'extraAssignments'>;
type UnplacedPods = Pick<ConsolidationPlan, 'unplaced' | 'unplacedAt'>;

/** Finds the first pod that will fit on a node that is still starting. A search does not wait for nodes. */
type FindStarting = (pods: readonly PodClass[]) => { readonly index: number; readonly row: RowId } | undefined;

export class Planner {
  readonly board: Board;
  readonly pricing: Pricing;
  readonly #findStarting: FindStarting;
  /** By board state and rows of the group. */
  readonly #found = new Map<string, ConsolidationPlan | PlanFailure>();

  constructor(board: Board, pricing: Pricing, findStarting: FindStarting = () => undefined) {
    this.board = board;
    this.pricing = pricing;
    this.#findStarting = findStarting;
  }

  /** Computed once per board state. The board is unchanged afterwards. */
  plan(group: PlanGroup): ConsolidationPlan | PlanFailure {
    const { board } = this;
    const key = [board.state, ...group.nodes.map(({ row }) => row)].join();
    const known = this.#found.get(key);
    if (known) return known;
    const mark = board.mark();
    const plan = this.attempt(group);
    board.undo(mark);
    this.#found.set(key, plan);
    return plan;
  }

  /** Leaves the moves on the board, but not the new node. The caller keeps or undoes them. */
  attempt(group: PlanGroup): ConsolidationPlan | PlanFailure {
    const { nodes, pods, extraPods } = group;
    const moved = this.move(nodes, pods);
    const extraAssignments: Assignment[] = [];
    for (const pod of extraPods) {
      const row = this.board.assignFirst(pod, 'all');
      if (row === undefined) return { extraPod: pod };
      extraAssignments.push({ pod, row });
    }
    const plan = { ...moved, extraAssignments };
    if (moved.unplaced.length === 0) {
      const objection = objectionToRemoval(nodes, this.pricing);
      return objection ? { objection } : plan;
    }
    const launched = this.launchFor(nodes, moved);
    if ('plan' in launched) return { ...plan, launched };
    return 'objection' in launched ? { ...launched, moved: plan } : launched;
  }

  /** Removes all nodes first, so that none receives pods of another. */
  move(
    nodes: readonly PlannedNode[],
    pods: readonly PodClass[],
  ): Pick<ConsolidationPlan, 'assignments'> & UnplacedPods {
    for (const { row } of nodes) this.board.removeNode(row);
    const assignments: Assignment[] = [];
    const unplaced: PodClass[] = [];
    const unplacedAt: number[] = [];
    pods.forEach((pod, at) => {
      const row = findTightest(this.board, pod);
      if (row !== undefined) {
        this.board.assign(pod, row);
        assignments.push({ pod, row });
        return;
      }
      unplaced.push(pod);
      unplacedAt.push(at);
    });
    return { assignments, unplaced, unplacedAt };
  }

  /** Moves a node's pods to other nodes, or to the new node if given. Undefined = one does not fit. */
  moveAll(row: RowId, fresh?: RowId): readonly Assignment[] | undefined {
    const { board } = this;
    board.removeNode(row);
    const assignments: Assignment[] = [];
    for (const pod of board.rows.podsOn(row)) {
      const target = findTightest(board, pod) ?? (fresh !== undefined && board.fits(pod, fresh) ? fresh : undefined);
      if (target === undefined) return undefined;
      board.assign(pod, target);
      assignments.push({ pod, row: target });
    }
    return assignments;
  }

  /** What to launch for pods that fit on no other node, if that saves enough. All other pods are assigned already. */
  launchFor(nodes: readonly CandidateNode[], { unplaced, unplacedAt }: UnplacedPods): Launched | PlanFailure {
    const [at = 0] = unplacedAt;
    const starting = this.#findStarting(unplaced);
    if (starting) return { starting: starting.row, at: unplacedAt[starting.index] ?? at };
    const stabilizing = this.#stabilizing(unplaced);
    if (stabilizing) return { stabilizing, at };
    const launched = replacementFor(nodes, unplaced, this.pricing);
    return 'why' in launched ? { objection: launched, at } : launched;
  }

  #stabilizing(pods: readonly PodClass[]): readonly RowId[] | undefined {
    const { board } = this;
    const mark = board.mark();
    const rows: RowId[] = [];
    for (const pod of pods) {
      const row = board.assignFirst(pod, 'all');
      if (row === undefined) break;
      rows.push(row);
    }
    board.undo(mark);
    return rows.length === pods.length ? rows : undefined;
  }

  /** Applies a plan without checking it again. */
  apply(nodes: readonly PlannedNode[], { assignments, extraAssignments }: PlanAssignments): void {
    for (const { row } of nodes) this.board.removeNode(row);
    for (const { pod, row } of assignments) this.board.assign(pod, row);
    for (const { pod, row } of extraAssignments) this.board.assign(pod, row);
  }

  /** Adds the new node with its pods to the board. */
  addLaunched({ launched, unplaced }: ConsolidationPlan): void {
    if (!launched) return;
    const row = this.board.add(launched.plan.shape);
    for (const pod of unplaced) this.board.assign(pod, row);
  }
}

/** How many fitting targets are compared. Those further down the order are better kept empty. */
const compared = 16;

/** How many more targets are checked once one fits, if most do not fit because of their labels. */
const lookedAt = 32;

/** The weight of free space relative to imbalance: free cpu without free memory, or the reverse, is useless. */
const tightness = 0.3;

/** The bonus for nodes that are promised to pods: they stay anyway, so other nodes remain removable. */
const company = 2;

/** The tightest fit: among the first targets with room, the one where the pod wastes the least space. */
function findTightest(board: Board, pod: PodClass): RowId | undefined {
  let best: RowId | undefined;
  let least = Number.POSITIVE_INFINITY;
  let found = 0;
  let looked = 0;
  for (const row of board.mightHaveRoom(pod, 0, 'stable')) {
    if (best !== undefined && looked++ >= lookedAt) break;
    if (!board.fits(pod, row)) continue;
    const waste = wasteAt(board, pod, row) - (board.rows.extraOf(row).length > 0 ? company : 0);
    if (waste < least) {
      least = waste;
      best = row;
    }
    if (++found === compared) break;
  }
  return best;
}

function wasteAt(board: Board, pod: PodClass, row: RowId): number {
  const { allocatable = [] } = board.rows.factsOf(row) ?? {};
  let cpu = board.rows.freeOf(row, 0);
  let memory = board.rows.freeOf(row, 1);
  for (const { column, amount } of board.classRule(pod).needs) {
    if (column === 0) cpu -= amount;
    if (column === 1) memory -= amount;
  }
  const [ofCpu, ofMemory] = [cpu / (allocatable[0] || 1), memory / (allocatable[1] || 1)];
  return Math.abs(ofCpu - ofMemory) + tightness * (ofCpu + ofMemory);
}
