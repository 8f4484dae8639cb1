// One round from top to bottom: which nodes may be disrupted now, and which are held, by what and until when.
import type { Settings } from '../cluster/settings.ts';
import { earliest, type Instant } from '../time/instant.ts';
import type { Action } from './commands/action.ts';
import { type AdvancedCommands, advanceCommands } from './commands/advance.ts';
import { keepParked, type Upkeep } from './commands/keepParked.ts';
import { mirrorPools } from './commands/mirrorPools.ts';
import { nextLedger } from './commands/nextLedger.ts';
import { withStrays } from './commands/rebuild.ts';
import { proposedGroups } from './consolidation/proposal.ts';
import type { SearchTask } from './consolidation/searchTask.ts';
import { searchRequest, searchTask } from './consolidation/searchTask.ts';
import type { Decision, Judgement } from './decision.ts';
import { askGates } from './gates/gates.ts';
import { BoardLease } from './placement/boardLease.ts';
import { withTypes } from './placement/price.ts';
import { reportRound } from './report/report.ts';
import { wakeAt } from './report/wake.ts';
import { type Facts, observe, type Situation } from './situation.ts';
import { Starts } from './starts.ts';
import type { Round } from './verdict.ts';
import type { Wish } from './wish.ts';
import { findWishes } from './wishes/findWishes.ts';
import type { GatedWish } from './wishOutcome.ts';

/** Decides one round. Pure: the same facts, instant and settings always give the same round. */
export const decideRound = (facts: Facts, now: Instant, settings: Settings): Round =>
  reportRound(decide(facts, now, settings));

/** Everything but the report, which only people need. */
export function decide(facts: Facts, now: Instant, settings: Settings): Decision {
  // The board is leased, so that no other decision sees tentative placements.
  const boards = new BoardLease(facts.cluster);
  const { situation, asked, advanced, arisesAt } = openRound(facts, now, settings, boards);

  // Limits are shared, so wishes spend them one after another, the least disruptive first.
  const round = new Starts(situation, asked, boards);
  const [needed, saving] = round.order;
  for (const candidate of needed) round.settle(candidate);
  // Groups found by a search come before single nodes.
  const singles = saving.map((it) => [it]);
  round.settlePlanned(proposedGroups(facts.proposals ?? [], saving), singles);
  for (const candidate of saving) round.settle(candidate);
  // In guide Karpenter may know instance types that Lull does not: offer a few of the rest for it to evaluate (F5).
  const trialAt = round.settleTrials();

  const { limits, started, judged } = round;
  const ledger = nextLedger(situation, limits, { advanced, started });
  const guarded = withKept(advanced, [keepParked(situation, ledger.commands), mirrorPools(situation)]);
  const finished = judged.map(limits.finish);
  const judgement = { situation, limits, advanced: guarded, started, judged: finished, ledger, arisesAt };
  const search = round.searchBasis();
  boards.release();
  return { ...judgement, ...search, actions: actionsOf(judgement), wakeAt: earliest(wakeAt(judgement), trialAt) };
}

/**
 * For callers that search before they decide: a search over all nodes that could be consolidated, before any is chosen. Undefined =
 * nothing to search.
 */
export function searchBefore(facts: Facts, now: Instant, settings: Settings): SearchTask | undefined {
  const boards = new BoardLease(facts.cluster);
  const { situation, asked } = openRound(facts, now, settings, boards);
  const round = new Starts(situation, asked, boards);
  const [needed] = round.order;
  for (const candidate of needed) round.settle(candidate);
  const decided = { situation, limits: round.limits, started: round.started, ...round.searchBasis(true) };
  boards.release();
  const request = searchRequest(decided);
  return request && searchTask(request);
}

interface OpenedRound {
  readonly situation: Situation;
  readonly asked: readonly GatedWish[];
  readonly advanced: AdvancedCommands;
  readonly arisesAt: Instant | undefined;
}

function openRound(facts: Facts, now: Instant, settings: Settings, boards: BoardLease): OpenedRound {
  const inForce = withTypes(settings, facts.instanceTypes);
  const situation = observe(settings.role === 'observe' ? facts : withStrays(facts), now, inForce);
  const { wishes, arisesAt } = findWishes(situation);

  // Nodes in flight are not evaluated again. For the rest every gate is evaluated, so that a user sees everything that holds a node.
  const asked = wishes.map(
    (wish): GatedWish => (isUnderway(wish, situation) ? { wish } : { wish, refusals: askGates(wish, situation) }),
  );

  // Commands under way advance; those that end now make room in the next round.
  return { situation, asked, advanced: advanceCommands(situation, asked, boards), arisesAt };
}

/** First of all, nodes that may not be disrupted are parked (N2), and fields that only a patched CRD keeps are copied (N9). */
const withKept = (advanced: AdvancedCommands, kept: readonly Upkeep[]): AdvancedCommands => ({
  ...advanced,
  actions: [...kept.flatMap(({ actions }) => actions), ...advanced.actions],
  wakeAt: kept.reduce((at, { wakeAt: next }) => earliest(at, next), advanced.wakeAt),
});

const actionsOf = ({ situation, advanced, started }: Judgement): readonly Action[] =>
  situation.settings.role === 'observe' ? [] : [...advanced.actions, ...started.flatMap(({ actions }) => actions)];

const isUnderway = ({ view }: Wish, { inFlight }: Situation): boolean => inFlight.has(view.node.name);
