// The placer of a round: decides whether nodes can be removed, where their pods go, and what has to be launched (F5, F6).
import type { BoardCopy } from '../placement/board.ts';
import { findLikely } from '../placement/likely.ts';
import { placeElsewhere } from '../placement/placeElsewhere.ts';
import { nothingToMove, type Placement, type PlacementResult, type PodMove, toNode } from '../placement/placement.ts';
import { type ContextParts, PlanningContext } from '../placement/planningContext.ts';
import { movesInOrder, type PodToMove } from '../placement/rowFacts.ts';
import type { Assignment, RowId } from '../placement/tables.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { BaseObjections } from './baseObjections.ts';
import { candidateNode } from './candidateNode.ts';
import { ConsolidationRefusals } from './consolidationRefusals.ts';
import { catalogueOf } from './launchCatalogue.ts';
import { LaunchOfferings } from './launchOfferings.ts';
import { type ConsolidationPlan, type PlanFailure, type PlanGroup, type PlannedNode, Planner } from './planner.ts';
import { type Allowances, PlanStack } from './planStack.ts';
import { balancedTotals, type Launched, replacementOf } from './pricing.ts';

/** A candidate with its wish and pods. */
export interface RoundNode extends PlannedNode {
  readonly wish: Wish;
  /** Its pods, with their classes. */
  readonly toMove: readonly PodToMove[];
}

export interface RoundGroup extends PlanGroup {
  readonly nodes: readonly RoundNode[];
  /** The pods to move, one for each of `pods`. */
  readonly toMove: readonly PodToMove[];
}

/** Each attempt uses a larger new node. After a few it is hardly cheaper any more. */
const mostRehearsals = 4;

/** The parts that consolidation needs, created on first use. */
interface Consolidating {
  readonly planner: Planner;
  readonly objections: BaseObjections;
  readonly refusals: ConsolidationRefusals;
}

export class Placer {
  readonly #situation: Situation;
  readonly #parts: ContextParts;
  readonly #nodes = new Map<RowId, RoundNode>();
  #opened: PlanningContext | undefined;
  #consolidating: Consolidating | undefined;

  constructor(situation: Situation, parts: ContextParts) {
    this.#situation = situation;
    this.#parts = parts;
  }

  /** Opens the board for the first wish that has to be placed: most rounds have none. */
  #context(): PlanningContext {
    this.#opened ??= new PlanningContext(this.#situation, this.#parts);
    return this.#opened;
  }

  #consolidation(): Consolidating {
    if (this.#consolidating) return this.#consolidating;
    const context = this.#context();
    const { board, facts } = context;
    const catalogue = catalogueOf(this.#situation);
    const planner = new Planner(
      board,
      {
        offerings: new LaunchOfferings(board, catalogue),
        hasAllTypes: catalogue.hasAllTypes,
        rules: this.#situation.settings,
        totals: balancedTotals(this.#situation),
      },
      (pods) => context.findStarting(pods),
    );
    const objections = new BaseObjections(context, planner, catalogue);
    this.#consolidating = { planner, objections, refusals: new ConsolidationRefusals(facts, planner, this.#situation) };
    return this.#consolidating;
  }

  /** Places the pods of one wish. The room stays taken for later wishes. */
  place(wish: Wish): PlacementResult {
    if (wish.reason === 'Underutilized') return this.placeTogether([wish]);
    // In guide mode Karpenter places the pods. Lull only decides which nodes to offer for consolidation (F5).
    if (this.#situation.settings.role === 'guide') return { placement: this.removeWithoutPlacing(wish) };
    const placed = this.#placeAlone(wish);
    // Nothing holds an interruption, even if its pods fit nowhere.
    return 'refusals' in placed && wish.kind === 'forced' ? { placement: this.removeWithoutPlacing(wish) } : placed;
  }

  #placeAlone(wish: Wish): PlacementResult {
    const context = this.#context();
    if (wish.reason === 'Empty' && context.isNeeded(wish.view)) return needed;
    context.leaveBase();
    return context.keep(placeElsewhere(wish, context));
  }

  /** Places nodes that are removed together for Underutilized: all or none, with at most one replacement. */
  placeTogether(wishes: readonly Wish[]): PlacementResult {
    const context = this.#context();
    return wishes.some(({ view }) => context.isNeeded(view)) ? needed : context.keep(this.#placeGroup(wishes));
  }

  #placeGroup(wishes: readonly Wish[]): PlacementResult {
    const { objections, refusals } = this.#consolidation();
    const group = this.#groupOf(wishes);
    const plan = objections.against(group) ?? this.#plan(group);
    if (!('assignments' in plan)) return { refusals: [refusals.refusal(group, plan)] };
    this.#context().leaveBase();
    const rehearsed = this.#rehearse(group, plan);
    return 'code' in rehearsed ? { refusals: [rehearsed] } : { placement: this.#keepNew(group, rehearsed) };
  }

  /**
   * Which of the groups could be removed one after another with the tightest packing, and what that saves. Leaves the board and the
   * allowances unchanged.
   */
  planAll<Group extends readonly { readonly wish: Wish }[]>(
    groups: readonly Group[],
    allowances: Allowances<{ readonly wish: Wish }>,
  ): { readonly planned: readonly Group[]; readonly savings: number } {
    const planned: Group[] = [];
    let stack: PlanStack<RoundNode> | undefined;
    let savings = 0;
    for (const group of groups) {
      const wishes = group.map(({ wish }) => wish);
      if (!group.every((it) => allowances.admits(it))) continue;
      stack ??= new PlanStack<RoundNode>(this.#consolidation().planner, allowances);
      const move = this.#moveOf(wishes, stack);
      if (!move) continue;
      stack.push(move);
      savings += move.savings;
      planned.push(group);
    }
    while (stack?.pop());
    return { planned, savings };
  }

  #moveOf(wishes: readonly Wish[], stack: PlanStack<RoundNode>): ReturnType<typeof stack.moveOf> | undefined {
    const context = this.#context();
    const group = this.#groupOf(wishes);
    if (stack.admitted(group.nodes).length < group.nodes.length) return undefined;
    if (wishes.some(({ view }) => context.isNeeded(view))) return undefined;
    context.leaveBase();
    if (this.#consolidation().objections.against(group)) return undefined;
    const plan = this.#plan(group);
    return 'assignments' in plan ? stack.moveOf(group.nodes, plan) : undefined;
  }

  /** Removes the node without placing its pods. It is no longer a target. */
  removeWithoutPlacing({ view }: Wish): Placement {
    const context = this.#context();
    context.leaveBase();
    context.board.removeNode(context.rowOf(view));
    return nothingToMove;
  }

  /** Closes nodes that are about to be removed to other pods, or opens them again. */
  keepFree(wishes: readonly Wish[], isKept: boolean): void {
    for (const { view } of wishes) this.#context().board.close(this.#context().rowOf(view), isKept);
  }

  /** A snapshot of the board with all assignments. Undefined = the board was never opened, and `isOpened` is false. */
  copy(isOpened: boolean): { readonly board: BoardCopy; readonly revision: number } | undefined {
    const context = isOpened ? this.#context() : this.#opened;
    return context && { board: context.board.copy(), revision: context.facts.removals.revision };
  }

  #nodeOf(wish: Wish): RoundNode {
    const context = this.#context();
    const row = context.rowOf(wish.view);
    const known = this.#nodes.get(row);
    if (known?.wish === wish) return known;
    const numbers = context.board.rows.podsOn(row);
    const toMove = context.facts.podsFrom(row).map((pod, index) => ({ pod, number: numbers[index] ?? -1 }));
    const node = { ...candidateNode(wish.view, this.#situation.settings), row, wish, toMove };
    this.#nodes.set(row, node);
    return node;
  }

  #groupOf(wishes: readonly Wish[]): RoundGroup {
    const { rows } = this.#context().board;
    const nodes = wishes.map((wish) => this.#nodeOf(wish));
    const all = nodes.flatMap(({ toMove }) => toMove);
    const toMove = nodes.length > 1 ? movesInOrder(all) : all;
    const extraPods = nodes.flatMap(({ row }) => rows.extraOf(row));
    return { nodes, toMove, pods: toMove.map(({ number }) => number), extraPods };
  }

  #plan(group: RoundGroup): ConsolidationPlan | PlanFailure {
    const plan = this.#consolidation().planner.plan(group);
    return 'launched' in plan ? (this.#beyond(group, plan.launched, plan.unplacedAt[0]) ?? plan) : plan;
  }

  /** Checks the pool's limits for the new node. */
  #beyond({ nodes }: RoundGroup, launched: Launched | undefined, at = 0): PlanFailure | undefined {
    const pool = launched && this.#situation.cluster.pools.get(launched.pool);
    if (!pool) return undefined;
    const views = nodes.map(({ wish }) => wish.view);
    const beyond = this.#context().capacity.refuse(pool, views, [launched.plan.shape]);
    return beyond === undefined ? undefined : { beyond, at };
  }

  /**
   * Repeats the plan with the scheduler's own choices, which prefer an empty new node: all pods must fit then, too. Pods that do not may go
   * to a new or larger new node, if that saves enough.
   */
  #rehearse(group: RoundGroup, plan: ConsolidationPlan): RehearsedPlan | Refusal {
    const { board } = this.#context();
    const { refusals } = this.#consolidation();
    const mark = board.mark();
    let { launched } = plan;
    let onNew: readonly PodToMove[] = plan.unplacedAt.flatMap((at) => group.toMove[at] ?? []);
    let refusal: Refusal | undefined;
    for (let tries = 1; ; tries++) {
      const { moves, assignments, fresh, stranded } = this.#assignLikely(group, launched);
      const [first] = stranded;
      if (!first) return { launched, onNew, moves };
      refusal ??= refusals.stranded(first);
      board.undo(mark);
      if (tries === mostRehearsals) return refusal;
      onNew = [...fresh, ...stranded];
      const larger = this.#launchBeside(group, onNew, assignments);
      board.undo(mark);
      if (!larger) return refusal;
      launched = larger;
    }
  }

  /** The launch for these pods, with the others assigned as before; undefined = none is possible. */
  #launchBeside(
    group: RoundGroup,
    onNew: readonly PodToMove[],
    assignments: readonly Assignment[],
  ): Launched | undefined {
    const { planner } = this.#consolidation();
    planner.apply(group.nodes, { assignments, extraAssignments: [] });
    const unplaced = onNew.map(({ number }) => number);
    const launched = planner.launchFor(group.nodes, { unplaced, unplacedAt: [] });
    return 'plan' in launched && !this.#beyond(group, launched) ? launched : undefined;
  }

  #assignLikely(group: RoundGroup, launched: Launched | undefined): LikelyAssignments {
    const { board } = this.#context();
    for (const { row } of group.nodes) board.removeNode(row);
    const added = launched && board.add(launched.plan.shape);
    const seating: LikelyAssignments = { moves: [], assignments: [], fresh: [], stranded: [] };
    for (const toMove of group.toMove) {
      const { pod, number } = toMove;
      const isFresh = added !== undefined && board.assignTo(number, added);
      const row = isFresh ? undefined : findLikely(board, number, 'stable');
      if (isFresh) seating.fresh.push(toMove);
      else if (row === undefined) seating.stranded.push(toMove);
      else {
        board.assign(number, row);
        seating.assignments.push({ pod: number, row });
        seating.moves.push(toNode(pod, board.rows.nameOf(row)));
      }
    }
    for (const pod of group.extraPods) if (board.assignFirst(pod, 'all') === undefined) break;
    return seating;
  }

  #keepNew({ nodes }: RoundGroup, { launched, onNew, moves }: RehearsedPlan): Placement {
    const pool = launched && this.#situation.cluster.pools.get(launched.pool);
    const views = nodes.map(({ wish }) => wish.view);
    if (pool) this.#context().capacity.keep(pool, views, [launched.plan.shape]);
    const pods = onNew.map(({ pod }) => pod);
    return { moves, replacements: launched ? [replacementOf(launched, pods)] : [] };
  }
}

/** Where the pods went: to existing nodes, to the new node, or nowhere. */
interface LikelyAssignments {
  readonly moves: PodMove[];
  readonly assignments: Assignment[];
  readonly fresh: PodToMove[];
  readonly stranded: PodToMove[];
}

interface RehearsedPlan {
  readonly launched: Launched | undefined;
  /** The pods for the new node. */
  readonly onNew: readonly PodToMove[];
  readonly moves: readonly PodMove[];
}

const needed: PlacementResult = {
  refusals: [refuse('Nominated', 'pods of nodes that are being removed need room on it')],
};
