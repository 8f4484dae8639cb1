import { describe, expect, it } from 'vitest';
import { at, noon } from '../../../test/build.ts';
import { requestOn, threeForOne } from '../../../test/threeForOne.ts';
import type { Proposal } from '../../engine/consolidation/proposal.ts';
import type { SearchRequest, SearchTask } from '../../engine/consolidation/searchTask.ts';
import { searchEvery } from '../../engine/search.ts';
import { asDuration, minute, after as plus, second } from '../../time/instant.ts';
import { LiveSearcher, type SearchResult, type SearchThread } from './liveSearch.ts';

const now = at(noon);
const later = (seconds: number) => plus(now, asDuration(seconds * second));

const request = requestOn(threeForOne);
const searchOf = (version: string): SearchRequest => ({ ...request, version });
const proposal = (version: string): Proposal => ({
  version,
  nodes: ['n1', 'n2'],
  isReplaced: true,
  savings: 0.5,
  podsMoved: 4,
});

/** A thread whose messages the test sends. */
class FakeThread implements SearchThread {
  readonly asked: string[] = [];
  isClosed = false;
  #message: (answered: SearchResult) => void = () => undefined;
  #error: (error: unknown) => void = () => undefined;

  postMessage(task: unknown): void {
    this.asked.push((task as SearchTask).version);
  }

  on(event: 'message' | 'error', listener: (value: never) => void): void {
    if (event === 'message') this.#message = listener as (answered: SearchResult) => void;
    else this.#error = listener as (error: unknown) => void;
  }

  terminate(): void {
    this.isClosed = true;
  }

  answer(...proposals: readonly Proposal[]): void {
    this.#message({ proposals });
  }

  fail(message: string): void {
    this.#error(new Error(message));
  }
}

function open() {
  const threads: FakeThread[] = [];
  const faults: string[] = [];
  const seen = { news: 0 };
  const searcher = new LiveSearcher({
    onFault: (words) => faults.push(words),
    open: () => {
      const thread = new FakeThread();
      threads.push(thread);
      return thread;
    },
  });
  searcher.onNews(() => seen.news++);
  const thread = (): FakeThread => threads.at(-1) as FakeThread;
  return { searcher, threads, thread, faults, seen };
}

describe('A search beside the loop', () => {
  it('delivers its proposals when it ends, and wakes the loop', () => {
    const { searcher, thread, seen } = open();
    expect(searcher.submit(searchOf('1'), now)).toBeUndefined();
    expect(searcher.proposals).toEqual([]);
    thread().answer(proposal('1'));
    expect(searcher.proposals).toEqual([proposal('1')]);
    expect(seen.news).toBe(1);
  });

  it('that finds nothing does not wake the loop', () => {
    const { searcher, thread, seen } = open();
    searcher.submit(searchOf('1'), now);
    thread().answer();
    expect(seen.news).toBe(0);
  });

  it('that never ends stays the only one, and earlier proposals stay', () => {
    const { searcher, thread } = open();
    searcher.submit(searchOf('1'), now);
    thread().answer(proposal('1'));
    searcher.submit(searchOf('2'), later(60));
    expect(searcher.submit(searchOf('3'), later(120))).toBeUndefined();
    expect(searcher.submit(searchOf('4'), later(3600))).toBeUndefined();
    expect(thread().asked).toEqual(['1', '2']);
    expect(searcher.proposals).toEqual([proposal('1')]);
  });

  it('is not interrupted by newer facts; they are searched next', () => {
    const { searcher, thread, seen } = open();
    searcher.submit(searchOf('1'), now);
    searcher.submit(searchOf('2'), later(1));
    searcher.submit(searchOf('3'), later(2));
    thread().answer();
    // It found nothing, but there is something else to search: the loop wakes, and submits the newest facts.
    expect(seen.news).toBe(1);
    expect(searcher.submit(searchOf('3'), later(3))).toBe(plus(now, searchEvery));
    searcher.submit(searchOf('3'), later(11));
    expect(thread().asked).toEqual(['1', '3']);
  });

  it('on the same facts is not repeated', () => {
    const { searcher, thread } = open();
    searcher.submit(searchOf('1'), now);
    thread().answer();
    expect(searcher.submit(searchOf('1'), later(3600))).toBeUndefined();
    expect(thread().asked).toEqual(['1']);
  });

  it('that answers twice is accepted twice: proposals are only hints', () => {
    const { searcher, thread } = open();
    searcher.submit(searchOf('1'), now);
    thread().answer(proposal('1'));
    thread().answer(proposal('stale'));
    expect(searcher.proposals).toEqual([proposal('stale')]);
  });

  it('that fails is logged once, and tried again later in a new thread', () => {
    const { searcher, threads, thread, faults } = open();
    searcher.submit(searchOf('1'), now);
    thread().fail('out of memory');
    expect(thread().isClosed).toBe(true);
    expect(faults).toEqual([expect.stringContaining('out of memory')]);
    const rested = plus(later(20), asDuration(5 * minute));
    expect(searcher.submit(searchOf('1'), later(20))).toBe(rested);
    searcher.submit(searchOf('1'), rested);
    expect(threads.map(({ asked }) => asked)).toEqual([['1'], ['1']]);
  });

  it('whose task cannot be built delays nothing', () => {
    const { searcher, faults } = open();
    const unreadable = {
      ...request.situation,
      get cluster(): never {
        throw new Error('no facts');
      },
    };
    expect(searcher.submit({ ...searchOf('1'), situation: unreadable }, now)).toBeUndefined();
    expect(faults).toEqual([expect.stringContaining('no facts')]);
  });

  it('that is closed delivers nothing any more', () => {
    const { searcher, thread, seen } = open();
    searcher.submit(searchOf('1'), now);
    const last = thread();
    searcher.close();
    last.answer(proposal('1'));
    last.fail('terminated');
    expect([searcher.proposals, seen.news, last.isClosed]).toEqual([[], 0, true]);
  });
});
