// Placement of a node's pods when the node has to be replaced: on other nodes or on replacements (F5, F6).
import type { Pool } from '../../cluster/model.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { Board } from './board.ts';
import { describeMisfit, misfitOf, nameOfPod } from './misfit.ts';
import { type NodeShape, shapesFor } from './nodeShapes.ts';
import { type PlacementResult, type PlannedReplacement, type PodMove, toNode } from './placement.ts';
import { awaitsStart, noPlacement, type PlanningContext } from './planningContext.ts';
import type { PodToMove } from './rowFacts.ts';
import type { PodClass, RowId } from './tables.ts';

/** Keeps the assignments on the board. If it is refused, the board is unchanged. */
export function placeElsewhere(wish: Wish, context: PlanningContext): PlacementResult {
  const { board } = context;
  const mark = board.mark();
  const { moves, unplaced } = moveToFirst(context.rowOf(wish.view), context);
  if (unplaced.length === 0 && !isReplacedAlways(wish)) return { placement: { moves, replacements: [] } };
  const made = makeFor(wish, unplaced, context);
  if ('replacements' in made) return { placement: { moves, replacements: made.replacements } };
  board.undo(mark);
  return made;
}

/** Assigns each pod to the first target it fits on. */
function moveToFirst(row: RowId, { board, facts }: PlanningContext): { moves: PodMove[]; unplaced: PodToMove[] } {
  const [pods, numbers] = [facts.podsFrom(row), board.rows.podsOn(row)];
  board.removeNode(row);
  const moves: PodMove[] = [];
  const unplaced: PodToMove[] = [];
  numbers.forEach((number, index) => {
    const pod = pods[index];
    const target = board.assignFirst(number, 'all');
    // Undefined for a pod of another node that was assigned here in this round: its move is already recorded.
    if (!pod) return;
    if (target === undefined) unplaced.push({ pod, number });
    else moves.push(toNode(pod, board.rows.nameOf(target)));
  });
  return { moves, unplaced };
}

type ReplacementResult =
  | { readonly replacements: readonly PlannedReplacement[] }
  | Extract<PlacementResult, { refusals: unknown }>;

function makeFor(wish: Wish, unplaced: readonly PodToMove[], context: PlanningContext): ReplacementResult {
  const { view, pool } = wish;
  const first = unplaced[0] ? nameOfPod(unplaced[0].pod) : 'the node';
  if (!pool) return refused(`${first} fits on no other node, and the node has no pool that could replace it`);
  const starting = context.findStarting(unplaced.map(({ number }) => number));
  const waiting = starting && unplaced[starting.index];
  if (waiting) return { refusals: [awaitsStart(waiting.pod, context.board.rows.nameOf(starting.row))] };
  const objections: string[] = [];
  for (const maker of [pool, ...otherPools(wish, context.situation)]) {
    const made = makeFrom(maker, view, unplaced, context);
    if (typeof made !== 'string') return { replacements: made.map((shape) => replacementOf(maker, shape)) };
    objections.push(made);
  }
  return refused(objections[0] ?? '');
}

const refused = (message: string): ReplacementResult => ({ refusals: [noPlacement(message)] });

/** Other pools that can create nodes, highest weight first, for when its own cannot. A static pool has no alternatives. */
function otherPools({ pool, reason }: Wish, { tallies, ledger, now, slow }: Situation): readonly Pool[] {
  if (!pool || pool.replicas !== undefined || reason === 'Rebalance') return [];
  const backedOff = ledger.backoffs.filter(({ until }) => now < until).map((it) => it.pool);
  const waiting = new Set([...backedOff, ...slow.refusals.keys()]);
  return [...tallies.values()]
    .map((tally) => tally.pool)
    .filter((it) => it !== pool && it.replicas === undefined && !it.fault && !it.provisioner && !waiting.has(it.name))
    .sort((a, b) => b.weight - a.weight || compareText(a.name, b.name));
}

/** The new nodes, or why the pool cannot create them. */
function makeFrom(
  pool: Pool,
  view: NodeView,
  unplaced: readonly PodToMove[],
  { board, capacity, situation }: PlanningContext,
): readonly NodeShape[] | string {
  const obstacle = cannotReplace(pool, situation);
  if (obstacle) return obstacle;
  const mark = board.mark();
  const packed = packIntoNew(board, unplaced, shapesFor(view, pool, situation));
  if ('misfit' in packed) {
    const { pod, number } = packed.misfit;
    return `${describeMisfit(pod, misfitOf(board, number, 'all'))}; it would not fit on a replacement either`;
  }
  const beyond = capacity.refuse(pool, [view], packed.shapes);
  if (beyond) {
    board.undo(mark);
    const [first] = unplaced;
    return `${first ? `${nameOfPod(first.pod)} fits on no other node, and ` : ''}${beyond}`;
  }
  capacity.keep(pool, [view], packed.shapes);
  return packed.shapes;
}

/** Rebalance always replaces the node, and a static pool keeps its number of nodes (A). */
const isReplacedAlways = ({ reason, pool }: Wish): boolean => reason === 'Rebalance' || pool?.replicas !== undefined;

/** Why this pool creates no new node now. */
function cannotReplace(pool: Pool, { tallies }: Situation): string | undefined {
  if (pool.deleting) return 'its pool is being deleted and creates no replacement';
  if (pool.conditions.Ready?.status === 'False') return 'its pool is not Ready and creates no replacement';
  const nodes = tallies.get(pool.name)?.nodes.length ?? 0;
  if (pool.replicas !== undefined && nodes > pool.replicas) {
    return `its static pool has ${nodes} nodes for ${pool.replicas} replicas and scales down first`;
  }
  return undefined;
}

const replacementOf = (pool: Pool, { instanceType, assumed, price }: NodeShape): PlannedReplacement => ({
  pool: pool.name,
  ...(instanceType !== undefined && { instanceType }),
  ...(price !== undefined && { price }),
  ...(assumed && { assumed }),
});

/**
 * Packs the pods into new nodes: a single one if a shape holds all of them, otherwise first-fit. The new nodes stay on the board. If a pod
 * fits on none, it is returned and the board is unchanged.
 */
export function packIntoNew(
  board: Board,
  pods: readonly PodToMove[],
  shapes: readonly NodeShape[],
): { shapes: NodeShape[] } | { misfit: PodToMove } {
  const mark = board.mark();
  for (const shape of shapes) {
    const row = board.add(shape);
    if (pods.every(({ number }) => board.assignTo(number, row))) return { shapes: [shape] };
    board.undo(mark);
  }
  const made: { readonly shape: NodeShape; readonly row: RowId }[] = [];
  const largestFirst = [...pods].sort((a, b) => (b.pod.requests.cpu ?? 0) - (a.pod.requests.cpu ?? 0));
  for (const pod of largestFirst) {
    if (made.some(({ row }) => board.assignTo(pod.number, row))) continue;
    const bin = openFor(board, pod.number, shapes);
    if (!bin) {
      board.undo(mark);
      return { misfit: pod };
    }
    made.push(bin);
  }
  return { shapes: made.map(({ shape }) => shape) };
}

/** Adds a new node of the first shape that fits the pod. */
function openFor(
  board: Board,
  pod: PodClass,
  shapes: readonly NodeShape[],
): { shape: NodeShape; row: RowId } | undefined {
  for (const shape of shapes) {
    const mark = board.mark();
    const row = board.add(shape);
    if (board.assignTo(pod, row)) return { shape, row };
    board.undo(mark);
  }
  return undefined;
}
