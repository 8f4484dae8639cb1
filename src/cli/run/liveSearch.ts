// The search for groups of nodes to consolidate, in its own thread: one search at a time, on the newest facts. No round waits for it.
import { Worker } from 'node:worker_threads';
import type { Proposal } from '../../engine/consolidation/proposal.ts';
import { type SearchRequest, searchTask } from '../../engine/consolidation/searchTask.ts';
import { newsOf, nothingFound, SearchPace } from '../../engine/search.ts';
import type { Searcher } from '../../runtime/controller.ts';
import { after, asDuration, type Instant, minute } from '../../time/instant.ts';

/** The thread's message when a search has ended. */
export interface SearchResult {
  readonly proposals: readonly Proposal[];
}

/** The part of a worker thread that is used here. */
export interface SearchThread {
  postMessage(task: unknown): void;
  on(event: 'message', listener: (answered: SearchResult) => void): unknown;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  terminate(): unknown;
}

interface LiveSearcherOptions {
  /** Called when the thread failed. Only the groups it would have found are lost. */
  readonly onFault: (words: string) => void;
  /** Called when a search ends, for metrics. */
  readonly onEnd?: (outcome: 'found' | 'nothing' | 'failed') => void;
  readonly open?: () => SearchThread;
}

/** The cause of a failure is likely to persist: wait before the next search. */
const restAfterFault = asDuration(5 * minute);

/** In the bundle it is one folder above the chunks; in the source it is next to this file. */
const threadFile = import.meta.url.endsWith('.ts') ? './searchThread.ts' : '../searchThread.mjs';

function openThread(): SearchThread {
  const thread = new Worker(new URL(threadFile, import.meta.url));
  // A process that is asked to end does not wait for the thread.
  thread.unref();
  return thread;
}

export class LiveSearcher implements Searcher {
  readonly #options: Required<LiveSearcherOptions>;
  readonly #pace = new SearchPace();
  readonly #listeners = new Set<() => void>();
  #thread: SearchThread | undefined;
  #isSearching = false;
  /** Something else became worth searching while a search ran. */
  #isStale = false;
  #notBefore: Instant | undefined;
  #hasFailed = false;
  proposals: readonly Proposal[] = nothingFound;

  constructor(options: LiveSearcherOptions) {
    this.#options = { open: openThread, onEnd: () => undefined, ...options };
  }

  submit(request: SearchRequest, now: Instant): Instant | undefined {
    if (this.#hasFailed) this.#rest(now);
    if (this.#notBefore !== undefined && now < this.#notBefore) return this.#notBefore;
    const next = this.#pace.next(request, now);
    if (next === undefined) return undefined;
    if (this.#isSearching) {
      this.#isStale = true;
      return undefined;
    }
    if (next !== 'now') return next;
    this.#search(request, now);
    return undefined;
  }

  /** The listener is called when there are new proposals, or when another search could begin. */
  onNews(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    void this.#thread?.terminate();
    this.#thread = undefined;
    this.#isSearching = false;
  }

  #search(request: SearchRequest, now: Instant): void {
    this.#pace.began(request, now);
    try {
      this.#thread ??= this.#open();
      this.#isSearching = true;
      this.#isStale = false;
      this.#thread.postMessage(searchTask(request));
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
      `The search for groups of nodes to consolidate failed: ${words}. Everything else continues; the search is tried again in 5 minutes.`,
    );
  }

  #rest(now: Instant): void {
    this.#hasFailed = false;
    this.#notBefore = after(now, restAfterFault);
  }
}
