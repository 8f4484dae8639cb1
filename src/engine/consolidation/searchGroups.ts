// The search for nodes that can be removed together: an anytime algorithm, bounded by steps.
import { compareText } from '../../cluster/nodeView.ts';
import { boardFrom } from '../placement/board.ts';
import { podsOfAll } from './candidateNode.ts';
import { improvements } from './improve.ts';
import { LaunchOfferings, sizeOf } from './launchOfferings.ts';
import { Planner } from './planner.ts';
import { type Allowances, type PlannedMove, PlanStack } from './planStack.ts';
import type { Proposal } from './proposal.ts';
import { packs, replacements, type SearchNode, type SearchPlan } from './replaceGroups.ts';
import type { SearchCandidate, SearchTask } from './searchTask.ts';

/** The cost of moving a pod, as a fraction of the average price per pod. Between equal savings, fewer moved pods win. */
const leastMoveCost = 0.01;

/** Steps of a search in a worker. A step places one pod in a few microseconds, so this takes seconds. */
export const longSearch = 1_000_000;

/** Steps when a caller waits for the result: simulation, replay, a single `decide` on a small cluster. */
export const shortSearch = 100_000;

/** The maximum number of steps between two yields. */
const reportInterval = 20_000;

/**
 * Yields the best proposals so far, so that the caller may stop at any time, and returns the final ones. The same task and steps always give
 * the same result.
 */
export function* searchGroups(task: SearchTask, steps: number): Generator<readonly Proposal[], readonly Proposal[]> {
  const board = boardFrom(task.board);
  const { catalogue, rules, totals } = task;
  const offerings = new LaunchOfferings(board, catalogue);
  const planner = new Planner(board, { offerings, hasAllTypes: catalogue.hasAllTypes, rules, totals });
  const plan: SearchPlan = new PlanStack<SearchNode>(planner, new SearchAllowances(task), moveCostOf(task));
  const nodes = task.candidates.flatMap((candidate): SearchNode[] => {
    const row = board.rows.of(candidate.node);
    return row === undefined ? [] : [{ ...candidate, row, size: sizeOf(board.rows.podsOn(row), board.tables) }];
  });
  let reported = 0;
  const isTime = (): boolean => plan.steps - reported >= reportInterval;
  const report = (): readonly Proposal[] => {
    reported = plan.steps;
    return proposalsOf(plan.moves(), task.version);
  };

  const phases = [removals(plan, nodes), packs(plan, nodes), replacements(plan, nodes), improvements(plan, nodes)];
  for (const phase of phases) {
    for (const _ of phase) {
      if (plan.steps >= steps) return report();
      if (isTime()) yield report();
    }
    yield report();
  }
  return report();
}

function moveCostOf({ candidates, rules }: SearchTask): number {
  const price = candidates.reduce((sum, it) => sum + (it.price ?? 0), 0);
  return Math.max(rules.podMoveCost, (leastMoveCost * price) / Math.max(1, podsOfAll(candidates)));
}

/** Removes nodes without replacement, in order, as a round does by itself. */
function* removals(plan: SearchPlan, nodes: readonly SearchNode[]): Generator<boolean, void> {
  for (const node of nodes) yield plan.remove(node);
}

/** Highest gain per removed node first, so that those are executed if budgets have shrunk meanwhile. */
const proposalsOf = (moves: readonly PlannedMove<SearchNode>[], version: string): readonly Proposal[] =>
  moves
    .map((move) => ({ move, nodes: move.nodes.map(({ node }) => node).sort(compareText) }))
    .sort((a, b) => worth(b.move) - worth(a.move) || compareText(a.nodes[0] ?? '', b.nodes[0] ?? ''))
    .map(({ move, nodes }) => ({
      version,
      nodes,
      isReplaced: move.plan.launched !== undefined,
      savings: move.savings,
      podsMoved: podsOfAll(move.nodes),
    }));

const worth = ({ gain, nodes }: PlannedMove<SearchNode>): number => gain / nodes.length;

/** Budgets, PodDisruptionBudgets and room in the ledger, as counted by a search. The round checks them again. */
class SearchAllowances implements Allowances<SearchCandidate> {
  readonly #left: Map<string, number>;
  readonly #guards: SearchTask['guards'];
  /** By PDB: pods to evict on removed nodes. */
  readonly #waiting: Int32Array;
  #commands: number;

  constructor({ left, guards, commands }: SearchTask) {
    this.#left = new Map(left);
    this.#guards = guards;
    this.#waiting = Int32Array.from(guards, ({ waiting }) => waiting);
    this.#commands = commands;
  }

  /** Whether this node may be removed too. */
  admits({ pool, guarded }: SearchCandidate): boolean {
    if (this.#commands < 1 || (this.#left.get(pool) ?? 1) < 1) return false;
    for (const { guard, pods } of guarded) {
      const waiting = this.#waiting[guard] ?? 0;
      // The first node needs a single allowed disruption, which a gate has checked. Further nodes need enough for all pods (E10).
      if (waiting > 0 && waiting + pods > (this.#guards[guard]?.allowed ?? 0)) return false;
    }
    return true;
  }

  /** Counts a removal (1), or takes it back (-1). */
  spend({ pool, guarded }: SearchCandidate, change: 1 | -1): void {
    this.#commands -= change;
    const left = this.#left.get(pool);
    if (left !== undefined) this.#left.set(pool, left - change);
    for (const { guard, pods } of guarded) this.#waiting[guard] = (this.#waiting[guard] ?? 0) + change * pods;
  }
}
