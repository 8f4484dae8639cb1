// Searches for groups of nodes to consolidate together: before a round, or in the background at limited pace.
import type { Settings } from '../cluster/settings.ts';
import { after, asDuration, type Duration, type Instant, second } from '../time/instant.ts';
import type { Proposal } from './consolidation/proposal.ts';
import { longSearch, searchGroups } from './consolidation/searchGroups.ts';
import type { SearchTask } from './consolidation/searchTask.ts';
import { type SearchRequest, searchTask } from './consolidation/searchTask.ts';
import { reportRound } from './report/report.ts';
import { decide, searchBefore } from './round.ts';
import type { Facts } from './situation.ts';
import type { Round } from './verdict.ts';

export interface SearchedRound {
  readonly round: Round;
  /** The facts with the proposals found: deciding from them gives the same round without a search. */
  readonly facts: Facts;
}

export interface SearchOptions {
  /** Default: a long search. */
  readonly steps?: number;
  /** Called regularly during the search. */
  readonly onBreath?: () => void;
}

/** Searches within bounds, then decides. The same facts, instant, settings and steps always give the same round. */
export function decideSearched(
  facts: Facts,
  now: Instant,
  settings: Settings,
  options: SearchOptions = {},
): SearchedRound {
  // Search before anything is chosen: a node that goes by itself might save more in a group.
  const task = searchBefore(facts, now, settings);
  const proposals = task ? searchAll(task, options.steps ?? longSearch, options.onBreath) : [];
  const found = proposals.length > 0 ? { ...facts, proposals } : facts;
  return { round: reportRound(decide(found, now, settings)), facts: found };
}

/** Runs a search to its end. */
export function searchAll(task: SearchTask, steps: number, onBreath?: () => void): readonly Proposal[] {
  const search = searchGroups(task, steps);
  for (;;) {
    const next = search.next();
    if (next.done) return next.value;
    onBreath?.();
  }
}

/** The minimum interval between searches: most changes of a cluster do not allow a better group. */
export const searchEvery: Duration = asDuration(10 * second);

/** Fewer steps in virtual time: a caller waits for thousands of searches. */
const virtualSearch = 10_000;

export const nothingFound: readonly Proposal[] = [];

/** Decides when to search: not if the input is unchanged, and not too soon after the last search. */
export class SearchPace {
  #version: string | undefined;
  #earliest: Instant | undefined;

  /** now: search; an instant: try again then; undefined: the input is unchanged. */
  next({ version }: Pick<SearchRequest, 'version'>, now: Instant): 'now' | Instant | undefined {
    if (version === this.#version) return undefined;
    if (this.#earliest !== undefined && now < this.#earliest) return this.#earliest;
    return 'now';
  }

  began({ version }: Pick<SearchRequest, 'version'>, now: Instant): void {
    this.#version = version;
    this.#earliest = after(now, searchEvery);
  }

  /** The last search failed: the same input may be searched again. */
  forget(): void {
    this.#version = undefined;
  }
}

/** Searches synchronously and within bounds, so that the same facts always give the same result: for virtual time. */
export class InlineSearcher {
  readonly #pace = new SearchPace();
  readonly #steps: number;
  /** The result of the last search: the same list until another search finds something else. */
  proposals: readonly Proposal[] = nothingFound;

  constructor(steps: number = virtualSearch) {
    this.#steps = steps;
  }

  /** Called after each round. Returns when to call again if it is too soon for another search. */
  submit(request: SearchRequest, now: Instant): Instant | undefined {
    const next = this.#pace.next(request, now);
    if (next !== 'now') return next;
    this.#pace.began(request, now);
    this.proposals = newsOf(this.proposals, searchAll(searchTask(request), this.#steps));
    return undefined;
  }
}

/** The new list, or the old one if both are empty. */
export const newsOf = (before: readonly Proposal[], found: readonly Proposal[]): readonly Proposal[] =>
  found.length === 0 && before.length === 0 ? before : found;
