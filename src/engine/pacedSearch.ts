// When is a search worth its time? Not when it would find what the last one found, and not too soon after it.
import { after, asDuration, type Duration, type Instant, second } from '../time/instant.ts';
import type { Proposal } from './consolidation/proposal.ts';
import type { Search } from './consolidation/searchTask.ts';
import { searchAll } from './searchedRound.ts';

/** Most of what changes in a cluster opens no better group: what comes within this is searched together. */
export const searchEvery: Duration = asDuration(10 * second);

/** In virtual time there are thousands of searches, and somebody waits for all of them together. */
const virtualSearch = 10_000;

export const nothingFound: readonly Proposal[] = [];

export class SearchPace {
  #version: string | undefined;
  #earliest: Instant | undefined;

  /** now: search; an instant: come again then; undefined: it would find what the last one found. */
  next({ version }: Search, now: Instant): 'now' | Instant | undefined {
    if (version === this.#version) return undefined;
    if (this.#earliest !== undefined && now < this.#earliest) return this.#earliest;
    return 'now';
  }

  began({ version }: Search, now: Instant): void {
    this.#version = version;
    this.#earliest = after(now, searchEvery);
  }

  /** Nothing came of the last one: it may be made again. */
  forget(): void {
    this.#version = undefined;
  }
}

/** Searches at once and within bounds, so that the same facts always give the same answer: for virtual time. */
export class InlineSearcher {
  readonly #pace = new SearchPace();
  readonly #steps: number;
  /** What the last search found: the very same list until another finds something else. */
  proposals: readonly Proposal[] = nothingFound;

  constructor(steps: number = virtualSearch) {
    this.#steps = steps;
  }

  /** Says when to come again, where it is too soon for another search. */
  submit(search: Search, now: Instant): Instant | undefined {
    const next = this.#pace.next(search, now);
    if (next !== 'now') return next;
    this.#pace.began(search, now);
    this.proposals = newsOf(this.proposals, searchAll(search.task(), this.#steps));
    return undefined;
  }
}

/** What was found; nothing twice is no news. */
export const newsOf = (before: readonly Proposal[], found: readonly Proposal[]): readonly Proposal[] =>
  found.length === 0 && before.length === 0 ? before : found;
