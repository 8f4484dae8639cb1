// Is there anything better? Ruin and recreate: some moves are taken back, others tried in their place, and what is better is kept.
import { Chance } from './chance.ts';
import { packInto } from './growth.ts';
import { isMoreThan } from './money.ts';
import { payingBest, replaceFrom, replaceTogether } from './replaceBest.ts';
import type { Standing, TrialMove, TrialPlan } from './trialPlan.ts';

/** How many moves are taken back and tried anew at once. */
const mostRuined = 4;

/** How many that stay so far are tried with them. */
const mostTried = 16;

/** Without anything better in so many tries it is over; in a large cluster there is more to try. */
const leastPatience = 150;
const mostPatience = 3000;

/** So often all moves are put in another order, else only the uppermost. */
const stirAll = 128;
const stirred = 12;

export function* improvements(plan: TrialPlan, nodes: readonly Standing[]): Generator<boolean, void> {
  const chance = new Chance();
  const pool = new Map([...Map.groupBy(nodes, (node) => node.pool)].map(([name, own]) => [name, dearestFirst(own)]));
  const patience = Math.min(mostPatience, Math.max(leastPatience, nodes.length));
  for (let waited = 0, turn = 0; waited < patience; turn++) {
    stir(plan, chance, turn % stirAll === 0 ? plan.length : Math.min(plan.length, stirred));
    const isBetter = tryAnew(plan, chance, (ruined) => drawn(ruined, { nodes, pool, chance }));
    waited = isBetter ? 0 : waited + 1;
    yield isBetter;
  }
}

const dearestFirst = (nodes: readonly Standing[]): readonly Standing[] =>
  [...nodes].sort((a, b) => (b.price ?? 0) - (a.price ?? 0));

/** Only what lies on top can be taken back: chance brings it there, and rather what gains little. */
function stir(plan: TrialPlan, chance: Chance, most: number): void {
  const moves = popped(plan, most).map((move) => ({ move, key: (move.gain / move.nodes.length) * chance.share() }));
  for (const { move } of moves.sort((a, b) => b.key - a.key)) plan.push(move);
}

interface Drawing {
  readonly nodes: readonly Standing[];
  /** By pool, the dearest first. */
  readonly pool: ReadonlyMap<string, readonly Standing[]>;
  readonly chance: Chance;
}

/** Who is tried in their place: any, and those of the same pools, whose budgets have just been given back; rather dear ones. */
function drawn(ruined: readonly TrialMove[], { nodes, pool, chance }: Drawing): readonly Standing[] {
  const gone = ruined.flatMap((move) => move.nodes);
  const own = gone.map((node) => pool.get(node.pool) ?? nodes);
  const few = Math.min(mostTried, nodes.length);
  const others = Array.from({ length: few }, (_, index) => {
    const from = (index % 2 === 0 ? own[index % own.length] : undefined) ?? nodes;
    return from[Math.floor(chance.share() ** 2 * from.length)] as Standing;
  });
  return chance.shuffle([...new Set([...gone, ...others])]);
}

function tryAnew(
  plan: TrialPlan,
  chance: Chance,
  draw: (ruined: readonly TrialMove[]) => readonly Standing[],
): boolean {
  const before = plan.gain;
  const ruined = popped(plan, Math.min(plan.length, 1 + chance.below(mostRuined)));
  const height = plan.length;
  recreate(plan, draw(ruined), chance);
  if (isMoreThan(plan.gain, before)) return true;
  popped(plan, plan.length - height);
  for (const move of ruined.reverse()) plan.push(move);
  return false;
}

/** In one of several ways: each node by itself first, groups first, or into a kind of node that chance picks. */
function recreate(plan: TrialPlan, nodes: readonly Standing[], chance: Chance): void {
  const way = chance.below(3);
  const { kinds } = plan.ground.shelf;
  if (way === 2 && kinds.length > 0) {
    const item = chance.of(kinds);
    replaceTogether(plan, packInto(plan, item, payingBest(plan, nodes, item)));
  }
  for (const node of nodes) {
    if (!plan.isOpen(node)) continue;
    if (way === 1) void (replaceFrom(plan, node, nodes) || plan.remove(node));
    else plan.remove(node);
  }
}

/** Taken back, the uppermost first. */
const popped = (plan: TrialPlan, count: number): TrialMove[] =>
  Array.from({ length: count }, () => plan.pop()).filter((move) => move !== undefined);
