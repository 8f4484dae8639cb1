// What may go now, what is held, by what and until when? One round, top to bottom, like the contract.
import type { Settings } from '../cluster/settings.ts';
import type { Instant } from '../time/instant.ts';
import { nextLedger } from './commands/nextLedger.ts';
import { type Started, startCommand } from './commands/start.ts';
import { askGates } from './gates/gates.ts';
import { type Asked, go, held, isCandidate, type Judged, underway } from './judged.ts';
import { type Limits, openLimits } from './limits/limits.ts';
import { leastPainfulFirst } from './order.ts';
import { openPlacer } from './placement/place.ts';
import { none } from './refusal.ts';
import { reportRound } from './report/report.ts';
import { type Facts, observe, type Situation } from './situation.ts';
import type { Round } from './verdict.ts';
import type { Wish } from './wish.ts';
import { findWishes } from './wishes/findWishes.ts';

/** Decides one round. Pure: the same facts, instant and settings always give the same round. */
export function decideRound(facts: Facts, now: Instant, settings: Settings): Round {
  const situation = observe(facts, now, settings);
  const { wishes, arisesAt } = findWishes(situation);

  // What is on its way out already is not asked again. Of the rest every gate is asked, so that a user sees all that
  // holds a node back, not only the first thing.
  const asked = wishes.map(
    (wish): Asked => (isUnderway(wish, situation) ? { wish } : { wish, refusals: askGates(wish, situation) }),
  );

  // Limits are shared, so they are spent one wish after another: the least painful move first.
  const limits = openLimits(situation, asked);
  const placer = openPlacer(situation);
  const started: Started[] = [];
  const judged = asked.map((it) => (isCandidate(it) ? held(it.wish, none) : judgeOthers(it, limits)));
  for (const { wish, index } of leastPainfulFirst(asked, settings)) {
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

  const ledger = nextLedger(situation, limits, started);
  return reportRound({ situation, limits, ledger, started, arisesAt, judged: judged.map(limits.finish) });
}

const isUnderway = ({ view }: Wish, { inFlight }: Situation): boolean => inFlight.has(view.node.name);

/** Who was refused by a gate is told of the limits too, as the round begins. */
const judgeOthers = ({ wish, refusals }: Asked, limits: Limits): Judged =>
  refusals ? held(wish, limits.refuse(wish), refusals) : underway(wish);
