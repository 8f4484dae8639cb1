// How does a running Lull search for groups? In a thread of its own, one search at a time, the newest facts next: no round waits for it.
import { Worker } from 'node:worker_threads';
import type { Proposal } from '../engine/consolidation/proposal.ts';
import type { Search } from '../engine/consolidation/searchTask.ts';
import { newsOf, nothingFound, SearchPace } from '../engine/pacedSearch.ts';
import type { Searcher } from '../runtime/searcher.ts';
import { after, asDuration, type Instant, minute } from '../time/instant.ts';

/** What the thread says when a search has ended. */
export interface Answered {
  readonly proposals: readonly Proposal[];
}

/** As much of a thread as is used here. */
export interface SearchThread {
  postMessage(task: unknown): void;
  on(event: 'message', listener: (answered: Answered) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  terminate(): unknown;
}

export interface SearchOptions {
  /** A thread that failed: nothing is lost by it but the groups it would have found. */
  readonly onFault: (words: string) => void;
  /** For who counts them. */
  readonly onEnd?: (outcome: 'found' | 'nothing' | 'failed') => void;
  readonly open?: () => SearchThread;
}

/** Whatever made a thread fail is likely to be there still. */
const restAfterFault = asDuration(5 * minute);

/** As the bundle has it beside itself; from source it is the file here. */
const threadFile = import.meta.url.endsWith('.ts') ? './searchThread.ts' : './searchThread.mjs';

function openThread(): SearchThread {
  const thread = new Worker(new URL(threadFile, import.meta.url));
  // A process that is told to end does not wait for it.
  thread.unref();
  return thread;
}

export class LiveSearcher implements Searcher {
  readonly #options: Required<SearchOptions>;
  readonly #pace = new SearchPace();
  readonly #listeners = new Set<() => void>();
  #thread: SearchThread | undefined;
  #isSearching = false;
  /** Something else was worth searching while a search ran. */
  #isStale = false;
  #notBefore: Instant | undefined;
  #hasFailed = false;
  proposals: readonly Proposal[] = nothingFound;

  constructor(options: SearchOptions) {
    this.#options = { open: openThread, onEnd: () => undefined, ...options };
  }

  submit(search: Search, now: Instant): Instant | undefined {
    if (this.#hasFailed) this.#rest(now);
    if (this.#notBefore !== undefined && now < this.#notBefore) return this.#notBefore;
    const next = this.#pace.next(search, now);
    if (next === undefined) return undefined;
    if (this.#isSearching) {
      this.#isStale = true;
      return undefined;
    }
    if (next !== 'now') return next;
    this.#search(search, now);
    return undefined;
  }

  /** Called when there is something to judge, or when another search could begin. */
  onNews(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    void this.#thread?.terminate();
    this.#thread = undefined;
    this.#isSearching = false;
  }

  #search(search: Search, now: Instant): void {
    this.#pace.began(search, now);
    try {
      this.#thread ??= this.#open();
      this.#isSearching = true;
      this.#isStale = false;
      this.#thread.postMessage(search.task());
    } catch (error) {
      this.#failed(error);
    }
  }

  #open(): SearchThread {
    const thread = this.#options.open();
    thread.on('message', ({ proposals }) => this.#found(thread, proposals));
    thread.on('error', (error) => {
      if (thread === this.#thread) this.#failed(error);
    });
    return thread;
  }

  #found(thread: SearchThread, found: readonly Proposal[]): void {
    if (thread !== this.#thread) return;
    this.#isSearching = false;
    this.#options.onEnd(found.length > 0 ? 'found' : 'nothing');
    const before = this.proposals;
    this.proposals = newsOf(before, found);
    if (this.proposals !== before || this.#isStale) for (const listener of this.#listeners) listener();
  }

  #failed(error: unknown): void {
    this.close();
    this.#pace.forget();
    this.#hasFailed = true;
    this.#options.onEnd('failed');
    const words = error instanceof Error ? error.message : String(error);
    this.#options.onFault(
      `The search for nodes that could go together has failed: ${words}. Everything else goes on; it is tried again in a few minutes.`,
    );
  }

  #rest(now: Instant): void {
    this.#hasFailed = false;
    this.#notBefore = after(now, restAfterFault);
  }
}
