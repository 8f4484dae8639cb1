// How does a search put one new node in the place of several? As they come, or as many as a kind of new node holds.
import { compareText } from '../../cluster/nodeView.ts';
import { densityOf, growFrom, packInto } from './growth.ts';
import type { ShelfItem } from './shelf.ts';
import type { Standing, TrialPlan } from './trialPlan.ts';

/** How many others a node is tried together with. */
const mostPartners = 8;

/** Up to so many all are tried with each other; beyond that, those of one pool. */
const fewNodes = 200;

/** Those that stay so far, as many as one new node holds, which is cheaper than all of them: kind by kind, and pool by pool. */
export function* packs(plan: TrialPlan, nodes: readonly Standing[]): Generator<boolean, void> {
  const byPool = Map.groupBy(nodes, ({ pool }) => pool);
  for (const item of plan.ground.shelf.kinds) {
    const own = nodes.length <= fewNodes ? nodes : (byPool.get(item.pool.name) ?? []);
    const paying = payingBest(plan, own, item);
    let isBetter = paying.length > 0;
    while (isBetter) {
      isBetter = replaceTogether(plan, packInto(plan, item, paying));
      yield isBetter;
    }
  }
}

/** Those that pay most for the room they need come first. */
export const payingBest = (plan: TrialPlan, nodes: readonly Standing[], item: ShelfItem): readonly Standing[] =>
  nodes
    .filter((node) => plan.isOpen(node))
    .map((node) => ({ node, density: densityOf(node, item) }))
    .filter(({ density }) => density > item.shape.price)
    .sort((a, b) => b.density - a.density || compareText(a.node.node, b.node.node))
    .map(({ node }) => node);

/** Those that stay so far, alone or with those that come next, into whatever is cheaper. */
export function* replacements(plan: TrialPlan, nodes: readonly Standing[]): Generator<boolean, void> {
  for (let index = 0; index < nodes.length; index++) {
    const seed = nodes[index] as Standing;
    if (plan.isOpen(seed)) yield replaceFrom(plan, seed, followers(nodes, index, plan));
  }
}

function followers(nodes: readonly Standing[], from: number, plan: TrialPlan): readonly Standing[] {
  const found: Standing[] = [];
  for (let index = from + 1; index < nodes.length && found.length < mostPartners; index++) {
    const node = nodes[index] as Standing;
    if (plan.isOpen(node)) found.push(node);
  }
  return found;
}

/** The group as it grew; where the rules do not let that go, the seed alone. */
export function replaceFrom(plan: TrialPlan, seed: Standing, partners: readonly Standing[]): boolean {
  const group = growFrom(plan, seed, partners.slice(0, mostPartners));
  return replaceTogether(plan, group) || (group.length > 1 && plan.replace([seed]));
}

export const replaceTogether = (plan: TrialPlan, group: readonly Standing[]): boolean =>
  plan.replace([...group].sort((a, b) => compareText(a.node, b.node)));
