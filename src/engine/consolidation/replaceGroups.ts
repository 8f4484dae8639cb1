// Search moves that replace a group of nodes by one new node that is cheaper than all of them.
import { compareText } from '../../cluster/nodeView.ts';
import { isMoreThan } from '../placement/price.ts';
import type { PodClass } from '../placement/tables.ts';
import { podsOfAll, priceOfAll } from './candidateNode.ts';
import { type LaunchItem, sizeOf } from './launchOfferings.ts';
import type { PlannedNode } from './planner.ts';
import type { PlanStack } from './planStack.ts';
import type { SearchCandidate } from './searchTask.ts';

/** A candidate on the search's board, and what its pods request. */
export interface SearchNode extends SearchCandidate, PlannedNode {
  readonly size: Float64Array;
}

export type SearchPlan = PlanStack<SearchNode>;

/** How much worse a group may temporarily get by adding a node, as a fraction of that node's price. */
const tolerance = 0.25;

/** After this many consecutive nodes whose pods do not fit, a new node counts as full. */
const mostMisses = 4;

/** Grows a group from one node. Sizes come in steps, so a partner without gain may make the next one profitable. */
function growFrom(plan: SearchPlan, seed: SearchNode, partners: readonly SearchNode[]): readonly SearchNode[] {
  if (!plan.isOpen(seed) || seed.price === undefined) return [];
  const { board } = plan.planner;
  const mark = board.mark();
  const group = [seed];
  let unplaced = seatOne(plan, seed);
  let worth = worthOf(plan, group, unplaced);
  let best = { worth, length: 1 };
  for (const partner of partners) {
    if (partner.price === undefined || group.includes(partner) || !plan.isOpen(partner)) continue;
    const before = board.mark();
    const more = [...unplaced, ...seatOne(plan, partner)];
    const next = worthOf(plan, [...group, partner], more);
    if (next < worth - tolerance * partner.price) {
      board.undo(before);
      continue;
    }
    [worth, unplaced] = [next, more];
    group.push(partner);
    if (isMoreThan(worth, best.worth)) best = { worth, length: group.length };
  }
  board.undo(mark);
  return best.worth > 0 ? plan.admitted(group.slice(0, best.length)) : [];
}

function seatOne(plan: SearchPlan, node: SearchNode): readonly PodClass[] {
  plan.steps += node.pods;
  return plan.planner.move([node], plan.planner.board.rows.podsOn(node.row)).unplaced;
}

/** Their price minus that of a new node for the unplaced pods; an estimate if none is found. */
function worthOf(
  { planner: { board, pricing }, moveCost }: SearchPlan,
  nodes: readonly SearchNode[],
  unplaced: readonly PodClass[],
): number {
  const old = priceOfAll(nodes) ?? 0;
  const moving = podsOfAll(nodes) * moveCost;
  if (unplaced.length === 0) return old - moving;
  const size = sizeOf(unplaced, board.tables);
  const { offerings } = pricing;
  const floor = offerings.cheapest(size)?.price ?? Number.POSITIVE_INFINITY;
  if (floor >= old) return old - floor - moving;
  const item = offerings.probe(unplaced, size, { below: old, leaving: nodes });
  return item ? old - item.shape.price - moving : Number.NEGATIVE_INFINITY;
}

/** Packs as many nodes as possible into one new node of this kind. `nodes`: highest price per needed room first. */
export function packInto(plan: SearchPlan, { shape }: LaunchItem, nodes: readonly SearchNode[]): readonly SearchNode[] {
  const { board } = plan.planner;
  const mark = board.mark();
  const fresh = board.add(shape);
  const group: SearchNode[] = [];
  let misses = 0;
  for (const node of nodes) {
    if (misses === mostMisses) break;
    if (node.price === undefined || !plan.isOpen(node)) continue;
    const before = board.mark();
    plan.steps += node.pods;
    if (plan.planner.moveAll(node.row, fresh)) {
      group.push(node);
      misses = 0;
    } else {
      board.undo(before);
      misses++;
    }
  }
  board.undo(mark);
  const together = plan.admitted(group);
  const worth = (priceOfAll(together) ?? 0) - shape.price - podsOfAll(together) * plan.moveCost;
  return isMoreThan(worth, 0) ? together : [];
}

/** A node's price divided by the fraction of the new node that its pods need. Below the new node's price it never pays off. */
function densityOf({ size, price = 0 }: SearchNode, { room }: LaunchItem): number {
  let share = 0;
  for (let column = 0; column < size.length; column++) {
    const needed = size[column] ?? 0;
    if (needed > 0) share = Math.max(share, needed / Math.max(room[column] ?? 0, 1e-9));
  }
  return share > 0 ? price / share : 0;
}

/** How many partners are tried with a node. */
const mostPartners = 8;

/** Up to this many nodes, all are combined with each other; above it, only nodes of one pool. */
const fewNodes = 200;

/** Packs remaining nodes into one cheaper new node, for each kind of new node. */
export function* packs(plan: SearchPlan, nodes: readonly SearchNode[]): Generator<boolean, void> {
  const byPool = Map.groupBy(nodes, ({ pool }) => pool);
  for (const item of plan.planner.pricing.offerings.kinds) {
    const own = nodes.length <= fewNodes ? nodes : (byPool.get(item.pool.name) ?? []);
    const paying = payingBest(plan, own, item);
    let isBetter = paying.length > 0;
    while (isBetter) {
      isBetter = replaceTogether(plan, packInto(plan, item, paying));
      yield isBetter;
    }
  }
}

/** The nodes with the highest price per needed room first. */
export const payingBest = (plan: SearchPlan, nodes: readonly SearchNode[], item: LaunchItem): readonly SearchNode[] =>
  nodes
    .filter((node) => plan.isOpen(node))
    .map((node) => ({ node, density: densityOf(node, item) }))
    .filter(({ density }) => density > item.shape.price)
    .sort((a, b) => b.density - a.density || compareText(a.node.node, b.node.node))
    .map(({ node }) => node);

/** Replaces remaining nodes, alone or with the next ones in order, by a cheaper node. */
export function* replacements(plan: SearchPlan, nodes: readonly SearchNode[]): Generator<boolean, void> {
  for (const [index, seed] of nodes.entries()) {
    if (plan.isOpen(seed)) yield replaceFrom(plan, seed, followers(nodes, index, plan));
  }
}

function followers(nodes: readonly SearchNode[], from: number, plan: SearchPlan): readonly SearchNode[] {
  const found: SearchNode[] = [];
  for (let index = from + 1; index < nodes.length && found.length < mostPartners; index++) {
    const node = nodes[index];
    if (node && plan.isOpen(node)) found.push(node);
  }
  return found;
}

/** Replaces the grown group, or the first node alone if the rules refuse the group. */
export function replaceFrom(plan: SearchPlan, seed: SearchNode, partners: readonly SearchNode[]): boolean {
  const group = growFrom(plan, seed, partners.slice(0, mostPartners));
  return replaceTogether(plan, group) || (group.length > 1 && plan.replace([seed]));
}

export const replaceTogether = (plan: SearchPlan, group: readonly SearchNode[]): boolean =>
  plan.replace([...group].sort((a, b) => compareText(a.node, b.node)));
