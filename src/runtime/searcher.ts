// Who looks for nodes that could go together? It searches beside the rounds, which never wait for it; what it finds are hints.
import type { Proposal } from '../engine/consolidation/proposal.ts';
import type { Search } from '../engine/consolidation/searchTask.ts';
import type { Instant } from '../time/instant.ts';

export interface Searcher {
  /** What the last search found, the very same list until another has ended. Every round judges it again, however old it is. */
  readonly proposals: readonly Proposal[];
  /** Told after each round what is worth searching now. Says when to come again, where it is too soon for another search. */
  submit(search: Search, now: Instant): Instant | undefined;
}
