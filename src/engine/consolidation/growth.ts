// Which nodes would better leave together, into one new node that is cheaper than all of them? Tried out on the board, and undone.
import type { PodClass } from '../placement/board.ts';
import { podsOfAll, priceOfAll } from './leaver.ts';
import { isMoreThan } from './money.ts';
import { seat, seatAll, sizeOf } from './seating.ts';
import type { ShelfItem } from './shelf.ts';
import type { Standing, TrialPlan } from './trialPlan.ts';

/** How much a group may lose for a while by taking one more in, as a share of what that one costs. */
const patience = 0.25;

/** After so many in a row that do not fit any more a new node counts as full. */
const mostMisses = 4;

/** From one node on. Sizes come in steps: a partner that brings nothing by itself may open the way for the next. */
export function growFrom(plan: TrialPlan, seed: Standing, partners: readonly Standing[]): readonly Standing[] {
  if (!plan.isOpen(seed) || seed.price === undefined) return [];
  const { board } = plan;
  const mark = board.mark();
  const group = [seed];
  let homeless = seatOne(plan, seed);
  let worth = worthOf(plan, group, homeless);
  let best = { worth, length: 1 };
  for (const partner of partners) {
    if (partner.price === undefined || group.includes(partner) || !plan.isOpen(partner)) continue;
    const before = board.mark();
    const more = [...homeless, ...seatOne(plan, partner)];
    const next = worthOf(plan, [...group, partner], more);
    if (next < worth - patience * partner.price) {
      board.undo(before);
      continue;
    }
    [worth, homeless] = [next, more];
    group.push(partner);
    if (isMoreThan(worth, best.worth)) best = { worth, length: group.length };
  }
  board.undo(mark);
  return best.worth > 0 ? plan.admitted(group.slice(0, best.length)) : [];
}

function seatOne(plan: TrialPlan, node: Standing): readonly PodClass[] {
  plan.steps += node.pods;
  return seat(plan.board, [node.row]).homeless;
}

/** What they cost less what a new node for these pods costs; a guess where none is found. */
function worthOf(
  { board, ground, moveCost }: TrialPlan,
  nodes: readonly Standing[],
  homeless: readonly PodClass[],
): number {
  const old = priceOfAll(nodes) ?? 0;
  const moving = podsOfAll(nodes) * moveCost;
  if (homeless.length === 0) return old - moving;
  const size = sizeOf(homeless, board.tables);
  const { shelf } = ground;
  const floor = shelf.cheapest(size)?.price ?? Number.POSITIVE_INFINITY;
  if (floor >= old) return old - floor - moving;
  const item = shelf.probe(homeless, size, { below: old, leaving: nodes });
  return item ? old - item.shape.price - moving : Number.NEGATIVE_INFINITY;
}

/** Into one new node of this kind, as many as it holds. `nodes`: those that pay best for the room they need first. */
export function packInto(plan: TrialPlan, { shape }: ShelfItem, nodes: readonly Standing[]): readonly Standing[] {
  const { board } = plan;
  const mark = board.mark();
  const fresh = board.add(shape);
  const group: Standing[] = [];
  for (let index = 0, misses = 0; index < nodes.length && misses < mostMisses; index++) {
    const node = nodes[index] as Standing;
    if (node.price === undefined || !plan.isOpen(node)) continue;
    const before = board.mark();
    plan.steps += node.pods;
    if (seatAll(board, node.row, fresh)) {
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

/** What a node pays for the share of such a new node that its pods need: less than the price of the whole is never worth it. */
export function densityOf({ size, price = 0 }: Standing, { room }: ShelfItem): number {
  let share = 0;
  for (let column = 0; column < size.length; column++) {
    const needed = size[column] as number;
    if (needed > 0) share = Math.max(share, needed / Math.max(room[column] as number, 1e-9));
  }
  return share > 0 ? price / share : 0;
}
