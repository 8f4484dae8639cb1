// What may go, groups included? For whoever decides once and waits for the answer: decided, searched within bounds, and decided again.
import type { Settings } from '../cluster/settings.ts';
import type { Instant } from '../time/instant.ts';
import type { Proposal } from './consolidation/proposal.ts';
import { longSearch, searchGroups } from './consolidation/searchGroups.ts';
import type { SearchTask } from './consolidation/searchTask.ts';
import { reportRound } from './report/report.ts';
import { decide, searchBefore } from './round.ts';
import type { Facts } from './situation.ts';
import type { Round } from './verdict.ts';

export interface Searched {
  readonly round: Round;
  /** With what was found: the same round is decided from them again without a search. */
  readonly facts: Facts;
}

export interface SearchOptions {
  /** A long search where nothing is said. */
  readonly steps?: number;
  /** Called time and again while it searches. */
  readonly onBreath?: () => void;
}

/** The same facts, instant, settings and steps always give the same round. */
export function decideSearched(facts: Facts, now: Instant, settings: Settings, options: SearchOptions = {}): Searched {
  // Before anything is chosen: what goes by itself might have gone with others, for more.
  const task = searchBefore(facts, now, settings)?.task();
  const proposals = task ? searchAll(task, options.steps ?? longSearch, options.onBreath) : [];
  const found = proposals.length > 0 ? { ...facts, proposals } : facts;
  return { round: reportRound(decide(found, now, settings)), facts: found };
}

/** To its end. */
export function searchAll(task: SearchTask, steps: number, onBreath?: () => void): readonly Proposal[] {
  const search = searchGroups(task, steps);
  for (;;) {
    const next = search.next();
    if (next.done) return next.value;
    onBreath?.();
  }
}
