// What may go now, what is held, by what and until when? One round, top to bottom, like the contract.
import type { Settings } from '../cluster/settings.ts';
import { earliest, type Instant } from '../time/instant.ts';
import type { Action } from './commands/action.ts';
import { type Advanced, advanceCommands } from './commands/advance.ts';
import { type Kept, keepParked } from './commands/keepParked.ts';
import { mirrorPools } from './commands/mirrorPools.ts';
import { nextLedger } from './commands/nextLedger.ts';
import { withStrays } from './commands/strays.ts';
import { proposedGroups } from './consolidation/proposed.ts';
import type { Search } from './consolidation/searchTask.ts';
import type { Decision, Judgement } from './decision.ts';
import { askGates } from './gates/gates.ts';
import type { Asked } from './judged.ts';
import { reportRound } from './report/report.ts';
import { wakeAt } from './report/wake.ts';
import { type Facts, observe, type Situation } from './situation.ts';
import { Starts } from './starts.ts';
import type { Round } from './verdict.ts';
import type { Wish } from './wish.ts';
import { findWishes } from './wishes/findWishes.ts';
import { withTypes } from './withTypes.ts';

/** Decides one round. Pure: the same facts, instant and settings always give the same round. */
export const decideRound = (facts: Facts, now: Instant, settings: Settings): Round =>
  reportRound(decide(facts, now, settings));

/** All of it but the telling, which only people need. */
export function decide(facts: Facts, now: Instant, settings: Settings): Decision {
  const { situation, asked, advanced, arisesAt } = openRound(facts, now, settings);

  // Limits are shared, so they are spent one wish after another: the least painful move first.
  const round = new Starts(situation, asked);
  const [needed, thrifty] = round.order;
  for (const candidate of needed) round.settle(candidate);
  // What a search found to leave together comes before what each would do by itself.
  const singles = thrifty.map((it) => [it]);
  round.settlePlanned(proposedGroups(facts.proposals ?? [], thrifty), singles);
  for (const candidate of thrifty) round.settle(candidate);
  // In guide Karpenter may know instance types that Lull does not: a few of the rest are offered for it to judge (F5).
  const trialAt = round.settleTrials();

  const { limits, started, judged } = round;
  const ledger = nextLedger(situation, limits, { advanced, started });
  const guarded = withKept(advanced, [keepParked(situation, ledger.commands), mirrorPools(situation)]);
  const finished = judged.map(limits.finish);
  const judgement = { situation, limits, advanced: guarded, started, judged: finished, ledger, arisesAt };
  const decided = { ...judgement, actions: actionsOf(judgement), wakeAt: earliest(wakeAt(judgement), trialAt) };
  return withSearch(decided, () => round.search());
}

/**
 * For whoever waits for a search before he decides: over all that could be consolidated, before anything of it is chosen. Undefined =
 * nothing is worth searching.
 */
export function searchBefore(facts: Facts, now: Instant, settings: Settings): Search | undefined {
  const { situation, asked } = openRound(facts, now, settings);
  const round = new Starts(situation, asked);
  const [needed] = round.order;
  for (const candidate of needed) round.settle(candidate);
  return round.search();
}

interface Opened {
  readonly situation: Situation;
  readonly asked: readonly Asked[];
  readonly advanced: Advanced;
  readonly arisesAt: Instant | undefined;
}

function openRound(facts: Facts, now: Instant, settings: Settings): Opened {
  const inForce = withTypes(settings, facts.instanceTypes);
  const situation = observe(settings.role === 'observe' ? facts : withStrays(facts), now, inForce);
  const { wishes, arisesAt } = findWishes(situation);

  // What is on its way out already is not asked again. Of the rest every gate is asked, so that a user sees all that
  // holds a node back, not only the first thing.
  const asked = wishes.map(
    (wish): Asked => (isUnderway(wish, situation) ? { wish } : { wish, refusals: askGates(wish, situation) }),
  );

  // What is under way goes on; what ends now makes room in the next round.
  return { situation, asked, advanced: advanceCommands(situation, asked), arisesAt };
}

/** Asked for at the earliest when the round is decided: a round that nobody searches for pays nothing. */
const withSearch = (decided: Omit<Decision, 'search'>, find: () => Search | undefined): Decision => {
  let found: { readonly search: Search | undefined } | undefined;
  return Object.defineProperty(decided, 'search', {
    get: () => {
      found ??= { search: find() };
      return found.search;
    },
  });
};

/** Before all else Karpenter is kept off what may not go (N2), and what only a patched CRD keeps is copied (N9). */
const withKept = (advanced: Advanced, kept: readonly Kept[]): Advanced => ({
  ...advanced,
  actions: [...kept.flatMap(({ actions }) => actions), ...advanced.actions],
  wakeAt: kept.reduce((at, { wakeAt: next }) => earliest(at, next), advanced.wakeAt),
});

const actionsOf = ({ situation, advanced, started }: Judgement): readonly Action[] =>
  situation.settings.role === 'observe' ? [] : [...advanced.actions, ...started.flatMap(({ actions }) => actions)];

const isUnderway = ({ view }: Wish, { inFlight }: Situation): boolean => inFlight.has(view.node.name);
