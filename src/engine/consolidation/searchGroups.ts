// Which nodes could leave together, and for what new node? A search that is bounded by steps and always has its best answer so far.

import { compareText } from '../../cluster/nodeView.ts';
import { boardFrom } from '../placement/boardState.ts';
import { podsOfAll } from './leaver.ts';
import type { Proposal } from './proposal.ts';
import { packs, replacements } from './replaceBest.ts';
import { improvements } from './ruin.ts';
import type { SearchTask } from './searchTask.ts';
import { sizeOf } from './seating.ts';
import { Shelf } from './shelf.ts';
import { type Standing, type TrialMove, TrialPlan } from './trialPlan.ts';

/** A step is a pod for which a place is looked for: some microseconds. What a worker may spend on one search: seconds, not minutes. */
export const longSearch = 1_000_000;

/** Where somebody waits for the answer: simulation, replay, one round asked for by hand on a small cluster. */
export const shortSearch = 100_000;

/** How often whoever runs it gets the word, at the latest. */
const breath = 20_000;

/**
 * Yields the best so far, time and again, so that whoever runs it may stop at any time; returns the last of it. The same task and steps,
 * the same answer.
 */
export function* searchGroups(task: SearchTask, steps: number): Generator<readonly Proposal[], readonly Proposal[]> {
  const board = boardFrom(task.board);
  const plan = new TrialPlan(board, task, {
    shelf: new Shelf(board, task.market),
    hasAllTypes: task.market.hasAllTypes,
    rules: task.rules,
    totals: task.totals,
  });
  const nodes = task.candidates.flatMap((candidate): Standing[] => {
    const row = board.rowOf(candidate.node);
    return row === undefined ? [] : [{ ...candidate, row, size: sizeOf(board.podsOn(row), board.tables) }];
  });
  let told = 0;
  const isTime = (): boolean => plan.steps - told >= breath;
  const tell = (): readonly Proposal[] => {
    told = plan.steps;
    return proposalsOf(plan.moves, task.version);
  };

  const works = [removals(plan, nodes), packs(plan, nodes), replacements(plan, nodes), improvements(plan, nodes)];
  for (const work of works) {
    for (const _ of work) {
      if (plan.steps >= steps) return tell();
      if (isTime()) yield tell();
    }
    yield tell();
  }
  return tell();
}

/** Those that can leave with nothing in their place, most worth it first: what a round does by itself. */
function* removals(plan: TrialPlan, nodes: readonly Standing[]): Generator<boolean, void> {
  for (const node of nodes) yield plan.remove(node);
}

/** What gains most for each node that leaves comes first: should budgets shrink meanwhile, that is what goes. */
const proposalsOf = (moves: readonly TrialMove[], version: string): readonly Proposal[] =>
  moves
    .map((move) => ({ move, nodes: move.nodes.map(({ node }) => node).sort(compareText) }))
    .sort((a, b) => worth(b.move) - worth(a.move) || compareText(a.nodes[0] ?? '', b.nodes[0] ?? ''))
    .map(({ move, nodes }) => ({
      version,
      nodes,
      isReplaced: move.launched !== undefined,
      savings: move.savings,
      podsMoved: podsOfAll(move.nodes),
    }));

const worth = ({ gain, nodes }: TrialMove): number => gain / nodes.length;
