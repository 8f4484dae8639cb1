// Ruin and recreate: undoes some moves, tries others in their place, and keeps the better result.
import { isMoreThan } from '../placement/price.ts';
import type { PlannedMove } from './planStack.ts';
import {
  packInto,
  payingBest,
  replaceFrom,
  replaceTogether,
  type SearchNode,
  type SearchPlan,
} from './replaceGroups.ts';

type SearchMove = PlannedMove<SearchNode>;

/** The maximum number of moves to undo in one attempt. */
const maxUndone = 4;

/** How many remaining nodes are tried together with the undone ones. */
const maxTried = 16;

/** The search ends after this many attempts without improvement: one per node, within these bounds. */
const minAttempts = 150;
const maxAttempts = 3000;

/** All moves are reordered every 128 attempts, otherwise only the last 12. */
const reorderAllEvery = 128;
const reordered = 12;

export function* improvements(plan: SearchPlan, nodes: readonly SearchNode[]): Generator<boolean, void> {
  const random = new SeededRandom();
  const pool = new Map([...Map.groupBy(nodes, (node) => node.pool)].map(([name, own]) => [name, dearestFirst(own)]));
  const limit = Math.min(maxAttempts, Math.max(minAttempts, nodes.length));
  for (let failures = 0, attempt = 0; failures < limit; attempt++) {
    reorder(plan, random, attempt % reorderAllEvery === 0 ? plan.length : Math.min(plan.length, reordered));
    const isBetter = tryAgain(plan, random, (undone) => chooseNodes(undone, { nodes, pool, random }));
    failures = isBetter ? 0 : failures + 1;
    yield isBetter;
  }
}

const dearestFirst = (nodes: readonly SearchNode[]): readonly SearchNode[] =>
  [...nodes].sort((a, b) => (b.price ?? 0) - (a.price ?? 0));

/** Only the last moves can be undone, so this moves random ones to the end, preferring those with little gain. */
function reorder(plan: SearchPlan, random: SeededRandom, most: number): void {
  const moves = popped(plan, most).map((move) => ({ move, key: (move.gain / move.nodes.length) * random.share() }));
  for (const { move } of moves.sort((a, b) => b.key - a.key)) plan.push(move);
}

interface CandidatePools {
  readonly nodes: readonly SearchNode[];
  /** By pool, most expensive first. */
  readonly pool: ReadonlyMap<string, readonly SearchNode[]>;
  readonly random: SeededRandom;
}

/** The nodes to try instead: random ones, and nodes of the same pools, whose budgets were just freed; preferably expensive ones. */
function chooseNodes(undone: readonly SearchMove[], { nodes, pool, random }: CandidatePools): readonly SearchNode[] {
  const gone = undone.flatMap((move) => move.nodes);
  const own = gone.map((node) => pool.get(node.pool) ?? nodes);
  const few = Math.min(maxTried, nodes.length);
  const others = Array.from({ length: few }, (_, index) => {
    const from = (index % 2 === 0 ? own[index % own.length] : undefined) ?? nodes;
    return from[Math.floor(random.share() ** 2 * from.length)] ?? [];
  }).flat();
  return random.shuffle([...new Set([...gone, ...others])]);
}

function tryAgain(
  plan: SearchPlan,
  random: SeededRandom,
  draw: (undone: readonly SearchMove[]) => readonly SearchNode[],
): boolean {
  const before = plan.gain;
  const undone = popped(plan, Math.min(plan.length, 1 + random.below(maxUndone)));
  const height = plan.length;
  recreate(plan, draw(undone), random);
  if (isMoreThan(plan.gain, before)) return true;
  popped(plan, plan.length - height);
  for (const move of undone.reverse()) plan.push(move);
  return false;
}

/** In one of three ways: single nodes first, groups first, or into a random kind of new node. */
function recreate(plan: SearchPlan, nodes: readonly SearchNode[], random: SeededRandom): void {
  const way = random.below(3);
  const { kinds } = plan.planner.pricing.offerings;
  const item = way === 2 && kinds.length > 0 ? random.of(kinds) : undefined;
  if (item) replaceTogether(plan, packInto(plan, item, payingBest(plan, nodes, item)));
  for (const node of nodes) {
    if (!plan.isOpen(node)) continue;
    if (way === 1) void (replaceFrom(plan, node, nodes) || plan.remove(node));
    else plan.remove(node);
  }
}

/** Undoes the last moves and returns them, last first. */
const popped = (plan: SearchPlan, count: number): SearchMove[] =>
  Array.from({ length: count }, () => plan.pop()).filter((move) => move !== undefined);

/** A pseudo-random generator with a fixed seed: searches must be repeatable. */
class SeededRandom {
  #state = 0x9e3779b9;

  /** An integer from 0 up to, but not including, the bound. */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  }

  /** From 0 to just below 1. */
  share(): number {
    return this.below(2 ** 24) / 2 ** 24;
  }

  of<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }

  /** The same items in another order. */
  shuffle<T extends object>(items: readonly T[]): T[] {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      const [one, two] = [shuffled[last], shuffled[other]];
      if (one && two) [shuffled[last], shuffled[other]] = [two, one];
    }
    return shuffled;
  }
}
