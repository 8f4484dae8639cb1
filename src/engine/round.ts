// What may go now, what is held, by what and until when? One round, top to bottom, like the contract.
import type { Settings } from '../cluster/settings.ts';
import { earliest, type Instant } from '../time/instant.ts';
import type { Action } from './commands/action.ts';
import { type Advanced, advanceCommands } from './commands/advance.ts';
import { type Kept, keepParked } from './commands/keepParked.ts';
import { mirrorPools } from './commands/mirrorPools.ts';
import { nextLedger } from './commands/nextLedger.ts';
import { type Started, startCommand } from './commands/start.ts';
import { withStrays } from './commands/strays.ts';
import type { Decision, Judgement } from './decision.ts';
import { askGates } from './gates/gates.ts';
import { type Asked, go, held, isCandidate, type Judged, underway } from './judged.ts';
import { type Limits, openLimits } from './limits/limits.ts';
import { leastPainfulFirst } from './order.ts';
import { openPlacer } from './placement/place.ts';
import { none } from './refusal.ts';
import { reportRound } from './report/report.ts';
import { wakeAt } from './report/wake.ts';
import { type Facts, observe, type Situation } from './situation.ts';
import type { Round } from './verdict.ts';
import type { Wish } from './wish.ts';
import { findWishes } from './wishes/findWishes.ts';

/** Decides one round. Pure: the same facts, instant and settings always give the same round. */
export const decideRound = (facts: Facts, now: Instant, settings: Settings): Round =>
  reportRound(decide(facts, now, settings));

/** All of it but the telling, which only people need. */
export function decide(facts: Facts, now: Instant, settings: Settings): Decision {
  const situation = observe(settings.role === 'observe' ? facts : withStrays(facts), now, settings);
  const { wishes, arisesAt } = findWishes(situation);

  // What is on its way out already is not asked again. Of the rest every gate is asked, so that a user sees all that
  // holds a node back, not only the first thing.
  const asked = wishes.map(
    (wish): Asked => (isUnderway(wish, situation) ? { wish } : { wish, refusals: askGates(wish, situation) }),
  );

  // What is under way goes on; what ends now makes room in the next round.
  const advanced = advanceCommands(situation, asked);

  // Limits are shared, so they are spent one wish after another: the least painful move first.
  const limits = openLimits(situation, asked);
  const placer = openPlacer(situation);
  const started: Started[] = [];
  const judged = asked.map((it) => (isCandidate(it) ? held(it.wish, none) : judgeOthers(it, limits)));
  for (const { wish, index } of leastPainfulFirst(asked, settings, facts.ledger.declined)) {
    const refusals = limits.refuse(wish);
    const placed = refusals.length === 0 ? placer.place(wish) : { refusals };
    if ('placement' in placed) {
      limits.spend(wish, placed.placement);
      started.push(startCommand(wish, placed.placement, situation));
      judged[index] = go(wish);
    } else {
      limits.hold(wish, placed.refusals);
      judged[index] = held(wish, placed.refusals);
    }
  }

  const ledger = nextLedger(situation, limits, { advanced, started });
  const guarded = withKept(advanced, [keepParked(situation, ledger.commands), mirrorPools(situation)]);
  const finished = judged.map(limits.finish);
  const judgement = { situation, limits, advanced: guarded, started, judged: finished, ledger, arisesAt };
  return { ...judgement, actions: actionsOf(judgement), wakeAt: wakeAt(judgement) };
}

/** Before all else Karpenter is kept off what may not go (N2), and what only a patched CRD keeps is copied (N9). */
const withKept = (advanced: Advanced, kept: readonly Kept[]): Advanced => ({
  ...advanced,
  actions: [...kept.flatMap(({ actions }) => actions), ...advanced.actions],
  wakeAt: kept.reduce((at, { wakeAt: next }) => earliest(at, next), advanced.wakeAt),
});

const actionsOf = ({ situation, advanced, started }: Judgement): readonly Action[] =>
  situation.settings.role === 'observe' ? [] : [...advanced.actions, ...started.flatMap(({ actions }) => actions)];

const isUnderway = ({ view }: Wish, { inFlight }: Situation): boolean => inFlight.has(view.node.name);

/** Who was refused by a gate is told of the limits too, as the round begins. */
const judgeOthers = ({ wish, refusals }: Asked, limits: Limits): Judged =>
  refusals ? held(wish, limits.refuse(wish), refusals) : underway(wish);
